import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import pino from 'pino';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import type { ApiDeps, PartnerRoom } from '../../src/api/deps.ts';
import { buildApi } from '../../src/api/server.ts';
import { openWebhookDelivery } from '../../src/api/webhook-delivery.ts';
import type { Config } from '../../src/app/config.ts';
import { feeAddressParsers } from '../../src/app/wiring/chains.ts';
import { openDesk } from '../../src/engine/open-desk.ts';
import { cacheOrders } from '../../src/engine/order-cache.ts';
import { openSubmit } from '../../src/engine/submit.ts';
import { openBinder } from '../../src/kernel/binding.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { type Address, chainOf, type OrderId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { Secret } from '../../src/kernel/secret.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { newsOf } from '../../src/life/order/view/news.ts';
import { hashOfKey, newIntegrationId, newKey } from '../../src/partners/api-key.ts';
import { openKeyAuthentication } from '../../src/partners/key-authentication.ts';
import { placeOf } from '../../src/partners/sign-in.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openPartnerRecords } from '../../src/store/partner-records.ts';
import { openPartnerSessions } from '../../src/store/partner-sessions.ts';
import { openPayments } from '../../src/store/payments.ts';
import { openReports } from '../../src/store/reports.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { openTrades } from '../../src/store/trades.ts';
import { openWebhookBook } from '../../src/store/webhooks.ts';
import type { PostResult } from '../../src/world/outbound/guarded-post.ts';
import { venueRules } from '../../src/world/venues/hyperliquid/rules.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { catalog, USDC } from './assets.ts';
import { NO_LIMITS, START } from './bench.ts';
import { fixedQuotes } from './quotes.ts';

export const HERE = 'http://127.0.0.1:8080';
export const FEE_ADDRESS = '0x1111111111111111111111111111111111111111';

export interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Partners over a real database: the API, orders that move as the engine moves them, and what is sent to endpoints. */
export interface PartnerBench {
  readonly api: FastifyInstance;
  readonly db: Db;
  readonly deps: ApiDeps;
  readonly room: PartnerRoom;
  now(): Instant;
  wait(ms: number): void;
  call(options: InjectOptions): Promise<LightMyRequestResponse>;
  /** As a member with this cookie. */
  as(
    cookie: string | undefined,
    method: Method,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
  /** With a key. */
  key(
    key: string,
    method: Method,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
  /** A wallet that is signed in, and its cookie. */
  member(): Promise<{ readonly account: PrivateKeyAccount; readonly cookie: string }>;
  /** An integration with a server key and a public one, as an operator makes them. */
  partner(change?: object): Promise<{ readonly id: string; readonly serverKey: string; readonly publicKey: string }>;
  /** Moves an order as the engine would. */
  move(orderId: string, change: (order: Order) => Partial<Order>): Promise<void>;
  /** Sends what is due now, in turn, until nothing is; what receivers answer is up to `answer`. */
  deliver(answer: (sent: Sent) => PostResult | Promise<PostResult>): Promise<readonly Sent[]>;
  close(): Promise<void>;
}

export const TAKEN: PostResult = { status: 200, error: null, ms: 3 };

export async function partnerBench(
  change: Partial<PartnerRoom> = {},
  limits: Partial<ApiDeps> = {},
  mount: (api: FastifyInstance, deps: ApiDeps) => Promise<void> = async () => {},
): Promise<PartnerBench> {
  const database = await testDatabase(async (url) => void (await migrate(url)));
  const db = openDb(database.url, 4);
  let now = instant(START);
  const clock = { now: () => now };
  const hashKey = new Secret<Uint8Array>(Buffer.alloc(32, 1));
  const orders = openOrders(db);
  const cache = cacheOrders(orders.find);
  const family = (id: number) => catalog.chain(id)?.facts.family ?? 'none';
  const addresses = (name: string) => Array.from({ length: 60 }, (_, at) => `${name}${at}` as Address);
  for (const space of ['evm', 'monero']) await openSightings(db, SEAL_KEY).issue(space, 0, addresses(space));
  const book = openPartnerRecords(db);
  const room: PartnerRoom = {
    book,
    sessions: openPartnerSessions(db),
    reports: openReports(db),
    webhooks: openWebhookBook(db),
    feeAddresses: feeAddressParsers({ chains: {} } as Config, venueRules([])),
    refusesWebhook: async (url) => (url.startsWith('https://') ? undefined : 'The address must begin with https://.'),
    contractSignatures: undefined,
    place: placeOf(HERE),
    asksApproval: false,
    addressDelayMs: 24 * 3_600_000,
    ...change,
  };
  const deps: ApiDeps = {
    desk: openDesk({
      ...{
        orders,
        cache,
        fills: openTrades(db).fills,
        submit: openSubmit(orders, openPayments(db), RULES, clock),
        rules: RULES,
        clock,
      },
      feed: { watch: () => () => {}, beat: async () => {}, close: async () => {} },
      spaceOf: (asset) => family(chainOf(asset)),
    }),
    quotes: fixedQuotes(clock),
    catalog,
    bridges: {
      settings: { depositRate: ratio(0n, 1n), withdrawalRate: ratio(0n, 1n), assets: [] },
      money: USDC,
      isOn: async () => false,
    },
    partners: openKeyAuthentication(book, [hashKey], clock),
    partnerRoom: room,
    quota: NO_LIMITS,
    clock,
    randomBytes,
    hashKey,
    binder: openBinder(new Secret<Uint8Array>(Buffer.alloc(32, 2))),
    rules: RULES,
    log: pino({ level: 'silent' }),
    observe: () => {},
    unready: async () => [],
    ...limits,
  };
  const api = await buildApi(deps);
  await mount(api, deps);
  await api.ready();
  const call = (options: InjectOptions) => api.inject(options);
  const send = (method: Method, url: string, body: unknown, headers: Record<string, string>) =>
    call({
      ...{ method, url },
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  const as: PartnerBench['as'] = (cookie, method, url, body, headers = {}) =>
    send(method, url, body, { ...(cookie ? { cookie } : {}), ...headers });

  return {
    ...{ api, db, deps, room, call, as },
    now: () => now,
    wait: (ms) => {
      now = instant(now + ms);
    },
    key: (key, method, url, body, headers = {}) => send(method, url, body, { 'x-integrator-key': key, ...headers }),
    async member() {
      const account = privateKeyToAccount(generatePrivateKey());
      const { nonce } = (await as(undefined, 'POST', '/partner/sign-in/nonce')).json();
      const message = signInMessage(account, nonce, now);
      const signature = await account.signMessage({ message });
      const reply = await as(undefined, 'POST', '/partner/sign-in', { message, signature });
      assert.equal(reply.statusCode, 200, reply.body);
      return { account, cookie: String(reply.headers['set-cookie']).split(';')[0] ?? '' };
    },
    async partner(wish = {}) {
      const id = newIntegrationId(randomBytes);
      const by = { actor: 'operator', at: now };
      const integration = { name: 'Acme', feePercent: 0.5, feeAddress: FEE_ADDRESS as Address, ...wish };
      await book.add(id, integration, undefined, by);
      const [server, open] = [newKey('server', randomBytes), newKey('public', randomBytes)];
      for (const one of [server, open]) await book.addKey(id, one, hashOfKey(hashKey, one.text), by);
      return { id, serverKey: server.text, publicKey: open.text };
    },
    async move(orderId, moved) {
      const placed = await orders.find(orderId as OrderId);
      assert.ok(placed);
      const before = placed.order;
      const after: Order = { ...before, ...moved(before), version: before.version + 1, updatedAt: now };
      const payments = after.payments.filter((one) => !before.payments.includes(one));
      const nothing = { postings: [], payments, effects: [], cases: [], over: [] };
      const fact = { fact: 'deadline_passed', at: now } as const;
      const key = `test:${after.version}`;
      const order = { after, from: before.version, fact };
      const news = newsOf(before, after, RULES);
      assert.equal(await orders.commit({ owner: before.id, key, at: now, order, news, ...nothing }), 'ok');
      cache.forget(before.id);
    },
    async deliver(answer) {
      const sent: Sent[] = [];
      const post = async (url: string, headers: Readonly<Record<string, string>>, body: string) => {
        const one = { url, headers, body };
        sent.push(one);
        return answer(one);
      };
      const delivery = openWebhookDelivery({ webhooks: room.webhooks, post, deps });
      for (let before = -1; before < sent.length; ) {
        before = sent.length;
        await delivery.round();
        await delivery.idle();
      }
      return sent;
    },
    close: async () => {
      await api.close();
      await db.close();
      await database.drop();
    },
  };
}

export function signInMessage(
  account: { readonly address: `0x${string}` },
  nonce: string,
  now: number,
  change: object = {},
): string {
  return createSiweMessage({
    address: account.address,
    chainId: 1,
    domain: '127.0.0.1:8080',
    nonce,
    uri: HERE,
    version: '1',
    issuedAt: new Date(now),
    ...change,
  });
}
