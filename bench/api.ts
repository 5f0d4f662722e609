/** The real API over the bench's market. */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import type { PartnerRoom } from '../src/api/deps.ts';
import { buildApi } from '../src/api/server.ts';
import type { Feed } from '../src/engine/feed.ts';
import { openDesk } from '../src/engine/open-desk.ts';
import { cacheOrders, type OrderCache } from '../src/engine/order-cache.ts';
import { openSubmit } from '../src/engine/submit.ts';
import { takesInTurns } from '../src/engine/takes.ts';
import { together } from '../src/engine/together.ts';
import { openBinder } from '../src/kernel/binding.ts';
import { instant } from '../src/kernel/clock.ts';
import { ratio } from '../src/kernel/ratio.ts';
import { Secret } from '../src/kernel/secret.ts';
import { RULES } from '../src/life/order/rules.ts';
import { openKeyAuthentication } from '../src/partners/key-authentication.ts';
import { placeOf } from '../src/partners/sign-in.ts';
import type { Db } from '../src/store/db.ts';
import { openOrders, type Placed } from '../src/store/orders.ts';
import { openPartnerRecords } from '../src/store/partner-records.ts';
import { openPartnerSessions } from '../src/store/partner-sessions.ts';
import { openPayments } from '../src/store/payments.ts';
import { openQuota } from '../src/store/quota.ts';
import { openReports } from '../src/store/reports.ts';
import { openTrades } from '../src/store/trades.ts';
import { openWebhookBook } from '../src/store/webhooks.ts';
import { benchQuotes, catalog, USDC } from './market.ts';

export const clock = { now: () => instant(Date.now()) };

const NO_BRIDGES = {
  settings: { depositRate: ratio(0n, 1n), withdrawalRate: ratio(0n, 1n), assets: [] },
  money: USDC,
  isOn: async () => false,
};

/** Deposit addresses made ahead. */
export async function makeAddresses(db: Db, count: number): Promise<void> {
  const text = `INSERT INTO deposit_address (space, index, address)
    SELECT 'evm', n, '0x' || lpad(to_hex(n), 40, '0') FROM generate_series(0, $1::int - 1) AS n`;
  await db.query({ name: 'bench_addresses', text }, [count]);
}

export function openCache(db: Db, most?: number): OrderCache {
  return cacheOrders(
    together(openOrders(db).findAll, ({ order }: Placed) => order.id),
    most,
  );
}

export interface BenchApi {
  readonly db: Db;
  readonly hashKey: Secret<Uint8Array>;
  readonly cache: OrderCache;
  readonly feed: Feed;
}

export async function openApi({ db, hashKey, cache, feed }: BenchApi) {
  const orders = openOrders(db);
  const desk = openDesk({
    orders,
    cache,
    fills: openTrades(db).fills,
    submit: openSubmit(orders, openPayments(db), RULES, clock),
    feed,
    rules: RULES,
    clock,
    spaceOf: () => 'evm',
  });
  return buildApi({
    desk,
    quotes: benchQuotes(clock),
    catalog,
    bridges: NO_BRIDGES,
    partners: openKeyAuthentication(openPartnerRecords(db), [hashKey], clock),
    partnerRoom: partnerRoom(db),
    quota: takesInTurns(openQuota(db)),
    clock,
    randomBytes,
    hashKey,
    binder: openBinder(new Secret<Uint8Array>(randomBytes(32))),
    rules: RULES,
    log: pino({ level: 'silent' }),
    observe: () => {},
    unready: async () => [],
  });
}

/** Reports are read as they are in the product; nobody signs in here, and nothing is sent. */
function partnerRoom(db: Db): PartnerRoom {
  return {
    book: openPartnerRecords(db),
    sessions: openPartnerSessions(db),
    reports: openReports(db),
    webhooks: openWebhookBook(db),
    feeAddresses: { feeAddress: () => undefined, feeAddressSol: () => undefined, feeAddressBtc: () => undefined },
    refusesWebhook: async () => 'Nothing is sent from here.',
    contractSignatures: undefined,
    place: placeOf('http://127.0.0.1'),
    asksApproval: false,
    addressDelayMs: 0,
  };
}
