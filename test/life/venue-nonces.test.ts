import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { instant } from '../../src/kernel/clock.ts';
import { chainId, type IntentId, intentId, type OrderId } from '../../src/kernel/ids.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { openJournalBooks } from '../../src/store/journal-books.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openPayments } from '../../src/store/payments.ts';
import { openTrades } from '../../src/store/trades.ts';

const VENUE = chainId(1337);
const NOW = instant(1_800_000_000_000);
const OWNER = `dep_${'a'.repeat(32)}` as OrderId;

let engines: readonly [Db, Db];
let drop: () => Promise<void>;
let made = 0;

before(async () => {
  const database = await testDatabase(async (url) => {
    await migrate(url);
  });
  engines = [openDb(database.url, 8), openDb(database.url, 8)];
  drop = database.drop;
});

after(async () => {
  await Promise.all(engines.map((db) => db.close()));
  await drop();
});

function newIntent(): IntentId {
  made += 1;
  return intentId(OWNER, 'payout', made);
}

/** Trades and payments that want a number of the venue's account at the same time, in two engines. */
async function together(now: number): Promise<{ readonly numbers: readonly number[]; readonly payment: IntentId }> {
  const ids = Array.from({ length: 20 }, newIntent);
  const takers = ids.flatMap((id, i) => {
    const db = engines[i % 2 === 0 ? 0 : 1];
    return [openTrades(db).nextNonce(instant(now)), openPayments(db).takeNonce(id, VENUE, 'hot', now)];
  });
  return { numbers: await Promise.all(takers), payment: ids[0] as IntentId };
}

test('trades and payments of the venue account never get the same number, and none is behind the clock', async () => {
  const first = await together(NOW);
  assert.equal(new Set(first.numbers).size, 40);
  assert.equal(Math.min(...first.numbers), NOW);
  assert.equal(Math.max(...first.numbers), NOW + 39);
  // In the same millisecond they go on above; later they follow the clock.
  const second = await together(NOW);
  assert.equal(Math.min(...second.numbers), NOW + 40);
  const third = await together(NOW + 60_000);
  assert.equal(Math.min(...third.numbers), NOW + 60_000);
});

test('a payment keeps its number, and one that was never signed goes to whoever comes next', async () => {
  const [db] = engines;
  const payments = openPayments(db);
  const { payment } = await together(NOW + 120_000);
  const own = await payments.takeNonce(payment, VENUE, 'hot', NOW + 180_000);
  assert.equal(await payments.takeNonce(payment, VENUE, 'hot', NOW + 240_000), own);

  const refused = newIntent();
  const given = await payments.takeNonce(refused, VENUE, 'hot', NOW + 300_000);
  await payments.returnNonce(refused);
  assert.equal(await openTrades(db).nextNonce(instant(NOW)), given);
});

test('a number that came back while later ones were in use is taken by the next payment, so that none waits for ever', async () => {
  const [db] = engines;
  const payments = openPayments(db);
  const chain = chainId(42_161);
  const take = (intent: IntentId, node: number) => payments.takeNonce(intent, chain, 'hot', node);
  const [refused, paid, next, after] = [newIntent(), newIntent(), newIntent(), newIntent()];
  assert.deepEqual([await take(refused, 7), await take(paid, 7)], [7, 8]);
  await payments.returnNonce(refused);
  await payments.returnNonce(refused);
  assert.equal(await take(next, 7), 7, 'the gap is filled');
  assert.equal(await take(after, 7), 9);
  assert.equal(await take(refused, 7), 10, 'it begins anew');
});

test('a number that came back and that the chain or the journal knows is used by nobody', async () => {
  const [db] = engines;
  const payments = openPayments(db);
  const chain = chainId(10);
  const take = (intent: IntentId, node: number) => payments.takeNonce(intent, chain, 'hot', node);
  const gone = [newIntent(), newIntent()] as const;
  const later = newIntent();
  assert.deepEqual([await take(gone[0], 3), await take(gone[1], 3), await take(later, 3)], [3, 4, 5]);
  for (const intent of gone) await payments.returnNonce(intent);
  await openJournalBooks(db, { now: () => instant(NOW) }).keepNonce(chain, 'hot', 5);
  assert.equal(await take(newIntent(), 4), 6, 'the chain is past 3, and the signer signed 4');
});
