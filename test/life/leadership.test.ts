import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { scannerSeat } from '../../src/app/seats.ts';
import { openLeadership } from '../../src/engine/leader.ts';
import { chainId } from '../../src/kernel/ids.ts';
import { openDb } from '../../src/store/db.ts';

const [MONERO, SOLANA] = [scannerSeat(chainId(0)), scannerSeat(chainId(1_151_111_081_099_710))];

test('one process scans a chain, whatever place the chain has in its settings, and another takes over when it goes', async (t) => {
  const database = await testDatabase(nothing);
  const db = openDb(database.url, 3);
  const waiting: (() => void)[] = [];
  const open = () =>
    openLeadership(
      db,
      () => {},
      (forget) => void waiting.push(forget),
    );
  const [first, second] = await Promise.all([open(), open()]);
  t.after(async () => {
    await second.close();
    await db.close();
    await database.drop();
  });
  assert.ok(await first.leads(MONERO));
  assert.ok(await first.leads(MONERO), 'it keeps its seat');
  assert.equal(await second.leads(MONERO), false);
  assert.ok(await second.leads(SOLANA), 'the number of a chain may be larger than a lock’s');
  assert.equal(await first.leads(SOLANA), false);
  await first.close();
  assert.equal(await second.leads(MONERO), false, 'it does not ask at every call');
  for (const forget of waiting) forget();
  assert.ok(await second.leads(MONERO));
});

async function nothing(): Promise<void> {}
