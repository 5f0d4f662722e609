import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { together } from '../../src/engine/together.ts';
import { later } from '../../src/kernel/clock.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { type Orders, openOrders, type Placed } from '../../src/store/orders.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { storedOrder, upgrade } from '../../src/store/stored-order.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { ORDER_IN } from './order-phases.ts';
import { buyOrder, CREATED, minute } from './world.ts';

let db: Db;
let orders: Orders;
let drop: () => Promise<void>;

before(async () => {
  const database = await testDatabase(async (url) => void (await migrate(url)));
  db = openDb(database.url, 2);
  orders = openOrders(db);
  drop = database.drop;
  await openSightings(db, SEAL_KEY).issue('evm', 0, ['a', 'b', 'c', 'd'] as string[] as Address[]);
});
after(async () => {
  await db.close();
  await drop();
});

let made = 0;
async function open(keyId: string | undefined, clientHash: string): Promise<Placed> {
  made += 1;
  const id = `sw_${'a'.repeat(26 - made)}${'b'.repeat(made)}` as OrderId;
  const { depositAddress: _, depositIndex: __, ...draft } = { ...buyOrder(), id };
  const integrationId = keyId === undefined ? undefined : 'int_1';
  const owner = { sessionHash: `session ${made}`, integrationId, keyId, clientHash };
  const placed = await orders.create(draft, owner, 'evm', []);
  return placed && 'order' in placed ? placed : assert.fail('an address was ready');
}

test('open orders are counted for their company by whatever key, for others by network, until they end or grow old', async () => {
  const [first] = [await open('server', 'x'), await open('public', 'y'), await open(undefined, 'y')];
  const start = later(CREATED, -1);
  const company = (since = start, most?: number) => orders.countOpen({ integrationId: 'int_1' }, since, most);
  assert.equal(await company(), 2);
  assert.equal(await company(start, 1), 1, 'nobody needs to know by how many a limit is passed');
  assert.equal(await orders.countOpen({ clientHash: 'y' }, start, 20), 2);
  assert.equal(await orders.countOpen({ integrationId: 'int_2' }, start, 20), 0);
  assert.equal(await company(CREATED), 0, 'older than the window');
  const { order } = first;
  const ended = { ...order, version: order.version + 1, state: { phase: 'expired', at: minute(60) } } as const;
  const fact = { fact: 'deadline_passed', at: minute(60) } as const;
  const nothing = { postings: [], payments: [], effects: [], cases: [], over: [] };
  const step = { ...nothing, order: { after: ended, from: order.version, fact } };
  assert.equal(await orders.commit({ owner: order.id, key: 'end', at: minute(60), ...step }), 'ok');
  assert.equal(await company(), 1);
});

test('orders that are asked for in one turn are read by one statement, each as it is read alone', async () => {
  const { order } = await open('server', 'z');
  const asked: string[] = [];
  const counting: Db = {
    ...db,
    query: (statement, values) => {
      asked.push(statement.name);
      return db.query(statement, values);
    },
  };
  const { findAll } = openOrders(counting);
  const find = together(findAll, (placed: Placed) => placed.order.id);
  const other = order.id.replace('ab', 'aa') as OrderId;
  const missing = `sw_${'c'.repeat(26)}` as OrderId;
  const alone = [await orders.find(order.id), await orders.find(other), undefined];
  assert.equal(alone[1]?.order.id, other);
  assert.deepEqual(await Promise.all([order.id, other, missing].map(find)), alone);
  assert.deepEqual(await find(order.id), alone[0]);
  assert.deepEqual(asked, ['order_find', 'order_find']);
});

test('an order is read in the shape that it was written in, and in no other', () => {
  const { depositAddress: _, depositIndex: __, payments: ___, ...rest } = buyOrder();
  const stored = storedOrder(buyOrder());
  assert.deepEqual(upgrade(stored), rest);
  const { shape } = stored;
  assert.throws(
    () => upgrade({ ...stored, shape: shape + 1 }),
    new RegExp(`is stored in shape ${shape + 1}, and this version knows ${shape}`),
  );
});

test('a deal from before its time was kept counts from when its order was made', () => {
  const { swapping, awaiting_deposit: awaiting } = ORDER_IN;
  assert.ok(swapping.state.phase === 'swapping');
  const { placedAt: _, ...deal } = swapping.state.deal;
  const stored = storedOrder(swapping);
  const state = { ...swapping.state, deal } as typeof swapping.state;
  const read = upgrade({ ...stored, state, shape: 1 });
  assert.deepEqual(read.state, { ...state, deal: { ...deal, placedAt: swapping.createdAt } });
  assert.deepEqual(upgrade({ ...storedOrder(awaiting), shape: 1 }), upgrade(storedOrder(awaiting)));
});
