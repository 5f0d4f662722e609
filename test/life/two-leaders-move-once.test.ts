import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import { treasurer } from '../../src/life/execution/treasury.ts';
import { openJournalBooks } from '../../src/store/journal-books.ts';
import { openLedger } from '../../src/store/ledger.ts';
import { openRoom } from './operator-room.ts';
import { dollars, treasuryDesk } from './treasury-desk.ts';

const COIN = '1337:money' as AssetId;

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room.close());

test('of two leaders who both see that nothing is open, one moves money and the other gives up', async () => {
  const desk = treasuryDesk({ hot: dollars(100_000), venue: dollars(1_400_000) });
  // One of them has lost his place, and does not know it yet: they look in the same moments.
  const leaders = [treasurer(desk.treasury), treasurer(desk.treasury)];
  await desk.passWith(120, async () => void (await Promise.all(leaders.map((tend) => tend()))));
  assert.deepEqual(desk.log, ['to_transit 900000', 'withdraw 900000']);
  assert.deepEqual(desk.onVenue(), { spot: dollars(500_000), unmoved: 0n });
});

test('a leader who stood still since he read the stock moves nothing once another has', async () => {
  for (const [stock, moved] of [
    [{ hot: dollars(100_000), venue: dollars(1_400_000) }, ['to_transit 900000', 'withdraw 900000']],
    [{ hot: dollars(3_000_000), venue: dollars(100_000) }, ['fill 900000', 'to_trading 900000']],
    [{ hot: dollars(1_000_000), venue: dollars(900_000), unmoved: dollars(500) }, ['to_trading 500']],
  ] as const) {
    const desk = treasuryDesk(stock);
    const { venue } = desk.treasury;
    let sleep = async (): Promise<void> => {};
    const unmovedDeposit = async () => {
      const read = await venue.unmovedDeposit();
      await sleep();
      return read;
    };
    const sleeper = treasurer({ ...desk.treasury, venue: { ...venue, unmovedDeposit } });
    await desk.passWith(10, sleeper);
    sleep = async () => {
      sleep = async () => {};
      await desk.pass(120);
    };
    await desk.passWith(1, sleeper);
    assert.deepEqual(desk.log, moved);
  }
});

test('the database lets one move be open at a time, and any number of those that only the journal knew', async () => {
  const ledger = openLedger(room.db, room.clock);
  const journal = openJournalBooks(room.db, room.clock);
  const note = (nonce: number, last = 10) => ledger.noteMove('withdraw', COIN, atoms(5n), nonce, last);
  assert.deepEqual((await Promise.all([note(1), note(2)])).sort(), [false, true]);
  for (const nonce of [3, 4])
    await journal.adoptMove('withdraw', COIN, atoms(5n), { nonce, body: 'bytes' }, instant(nonce));
  assert.equal((await ledger.openMoves()).length, 3);
  assert.equal(await note(5), false);
  for (const { nonce } of (await ledger.openMoves()).slice(0, 1)) await ledger.settleMove(nonce, false);
  assert.equal(await note(6), true, 'what was adopted keeps nothing else from being noted');
  assert.equal(await note(7), false);
  await ledger.settleMove(6, false);
  assert.equal(await ledger.lastMove(), 6);
  assert.equal(await note(8, 5), false, 'another was begun and ended since it was decided');
  assert.equal(await note(8, 6), true);
});
