import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { openSieves, openWatched } from '../../src/store/watched.ts';
import { SEAL_KEY } from '../seal-key.ts';

const SPACE = 'evm';

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  const database = await testDatabase(async (url) => void (await migrate(url)));
  db = openDb(database.url, 2);
  drop = database.drop;
});
after(async () => {
  await db.close();
  await drop();
});

const named = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => `0x${(first + n).toString(16).padStart(40, '0')}` as Address);
const issue = (first: number, addresses: readonly Address[]) =>
  openSightings(db, SEAL_KEY).issue(SPACE, first, addresses);

/** What the database was asked by name, beside the answer. */
async function asked(candidates: readonly Address[], watched: ReturnType<typeof sieves>) {
  watched.asked.length = 0;
  const found = await watched.ask(SPACE, candidates);
  return { found, asked: watched.asked };
}
function sieves() {
  const asked: Address[] = [];
  const plain = openWatched(db);
  const ask = openSieves(db, (space, candidates) => {
    asked.push(...candidates);
    return plain(space, candidates);
  });
  return { ask, asked };
}

test('a block full of strangers asks the database of none of them, and finds every address of ours', async () => {
  const ours = named(0, 25_000);
  await issue(0, ours);
  const strangers = named(1_000_000, 5_000);
  const watched = sieves();
  const { found, asked: names } = await asked([...strangers, ...ours], watched);
  assert.deepEqual(found, new Set(ours));
  // One in some hundred thousand strangers is taken for one of ours, and the database says that it is not.
  assert.ok(names.length - ours.length < 10, `${names.length - ours.length} strangers were asked for`);
});

test('an address that was issued a moment ago is watched, on every chain of its family', async () => {
  const watched = sieves();
  const fresh = named(30_000, 2);
  assert.deepEqual(await watched.ask(SPACE, fresh), new Set());
  await issue(25_000, fresh);
  const [one, two] = await Promise.all([watched.ask(SPACE, fresh), watched.ask(SPACE, fresh)]);
  assert.deepEqual([one, two], [new Set(fresh), new Set(fresh)]);
  assert.deepEqual(await watched.ask('bitcoin', fresh), new Set(), 'other families have addresses of their own');
});

test('an address that was written later than its neighbours is watched as well', async () => {
  const watched = sieves();
  const [late, early] = [named(40_000, 1), named(40_001, 3)];
  await issue(25_003, early);
  assert.deepEqual(await watched.ask(SPACE, [...late, ...early]), new Set(early));
  await issue(25_002, late);
  assert.deepEqual(await watched.ask(SPACE, [...late, ...early]), new Set([...late, ...early]));
});
