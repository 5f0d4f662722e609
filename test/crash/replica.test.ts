import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { openMetrics } from '../../src/app/metrics.ts';
import { openReplica } from '../../src/app/replica.ts';
import { openFeed } from '../../src/engine/feed.ts';
import { openSubmit } from '../../src/engine/submit.ts';
import { present } from '../../src/kernel/assert.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openPayments } from '../../src/store/payments.ts';
import { usdc } from '../life/market.ts';
import { AT, screened } from '../life/order-phases.ts';
import { buyOrder, CREATED, final } from '../life/world.ts';
import { startTwoServers, type TwoServers } from './two-servers.ts';

const log = { info() {}, warn() {}, error() {} } as never;
const OWNER = { sessionHash: 's', integrationId: undefined, keyId: undefined, clientHash: 'c' };

let servers: TwoServers;
let db: Db;
let second: pg.Client;
before(async () => {
  servers = await startTwoServers();
  db = openDb(servers.url, 4);
  second = new pg.Client({ connectionString: servers.replica });
  second.on('error', () => {});
  await second.connect();
});
after(async () => {
  await second.end().catch(() => {});
  await db.close();
  await servers.drop();
});

let made = 0;
async function create(): Promise<OrderId> {
  made += 1;
  const text = `INSERT INTO deposit_address (space, index, address) VALUES ('s', $1, 'a ' || $1::integer)`;
  await db.query({ name: 'replica_address', text }, [made]);
  const { depositAddress: _, depositIndex: __, ...draft } = buyOrder();
  const id = `sw_${String(made).padStart(26, 'a')}` as OrderId;
  assert.ok(await openOrders(db).create({ ...draft, id }, OWNER, 's', []));
  return id;
}

/** As a process that serves the API reads orders, and a look of its round at the replica. */
async function openReader() {
  const metrics = openMetrics('api');
  const orders = openOrders(db);
  const { reads, watch } = present(
    openReplica({ databaseReplica: servers.replica, databaseConnections: 3 }, { db, orders, metrics, log }),
    'a replica',
  );
  let heard = () => {};
  const feed = await openFeed(db, (id, version) => {
    reads.heard(id, version);
    heard();
  });
  const by = async (name: string) =>
    (await metrics.replica.reads.get()).values.find(({ labels }) => labels.by === name)?.value ?? 0;
  return {
    look: reads.look,
    /** Its version, and who told it. */
    async read(id: OrderId) {
      const before = await by('replica');
      const [placed] = await reads.findAll([id]);
      return [placed?.order.version, (await by('replica')) > before ? 'replica' : 'primary'] as const;
    },
    news: () => new Promise<void>((resolve) => (heard = resolve)),
    close: async () => {
      await feed.close();
      await watch().stop();
    },
  };
}

const caughtUp = `SELECT pg_wal_replay_resume()`;
const paused = `SELECT pg_wal_replay_pause()`;
/** Replays are told of by nobody: it is asked until it stands where the first one does. */
async function untilReplayed(): Promise<void> {
  const [row] = await db.query({ name: 'replica_now', text: 'SELECT pg_current_wal_lsn()::text AS lsn' });
  for (;;) {
    const { rows } = await second.query('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done', [row?.lsn]);
    if (rows[0].done) return;
    await second.query('SELECT pg_sleep(0.01)');
  }
}
async function untilPaused(): Promise<void> {
  await second.query(paused);
  while ((await second.query('SELECT pg_get_wal_replay_pause_state() AS s')).rows[0].s !== 'paused')
    await second.query('SELECT pg_sleep(0.01)');
}

test('an order is read from the replica, and never as it was before what was heard, shown or written here', async () => {
  const submit = openSubmit(openOrders(db), openPayments(db), RULES, { now: () => CREATED });
  const [id, other] = [await create(), await create()];
  const reader = await openReader();
  assert.deepEqual(await reader.read(id), [0, 'primary'], 'nobody has looked where the replica stands');
  await reader.look();
  await untilReplayed();
  assert.equal((await reader.look())?.isUsed, true, 'it has replayed what was written before the first look');
  assert.deepEqual(await reader.read(id), [0, 'replica']);

  await untilPaused();
  const news = reader.news();
  assert.equal(await submit.submit(id, 'came', final(usdc('100'), AT)), 'taken');
  await news;
  assert.ok(((await reader.look())?.behind ?? 0) > 0, 'how far it is behind is seen');
  assert.deepEqual(await reader.read(id), [1, 'primary'], 'the replica has an older one than was heard of');
  assert.deepEqual(await reader.read(other), [0, 'replica'], 'what did not change is read from it all the same');
  assert.deepEqual(await reader.read(await create()), [0, 'primary'], 'who has just made an order finds it');

  const late = await openReader();
  assert.equal((await late.look())?.isUsed, false, 'what was written before it began to listen is not on the replica');
  assert.deepEqual(await late.read(id), [1, 'primary']);
  await second.query(caughtUp);
  await untilReplayed();
  assert.equal((await late.look())?.isUsed, true);
  assert.deepEqual(
    [await late.read(id), await reader.read(id)],
    [
      [1, 'replica'],
      [1, 'replica'],
    ],
  );
  await late.close();

  await servers.loseReplica();
  assert.deepEqual(await reader.read(id), [1, 'primary'], 'a replica that is gone is nobody’s trouble');
  assert.equal(await reader.look(), undefined);
  assert.equal(await submit.submit(id, 'screened', screened(true)), 'taken');
  assert.deepEqual(await reader.read(id), [2, 'primary']);
  await reader.close();
});
