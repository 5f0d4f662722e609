import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Counter, Registry } from 'prom-client';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { operatorsOf } from '../../src/app/operators.ts';
import { openCaseDesk } from '../../src/engine/case-desk.ts';
import { coldCounter } from '../../src/engine/cold-desk.ts';
import { openSubmit } from '../../src/engine/submit.ts';
import { amount } from '../../src/kernel/amount.ts';
import { type Clock, instant } from '../../src/kernel/clock.ts';
import type { Address, AssetId, OrderId } from '../../src/kernel/ids.ts';
import { Secret, sha256Hex } from '../../src/kernel/secret.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { OperatorReads, OrderReport } from '../../src/operator/reads.ts';
import { buildOperator, type OperatorDeps } from '../../src/operator/server.ts';
import type { FeeAddressParsers } from '../../src/partners/fee-address.ts';
import { type KeyAuthentication, openKeyAuthentication } from '../../src/partners/key-authentication.ts';
import type { PartnerRecords } from '../../src/partners/partner-records.ts';
import { type Cases, openCases } from '../../src/store/cases.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { type BreakerBoard, openBreakers, openSwitches } from '../../src/store/gates.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openOperatorActs } from '../../src/store/operator-acts.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openOutbox } from '../../src/store/outbox.ts';
import { openPartnerRecords } from '../../src/store/partner-records.ts';
import { openPayments } from '../../src/store/payments.ts';
import { openReads } from '../../src/store/reads.ts';
import { openSolvency } from '../../src/store/solvency.ts';
import { parseBitcoinAddress } from '../../src/world/chains/bitcoin/address-codec.ts';
import { BITCOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { parseSolanaAddress } from '../../src/world/chains/solana/address-codec.ts';
import { USDC } from './market.ts';

export const TOKEN = 'an-operator-token-of-some-length';
/** Those who have tokens of their own, as the settings name them; Grace has an old one and a new one. */
export const TOKENS = {
  ada: 'adas-own-token-of-some-length',
  grace: 'graces-old-token-of-some-length',
  graceNew: 'graces-new-token-of-some-length',
  guest: 'a-guests-token-of-some-length',
} as const;
export const OPERATORS = operatorsOf({
  operator: {
    ...{ host: '127.0.0.1', port: 1, token: TOKEN },
    people: [
      { name: 'ada', tokenHashes: [sha256Hex(TOKENS.ada)] },
      { name: 'grace', tokenHashes: [sha256Hex(TOKENS.graceNew), sha256Hex(TOKENS.grace)] },
      { name: 'guest', tokenHashes: [sha256Hex(TOKENS.guest)], readOnly: true },
    ],
  },
});
export const XMR = '0:XMR' as AssetId;
export const ORDER_ID = `sw_${'a'.repeat(26)}` as OrderId;
export const EVM = `0x${'ab'.repeat(20)}`;
export const ACME = { name: 'Acme', feePercent: 0.5, feeAddress: EVM };
export const START = instant(1_700_000_000_000);
const HASH_KEY = new Secret(new Uint8Array(32).fill(9));

/** As much of an order as a report about it shows. */
const ORDER = {
  id: ORDER_ID,
  expiresAt: START,
  asked: amount(XMR, 5n),
  destination: { address: 'somewhere', binding: 'a-mac-nobody-may-see' },
  state: { phase: 'payout_due', out: amount(XMR, 4n), shortOf: XMR, exchanged: false },
  payments: [],
} as unknown as Order;

const REPORT: OrderReport = {
  order: ORDER,
  integrationId: undefined,
  keyId: undefined,
  takenAway: undefined,
  history: [{ version: 1, at: START, phase: 'payout_due', fact: { fact: 'ticket_done' } }],
  ledger: [{ at: START, from: 'world', to: `order:${ORDER_ID}`, asset: XMR, atoms: 5n }],
  attempts: [],
  work: [{ effect: 'reserve_payout', dueAt: START, tries: 3, trouble: 'no money', heldBy: 'payouts: we look' }],
};

const READS: Pick<OperatorReads, 'ledger'> = {
  ledger: async () => [
    {
      ...{ asset: XMR, symbol: 'XMR', held: 11n, owed: 5n, inFlight: 1n, fees: 1n, integrators: 2n, treasury: 2n },
      ...{ cold: 0n, deposits: 1n, missing: 0n, chain: 10n, drift: -1n },
    },
  ],
};

/** Orders of the database, and the one that is made up. */
function ofOrders(db: Db): Pick<OperatorReads, 'order' | 'orders'> {
  const { order, orders } = openReads(db, openOrders(db), (asset) => asset);
  return { orders, order: async (id) => (id === ORDER_ID ? REPORT : order(id)) };
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The operator's room over a database, with everything that a story about it moves or looks at. */
export interface OperatorRoom {
  readonly app: FastifyInstance;
  readonly db: Db;
  readonly door: KeyAuthentication;
  readonly book: PartnerRecords;
  readonly breakers: BreakerBoard;
  readonly cases: Cases;
  readonly clock: Clock;
  /** Failures that the operator was told of. */
  readonly troubles: readonly unknown[];
  /** Where its database is. */
  readonly url: string;
  ask(method: Method, url: string, body?: unknown, authorization?: string): ReturnType<typeof ask>;
  wait(ms: number): void;
  close(): Promise<void>;
}

/** Over a fresh database. */
export async function openRoom(): Promise<OperatorRoom> {
  const database = await testDatabase(async (url) => void (await migrate(url)));
  const room = roomOver(database.url);
  const close = async () => {
    await room.close();
    await database.drop();
  };
  return { ...room, close };
}

/** What the chains say, in short. */
const FEE_ADDRESSES: FeeAddressParsers = {
  feeAddress: (text) => (/^0x[0-9a-f]{40}$/.test(text) ? (text as Address) : undefined),
  feeAddressSol: parseSolanaAddress,
  feeAddressBtc: (text) => parseBitcoinAddress(BITCOIN, text),
};

/** Operators are served by a process that may write little: what is asked for must be within its rights. */
const withRightsOfApi = (url: string): string =>
  Object.assign(new URL(url), { search: '?options=-c%20role%3Dwherry_api' }).href;

export function roomOver(url: string, given: Partial<Pick<OperatorDeps, 'acts' | 'operators'>> = {}): OperatorRoom {
  const db = openDb(url, 2);
  const asApi = openDb(withRightsOfApi(url), 2);
  let now = START;
  const clock = { now: () => now };
  const partners = openPartnerRecords(db);
  const breakers = openBreakers(db, clock);
  const cases = openCases(db, clock);
  const payments = openPayments(asApi);
  const troubles: unknown[] = [];
  const app = buildOperator({
    operators: OPERATORS,
    acts: openOperatorActs(db),
    partners,
    feeAddresses: FEE_ADDRESSES,
    hashKey: HASH_KEY,
    random: randomBytes,
    clock,
    switches: openSwitches(db, clock),
    breakers,
    places: ['chain:0', 'chain:42161', 'provider:oneclick'],
    reads: { ...READS, ...ofOrders(db) },
    solvency: openSolvency(db, clock),
    symbolOf: (asset) => asset,
    chainName: (id) => `Chain ${id}`,
    assets: [USDC],
    countCold: coldCounter(openOutbox(db), clock),
    cases,
    caseDesk: openCaseDesk({
      ...{ outbox: openOutbox(asApi), payments, clock, remedyOf: (id) => (id === 0 ? 'send_again' : 'outbid') },
      submit: openSubmit(openOrders(asApi, 'api'), payments, RULES, clock),
    }),
    metrics: someMetrics(),
    onTrouble: (error) => troubles.push(error),
    ...given,
  });
  return {
    app,
    db,
    url,
    cases,
    door: openKeyAuthentication(partners, [HASH_KEY], clock),
    book: partners,
    breakers,
    clock,
    troubles,
    ask: (method, path, body, authorization) => ask(app, method, path, body, authorization),
    wait: (ms) => {
      now = instant(now + ms);
    },
    close: async () => {
      await app.close();
      await asApi.close();
      await db.close();
    },
  };
}

async function ask(
  app: FastifyInstance,
  method: Method,
  url: string,
  body?: unknown,
  authorization = `Bearer ${TOKEN}`,
) {
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const headers = { authorization, 'content-type': 'application/json' };
  const reply = await app.inject({ method, url, headers, ...payload });
  return { status: reply.statusCode, text: reply.body, json: () => reply.json() };
}

function someMetrics(): Registry {
  const registers = new Registry();
  new Counter({ name: 'wherry_tests_total', help: 'tests', registers: [registers] }).inc();
  return registers;
}
