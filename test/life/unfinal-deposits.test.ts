import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import type { Address, TxHash } from '../../src/kernel/ids.ts';
import type { Statement } from '../../src/store/db.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { USDC } from './market.ts';
import { openPast, transferOf } from './past.ts';

let room: CaseRoom;
before(async () => {
  room = await openCaseRoom();
});
after(() => room.close());

const SEEN: Statement = {
  name: 'story_seen',
  text: `INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, height, block_hash, first_seen_at, state, credited, changed)
    VALUES ($1, $2, 'stories', $3, $4, $5, $6, 1, 'block', 0, $7, 0, false)`,
};
const [HOT, DEPOSIT] = ['hot', 'deposit'] as Address[] as [Address, Address];

test('what others sent is counted until it is final, at one address or at all, and what we sent ourselves is not', async () => {
  const past = openPast(room);
  const { sightings, ledger } = past.books;
  const ours = transferOf('treasury:rebalance:1', 'rebalance', 4);
  await past.restore(ours);
  assert.ok(ours.signed === 'transfer');
  let number = 0;
  const seen = async (address: Address, value: bigint, state: string, hash?: TxHash): Promise<void> => {
    number += 1;
    await room.db.query(SEEN, [USDC.chainId, `${number}`, address, USDC.id, `${value}`, hash ?? `tx ${number}`, state]);
  };
  await seen(HOT, 1n, 'mined');
  await seen(HOT, 20n, 'pool');
  await seen(HOT, 300n, 'mined', ours.answer.txHash);
  await seen(HOT, 4_000n, 'final');
  await seen(DEPOSIT, 50_000n, 'mined');
  await seen(DEPOSIT, 600_000n, 'gone');
  assert.deepEqual(await sightings.unfinal(USDC.id, HOT), { mined: 1n, pool: 20n });
  assert.deepEqual(await sightings.unfinal(USDC.id, undefined), { mined: 50_001n, pool: 20n });

  const reading = { spendable: atoms(90n), locked: atoms(10n), expected: atoms(40n), cost: undefined };
  const read = (unfinal: Atoms) => ledger.saveReading(USDC.id, { ...reading, unfinal });
  await read(atoms(60n));
  assert.deepEqual([await ledger.drift(USDC.id), await ledger.beyondLedger(USDC.id)], [0n, 60n]);
  await read(atoms(0n));
  assert.deepEqual([await ledger.drift(USDC.id), await ledger.beyondLedger(USDC.id)], [60n, 60n]);
});
