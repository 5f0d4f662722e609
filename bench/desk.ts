/** The process under load: the real API on a throw-away database, the bare servers beside it, and the loops of bare `pg`. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { base32nopad } from '@scure/base';
import { startPostgres, testDatabase } from '../sandbox/nodes/postgres.ts';
import { openFeed } from '../src/engine/feed.ts';
import type { Address } from '../src/kernel/ids.ts';
import { Secret } from '../src/kernel/secret.ts';
import { DEFAULT_LIMITS, type Limits } from '../src/partners/integration.ts';
import { openDb } from '../src/store/db.ts';
import { migrate } from '../src/store/migrate.ts';
import { clock, makeAddresses, openApi, openCache } from './api.ts';
import { about, bareServers, openPool, overheard, pgLoop, portOf, type Said } from './bare.ts';
import type { Done, Span } from './load.ts';
import { catalog, USDC } from './market.ts';
import { fillReports, newPartner } from './reports.ts';
import { CONNECTIONS, moneroAddresses, swapBodies } from './swap.ts';
import { openTransitions } from './transitions.ts';

const isShort = process.argv.includes('--short');
/** A million orders take minutes to fill in, for one measure. */
const hasMillion = !isShort && (!process.argv.includes('--only') || process.argv.join().includes('integrator'));
/** Orders that are read in turn: more than fit in anybody's first cache line, fewer than take long to make. */
const READ_ORDERS = isShort ? 16 : 512;
/** Orders that are followed by sockets. */
const FOLLOWED_ORDERS = isShort ? 48 : 1_050;
/** Partners with the usual limits: so many that none reaches its own. */
const LIMITED_PARTNERS = isShort ? 8 : 256;
/** Deposit addresses made ahead; no run on two cores uses half of them. */
const ADDRESSES = isShort ? 20_000 : 300_000;

export interface Ready {
  /** `forgetful` is the same service, which finds no order in its memory. */
  readonly ports: Readonly<Record<'api' | 'forgetful' | 'fastify' | 'node' | 'ws', number>>;
  readonly databaseUrl: string;
  /** Of a partner without limits. */
  readonly serverKey: string;
  readonly limitedKeys: readonly string[];
  /** Of partners with ten orders and with a million. */
  readonly reportKeys: { readonly few: string; readonly many: string };
  readonly orders: readonly Made[];
  readonly followed: readonly Made[];
}

interface Made {
  readonly id: string;
  readonly session: string;
}

/** `cpu` does nothing and takes the seconds of processor that this process has used so far. */
export type Loop = 'pg create' | 'pg read' | 'pg commit' | 'fresh orders' | 'worker' | 'cpu';
export type Told = { readonly ready: Ready } | { readonly done: Done };

const hashKey = new Secret<Uint8Array>(randomBytes(32));
const databaseUrl = await freshDatabase();
const { db, during } = overheard(openDb(databaseUrl));
await makeAddresses(db, ADDRESSES);
const feeAddress = catalog.chain(USDC.chainId)?.facts.addressExample as Address;
const partner = (id: string, limits?: Limits) =>
  newPartner(db, { id, feeAddress, ...(limits ? { limits } : {}) }, hashKey, clock.now());
const serverKey = await partner('int_bench');
const reportKeys = { few: await partner('int_few'), many: await partner('int_many') };
const patient = openDb(databaseUrl, 1, databaseUrl, { connect: 30_000, query: 600_000, session: 600_000 });
await fillReports(patient, 'int_few', 10, clock.now());
await fillReports(patient, 'int_many', hasMillion ? 1_000_000 : 10_000, clock.now());
await patient.close();
const limitedKeys = await Promise.all(
  Array.from({ length: LIMITED_PARTNERS }, (_, n) => partner(`int_limited${n}`, DEFAULT_LIMITS)),
);
const cache = openCache(db);
const feed = await openFeed(db, (id) => (id ? cache.forget(id) : cache.forgetAll()));
const api = await openApi({ db, hashKey, cache, feed });
const forgetful = await openApi({ db, hashKey, cache: openCache(db, 1), feed });

