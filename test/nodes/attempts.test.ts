import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { type Address, chainId, type IntentId, txHash } from '../../src/kernel/ids.ts';
import { openDb } from '../../src/store/db.ts';
import { openDepositBook } from '../../src/store/deposit-book.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openPayments } from '../../src/store/payments.ts';
import { openSightings } from '../../src/store/sightings.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import { SEAL_KEY } from '../seal-key.ts';

const SOLANA = chainId(101);
const attempt = (intent: IntentId, name: string, consumes: readonly string[]): SignedTransfer => ({
  ...{ intent, chainId: SOLANA, txHash: txHash(name), raw: 'ab', consumes, cost: atoms(5n) },
});

test('buried bytes are nobody’s attempt, and what they alone were to spend is free again', async (t) => {
  const place = await testDatabase(async (url) => {
    await migrate(url);
  });
  const db = openDb(place.url);
  t.after(async () => {
    await db.close();
    await place.drop();
  });
  const payments = openPayments(db);
  const [one, two] = ['treasury:rebalance:1', 'treasury:rebalance:2'] as IntentId[];
  assert.ok(one && two);
  await db.query({
    name: 'two_payments',
    text: `INSERT INTO payment (id, owner, purpose, number, version, chain_id, asset, atoms, to_address, state, is_settled, created_at, doc)
      SELECT 'treasury:rebalance:' || n, 'treasury', 'rebalance', n, 0, 101, '101:SOL', 1, 'x', 'reserved', false, 1, '{}'
      FROM generate_series(1, 2) AS n`,
  });
  const save = (signed: SignedTransfer, at: number) =>
    db.query({ name: 'save', text: 'SELECT save_attempt($1::jsonb, $2)' }, [
      JSON.stringify({ ...signed, payment: signed.intent, cost: signed.cost.toString() }),
      at,
    ]);
  const first = attempt(one, 'first', ['a', 'b']);
  await save(first, 1);
  assert.deepEqual(await payments.attempts(one), [first]);
  assert.equal(await payments.lastDead(one), undefined);
  await assert.rejects(save(attempt(two, 'rival', ['b']), 2), /serves two intents/);

  const second = attempt(one, 'second', ['b', 'c']);
  await save(second, 3);
  assert.deepEqual(await payments.attempts(one), [second, first], 'versions that exclude each other, the newest first');
  await payments.bury(first, 'its time is over');
  assert.deepEqual(await payments.attempts(one), [second]);
  assert.equal((await payments.lastDead(one))?.txHash, 'first');
  assert.deepEqual([...(await payments.busy(['a', 'b', 'c', 'd']))].sort(), ['b', 'c']);
  await save(attempt(two, 'heir', ['a']), 4);
  await assert.rejects(save(attempt(two, 'rival', ['b']), 5), /serves two intents/);

  await payments.letGo(second);
  await save(attempt(two, 'taken over', ['b']), 6);
  assert.deepEqual(await payments.attempts(one), [second], 'it is looked for all the same');

  await payments.bury(first, 'again');
  const [kept] = await db.query({ name: 'proof', text: `SELECT dead_proof FROM attempt WHERE tx_hash = 'first'` });
  assert.equal(kept?.dead_proof, 'its time is over');
  assert.deepEqual([...(await payments.busy(['a']))], ['a'], 'and the heir keeps what it took over');

  const book = openDepositBook(db, 'bitcoin');
  assert.equal(await book.count(), 0);
  await openSightings(db, SEAL_KEY).issue('bitcoin', 7, ['x', 'y'] as Address[]);
  assert.equal(await book.count(), 9);
  assert.deepEqual(await book.indexes(['y', 'z'] as Address[]), new Map([['y', 8]]));
});
