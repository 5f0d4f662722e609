import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import type { Opening } from '../../src/engine/desk.ts';
import { type DeskParts, openDesk } from '../../src/engine/open-desk.ts';
import { later } from '../../src/kernel/clock.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import { isRefusal, refuse } from '../../src/kernel/refusal.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { buyOrder, CREATED } from './world.ts';

let dbs: readonly Db[];
let drop: () => Promise<void>;
before(async () => {
  const database = await testDatabase(async (url) => void (await migrate(url)));
  dbs = [openDb(database.url, 4), openDb(database.url, 4)];
  drop = database.drop;
  const addresses = Array.from({ length: 200 }, (_, n) => `deposit ${n}` as Address);
  await openSightings(db(0), SEAL_KEY).issue('evm', 0, addresses);
});
after(async () => {
  for (const one of dbs) await one.close();
  await drop();
});

const db = (process: number): Db => dbs[process] ?? assert.fail('there are two');

/** The desk of a process of its own. */
function desk(process: number) {
  const parts = { orders: openOrders(db(process), 'api'), spaceOf: () => 'evm', cache: {}, feed: {} };
  return openDesk(parts as unknown as DeskParts);
}

const since = later(CREATED, -1);
const opening = (of: 'client' | 'integration', whose: string, most: number): Opening => ({
  limit: { of, whose, since, most },
  otherwise: refuse('rate_limited', `${of} ${whose}`),
});
let made = 0;
/** An order that a client asks for in one of the processes; what is said where there is no room for it. */
async function ask({ create }: ReturnType<typeof desk>, openings: readonly Opening[], owner: object): Promise<string> {
  made += 1;
  const id = `sw_${String(made).padStart(26, 'a')}` as OrderId;
  const { depositAddress: _, depositIndex: __, ...draft } = buyOrder();
  const whole = { sessionHash: id, integrationId: undefined, keyId: undefined, clientHash: 'x', ...owner };
  const placed = await create({ ...draft, id }, whole, openings);
  return isRefusal(placed) ? placed.message : 'made';
}

/** How often each was said. */
const counted = (said: readonly string[]) =>
  Object.fromEntries([...new Set(said)].sort().map((one) => [one, said.filter((other) => other === one).length]));

/** So many in each of two processes, a few of them alone and most in turns of many. */
async function rush(each: number, one: (process: ReturnType<typeof desk>, nth: number) => Promise<string>) {
  const processes = [desk(0), desk(1)];
  const asked = processes.flatMap((process) =>
    Array.from({ length: each }, async (_, nth) => {
      for (let turns = 0; turns < nth % 5; turns += 1) await new Promise(setImmediate);
      return one(process, nth);
    }),
  );
  return counted(await Promise.all(asked));
}

test('two processes that make orders for one client at the same moment make as many as it may have open', async () => {
  const openings = [opening('client', 'ann', 20)];
  const make = (process: ReturnType<typeof desk>) => ask(process, openings, { clientHash: 'ann' });
  assert.deepEqual(await rush(40, make), { 'client ann': 60, made: 20 });
  await query("UPDATE orders SET is_open = false WHERE id = (SELECT id FROM orders WHERE client_hash = 'ann' LIMIT 1)");
  assert.deepEqual(await rush(2, make), { 'client ann': 3, made: 1 });
});

test('a company and each of its end users keep to their own, in one turn and in many', async () => {
  const users = ['u1', 'u2', 'u3'];
  const make = (process: ReturnType<typeof desk>, nth: number) => {
    const clientHash = users[nth % 3] ?? '';
    const openings = [opening('integration', 'int_shop', 7), opening('client', clientHash, 3)];
    return ask(process, openings, { clientHash, integrationId: 'int_shop', keyId: 'k' });
  };
  const { made, ...refused } = await rush(30, make);
  assert.equal(made, 7);
  assert.equal(
    Object.values(refused).reduce((sum, one) => sum + one, 0),
    53,
  );
  const most = await query(
    'SELECT max(n) AS most FROM (SELECT count(*) AS n FROM orders WHERE integration_id IS NOT NULL GROUP BY client_hash) AS each',
  );
  assert.equal(Number(most[0]?.most), 3);
});

test('whoever has no limit waits for nobody, and takes no address where there is no room', async () => {
  const free = async () =>
    Number((await query('SELECT count(*) AS n FROM deposit_address WHERE order_id IS NULL'))[0]?.n);
  const before = await free();
  assert.deepEqual(await rush(20, (process) => ask(process, [], { clientHash: 'bob' })), { made: 40 });
  assert.deepEqual(await rush(20, (process) => ask(process, [opening('client', 'bob', 1)], { clientHash: 'bob' })), {
    'client bob': 40,
  });
  assert.equal(before - (await free()), 40);
});

const query = (text: string) => db(0).query({ name: `test ${text.length}`, text });