const headers = { 'x-integrator-key': serverKey, 'content-type': 'application/json' };
const [payload = ''] = swapBodies(1, moneroAddresses(1));
const post = async (url: string) => (await api.inject({ method: 'POST', url, headers, payload })).json();
const read = async ({ id, session }: Made) =>
  (await api.inject({ url: `/v2/swaps/${id}`, headers: { ...headers, 'x-session-id': session } })).json();

const [made, followed] = [await makeOrders(READ_ORDERS), await makeOrders(FOLLOWED_ORDERS)];
const [first = { id: '', session: '' }] = made;
let sample = '';
const creation = (
  await during(async () => {
    sample = (await post('/v2/swaps')).orderId;
  })
).filter(({ statement }) => statement.name === 'orders_create');
const reading = await during(() => read(first));
const transitions = await openTransitions(databaseUrl, { db, during }, sample);

const bare = await bareServers(await read(first), await post('/v2/swaps/quote'));
for (const server of [api, forgetful]) await server.listen({ host: '127.0.0.1', port: 0 });

const pool = openPool(databaseUrl);
const bareLoop = (span: Span, work: (n: number) => readonly Said[] | undefined) =>
  pgLoop({ pool, loops: CONNECTIONS, span, work });

/** No computer commits more of them. */
const COMMITS_PER_MS = 4;
let uncommitted: readonly string[] = [];
const aboutUncommitted = (said: readonly Said[]) => (n: number) => {
  const id = uncommitted[n];
  return id === undefined ? undefined : about(said, sample, id);
};

const loops: Record<Loop, (span: Span) => Promise<Done>> = {
  'pg create': (span) => bareLoop(span, () => about(creation, sample, newId())),
  'pg read': (span) => bareLoop(span, (n) => about(reading, first.id, made[n % made.length]?.id ?? '')),
  'fresh orders': ({ ms, least }) => {
    uncommitted = Array.from({ length: least + COMMITS_PER_MS * ms }, newId);
    return bareLoop({ ms: 0, least: uncommitted.length }, aboutUncommitted(creation));
  },
  'pg commit': (span) => bareLoop(span, aboutUncommitted(transitions.commit)),
  worker: transitions.work,
  cpu: async () => {
    const { user, system } = process.cpuUsage();
    return { count: 0, seconds: (user + system) / 1_000_000 };
  },
};

const tell = (told: Told) => process.send?.(told);
process.on('message', async ({ loop, span }: { loop: Loop; span: Span }) => tell({ done: await loops[loop](span) }));
process.on('disconnect', () => process.exit(0));
const ports = { api: portOf(api.server), forgetful: portOf(forgetful.server), ...bare };
tell({ ready: { ports, databaseUrl, reportKeys, serverKey, limitedKeys, orders: made, followed } });

/** With `--fsync` on a server that has every commit on its disk before it says so, as one in service has. */
async function freshDatabase(): Promise<string> {
  const prepare = async (url: string): Promise<void> => {
    await migrate(url);
  };
  if (!process.argv.includes('--fsync')) return (await testDatabase(prepare)).url;
  const dir = mkdtempSync(join(tmpdir(), 'wherry-bench-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  const { url } = await startPostgres({ dir, persistent: true });
  await prepare(url);
  return url;
}

function newId(): string {
  return `sw_${base32nopad.encode(randomBytes(20)).toLowerCase()}`;
}

/** Nobody works on them, so that nothing but the bench changes them. */
async function makeOrders(count: number): Promise<readonly Made[]> {
  const orders: Made[] = [];
  while (orders.length < count) {
    const { orderId, sessionId } = await post('/v2/swaps');
    orders.push({ id: orderId, session: sessionId });
  }
  const text = 'DELETE FROM effect WHERE owner = ANY ($1)';
  await db.query({ name: 'bench_idle', text }, [orders.map(({ id }) => id)]);
  return orders;
}
