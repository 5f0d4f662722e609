import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { type Address, chainId, type IntentId, txHash } from '../../src/kernel/ids.ts';
import { openDb } from '../../src/store/db.ts';
import { openDepositBook } from '../../src/store/deposit-book.ts';
import { openIntents } from '../../src/store/intents.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openSightings } from '../../src/store/sightings.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';

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
  const intents = openIntents(db);
  const [one, two] = ['treasury:rebalance:1', 'treasury:rebalance:2'] as IntentId[];
  assert.ok(one && two);
  await db.query({
    name: 'two_intents',
    text: `INSERT INTO intent (id, owner, kind, leg, chain_id, from_account, asset, atoms, to_address, created_at)
      SELECT 'treasury:rebalance:' || n, 'treasury', 'rebalance', n, 101, '"hot"', '101:SOL', 1, 'x', 1
      FROM generate_series(1, 2) AS n`,
  });
  const save = (signed: SignedTransfer, at: number) =>
    db.query({ name: 'save', text: 'SELECT save_attempt($1::jsonb, $2)' }, [
      JSON.stringify({ ...signed, cost: signed.cost.toString() }),
      at,
    ]);
  const first = attempt(one, 'first', ['a', 'b']);
  await save(first, 1);
  assert.deepEqual(await intents.attempt(one), first);
  assert.equal(await intents.lastDead(one), undefined);
  await assert.rejects(save(attempt(two, 'rival', ['b']), 2), /serves two intents/);

  const second = attempt(one, 'second', ['b', 'c']);
  await save(second, 3);
  await intents.bury(first, 'its time is over');
  assert.deepEqual(await intents.attempt(one), second);
  assert.equal(await intents.lastDead(one), 'first');
  assert.deepEqual([...(await intents.busy(['a', 'b', 'c', 'd']))].sort(), ['b', 'c']);
  await save(attempt(two, 'heir', ['a']), 4);
  await assert.rejects(save(attempt(two, 'rival', ['b']), 5), /serves two intents/);

  await intents.bury(first, 'again');
  const [kept] = await db.query({ name: 'proof', text: `SELECT dead_proof FROM attempt WHERE tx_hash = 'first'` });
  assert.equal(kept?.dead_proof, 'its time is over');
  assert.deepEqual([...(await intents.busy(['a']))], ['a'], 'and the heir keeps what it took over');

  const book = openDepositBook(db, 'bitcoin');
  assert.equal(await book.count(), 0);
  await openSightings(db).issue('bitcoin', 7, ['x', 'y'] as Address[]);
  assert.equal(await book.count(), 9);
  assert.deepEqual(await book.indexes(['y', 'z'] as Address[]), new Map([['y', 8]]));
});
