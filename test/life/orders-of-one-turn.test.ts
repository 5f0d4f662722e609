import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { type DeskParts, openDesk } from '../../src/engine/open-desk.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { buyOrder, sellOrder } from './world.ts';

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  const database = await testDatabase(async (url) => void (await migrate(url)));
  db = openDb(database.url, 4);
  drop = database.drop;
});
after(async () => {
  await db.close();
  await drop();
});

let issued = 0;
async function issue(count: number): Promise<void> {
  const addresses = Array.from({ length: count }, (_, n) => `deposit ${issued + n}` as Address);
  await openSightings(db, SEAL_KEY).issue('evm', issued, addresses);
  issued += count;
}

/** A desk as the API has it, and what it said to the database. */
function desk(isLost = false) {
  const said: string[] = [];
  const heard: Db = {
    ...db,
    query: async (statement, values) => {
      said.push(statement.name);
      const rows = await db.query<never>(statement, values);
      if (isLost) throw new Fault('ambiguous', 'database', 'the answer was lost');
      return rows;
    },
  };
  const warned: string[] = [];
  const log = { warn: (what: { of: string; count: number }) => void warned.push(`${what.count} ${what.of}`) };
  const parts = { orders: openOrders(heard, 'api'), spaceOf: () => 'evm', cache: {}, feed: {}, log };
  return { said, warned, create: openDesk(parts as unknown as DeskParts).create };
}

const idOf = (name: string) => `sw_${name.padStart(26, 'a')}` as OrderId;
const ownerOf = (id: string, integrationId?: string) => ({
  sessionHash: id,
  integrationId,
  keyId: 'k',
  clientHash: 'c',
});
function draftOf(name: string, sells = false) {
  const { depositAddress: _, depositIndex: __, ...draft } = sells ? sellOrder() : buyOrder();
  return { ...draft, id: idOf(name) };
}

/** All that a new order leaves behind, but for its name and address. */
async function left(name: string): Promise<string> {
  const text = `SELECT to_jsonb(o) - 'deposit_index' - 'deposit_address' AS o,
      (SELECT jsonb_agg(to_jsonb(e) - 'seq') FROM effect AS e WHERE e.owner = o.id) AS e,
      (SELECT to_jsonb(r) FROM integrator_order AS r WHERE r.order_id = o.id) AS r,
      (SELECT count(*) FROM deposit_address AS d WHERE d.order_id = o.id AND d.address = o.deposit_address) AS d
    FROM orders AS o WHERE id = $1`;
  const rows = await db.query({ name: 'left', text }, [idOf(name)]);
  assert.equal(rows.length, 1, name);
  return JSON.stringify(rows).replaceAll(idOf(name), 'ID');
}

test('orders that are made in one turn are made by one statement, each as it is made alone and with an address of its own', async () => {
  await issue(6);
  const { create, said } = desk();
  const make = (name: string, sells: boolean) =>
    create(draftOf(name, sells), ownerOf(idOf(name), sells ? 'int_1' : undefined));
  for (const [name, sells] of [
    ['one', false],
    ['two', true],
    ['three', false],
  ] as const)
    await make(name, sells);
  assert.deepEqual(said.splice(0), ['orders_create', 'orders_create', 'orders_create']);
  const made = await Promise.all([make('four', false), make('five', true), make('six', false)]);
  assert.deepEqual(said, ['orders_create']);
  const addresses = made.map((one) => (isRefusal(one) ? assert.fail() : one.order.depositAddress));
  assert.equal(new Set(addresses).size, 3);
  for (const [alone, together] of [
    ['one', 'four'],
    ['two', 'five'],
    ['three', 'six'],
  ] as const)
    assert.equal(await left(together), await left(alone));
});

test('who finds no address hears so, and what cannot be made is nobody else’s trouble', async () => {
  await issue(1);
  const { create, said, warned } = desk();
  const short = await Promise.all(['seven', 'eight'].map((name) => create(draftOf(name), ownerOf(idOf(name)))));
  assert.deepEqual(short.map(isRefusal), [false, true]);
  // One for each: an address that another is about to take is passed over.
  await issue(3);
  said.length = 0;
  const names = ['seven', 'nine', 'ten'];
  const made = await Promise.allSettled(names.map((name) => create(draftOf(name), ownerOf(idOf(name)))));
  assert.deepEqual(
    made.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : one.status)),
    ['23505', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(said, ['orders_create', 'orders_create', 'orders_create', 'orders_create']);
  assert.deepEqual(warned, ['3 orders'], 'whoever runs the desk sees it');
});

test('an order that another process made is told of once, though a repeat finds no room', async () => {
  await issue(1);
  const hook = `WITH shop AS (INSERT INTO integration (id, name, fee_percent, fee_address, created_at, updated_at) VALUES ('int_w', 'x', 0, 'x', 1, 1) RETURNING id)
    INSERT INTO webhook (id, integration_id, url, status, retired_at, created_at) SELECT 'hook_w', id, 'x', 'active', '{}', 1 FROM shop`;
  await db.query({ name: 'hook', text: hook });
  const orders = openOrders(db, 'api');
  const [draft, owner] = [draftOf('told'), ownerOf('told', 'int_w')];
  assert.ok('order' in ((await orders.create(draft, owner, 'evm', [])) ?? {}));
  const limit = { of: 'integration', whose: 'int_w', since: instant(0), most: 1 } as const;
  assert.deepEqual(await orders.create(draft, owner, 'evm', [], [limit]), { full: limit });
  assert.equal(await orders.create(draft, owner, 'nowhere', []), undefined);
  const text = 'SELECT type, seq FROM webhook_message WHERE order_id = $1';
  const told = await db.query({ name: 'told', text }, [draft.id]);
  assert.deepEqual(
    told.map(({ type, seq }) => [type, Number(seq)]),
    [['order.created', 1]],
  );
});

test('where the answer is lost nothing is made a second time', async () => {
  await issue(2);
  const { create, said, warned } = desk(true);
  const made = await Promise.allSettled(['p', 'q'].map((name) => create(draftOf(name), ownerOf(idOf(name)))));
  assert.ok(made.every((one) => one.status === 'rejected' && one.reason instanceof Fault));
  assert.deepEqual(said, ['orders_create']);
  assert.deepEqual(warned, ['2 orders']);
  await left('p');
  await left('q');
});
