import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { AWAY, dollars, HOME, treasuryDesk } from './treasury-desk.ts';

const STRANGER = 'stranger' as Address;
const away = (whole: number): bigint => dollars(whole) * 100n;
/** The hot account runs low, so that 900,000 come home. */
const lowAtHome = () => treasuryDesk({ hot: dollars(100_000), venue: dollars(1_400_000) });
type Desk = ReturnType<typeof treasuryDesk>;
const until = async (desk: Desk, isDone: () => boolean): Promise<void> => {
  for (let seconds = 0; seconds < 60 && !isDone(); seconds += 1) await desk.pass(1);
  assert.ok(isDone());
};
/** The money has changed sides, and the next round withdraws it. */
const beforeWithdrawal = (desk: Desk) => until(desk, () => desk.moves.some(({ isSettled }) => isSettled));
const isWithdrawn = (desk: Desk): boolean => desk.log.some((one) => one === 'withdraw 900000');
const HOUR = 3_600;
const DAY = 24 * HOUR;

test('what is withdrawn is nobody’s to reserve from the moment that the move is noted', async () => {
  const desk = lowAtHome();
  await until(desk, () => isWithdrawn(desk));
  assert.deepEqual(await desk.reserve(away(600_000)), { shortOf: AWAY });
  assert.equal(await desk.reserve(away(500_000)), 'ok');
  await until(desk, () => desk.moves.every(({ isSettled }) => isSettled));
  assert.deepEqual([desk.booked(AWAY), desk.booked(HOME)], [0n, dollars(999_999)]);
});

test('where the treasury no longer has what was to be withdrawn, nothing is signed', async () => {
  const desk = lowAtHome();
  await beforeWithdrawal(desk);
  assert.deepEqual(desk.log, ['to_transit 900000']);
  assert.equal(await desk.reserve(away(1_000_000)), 'ok');
  await desk.pass(30);
  assert.ok(!isWithdrawn(desk), desk.log.join());
});

test('a move that the signer refuses gives its money back at once, and is tried anew', async () => {
  const desk = lowAtHome();
  await beforeWithdrawal(desk);
  desk.troubles.refusal = new Fault('permanent', 'signer', 'over_daily_cost: too much');
  for (let rounds = 0; rounds < 3; rounds += 1) await assert.rejects(desk.pass(1), /over_daily_cost/);
  assert.equal(desk.booked(AWAY), away(1_400_000));
  desk.troubles.refusal = undefined;
  await desk.pass(60);
  assert.deepEqual(desk.log, ['to_transit 900000', 'withdraw 900000']);
});

test('a move whose signing nobody answered is signed by who comes next, once', async () => {
  const desk = lowAtHome();
  await beforeWithdrawal(desk);
  desk.troubles.refusal = new Fault('ambiguous', 'signer', 'no answer');
  await assert.rejects(desk.pass(1), /no answer/);
  assert.equal(desk.booked(AWAY), away(500_000), 'it may have been signed');
  desk.troubles.refusal = undefined;
  desk.restartAfter(30);
  await desk.pass(60);
  assert.deepEqual(desk.log, ['to_transit 900000', 'withdraw 900000']);
  assert.equal(desk.booked(AWAY), away(500_000));
});

test('a move of the version before, and one that only the journal knew, is covered before it shows', async () => {
  const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
  await desk.pass(11);
  desk.adopt('withdraw', away(300_000));
  await desk.pass(1);
  assert.equal(desk.booked(AWAY), away(700_000));
  await desk.pass(60);
  assert.equal(desk.booked(AWAY), away(700_000));
  assert.ok(desk.moves.every(({ isSettled }) => isSettled));
});

test('a withdrawal that the ledger cannot cover is said in every round, and booked when it can', async () => {
  const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
  await desk.pass(11);
  assert.equal(await desk.reserve(away(900_000)), 'ok');
  desk.adopt('withdraw', away(300_000));
  await assert.rejects(desk.pass(1), /takes .* that are not free/);
  for (let seconds = 0; seconds < 40; seconds += 1) await desk.pass(1).catch(() => {});
  assert.equal(desk.booked(AWAY), away(100_000), 'nothing is posted by halves');
  assert.ok(desk.moves.some(({ isSettled }) => !isSettled));
  desk.inflow(AWAY, away(250_000));
  for (let seconds = 0; seconds < 40; seconds += 1) await desk.pass(1).catch(() => {});
  await desk.pass(11);
  const left = desk.postings().filter(({ to, amount: { asset } }) => to === 'world' && asset === AWAY);
  assert.deepEqual(
    left.map(({ amount: { atoms: value } }) => value),
    [away(300_000)],
  );
});

test('a row of ours that nobody has money for throws, after the rows behind it were taken', async () => {
  const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
  await desk.pass(11);
  desk.row('withdraw', away(2_000_000), { nonce: 17 });
  desk.row('send_in', 7n, { counterparty: STRANGER });
  await assert.rejects(desk.pass(11), /took 1337:USDC that the ledger says is not there/);
  assert.equal(desk.booked(AWAY), away(1_000_000) + 7n);
});

test('a move that the venue never took is asked for seldom, posted on, and dead when its nonce is', async () => {
  const desk = lowAtHome();
  await beforeWithdrawal(desk);
  desk.troubles.deaf = true;
  await desk.pass(17);
  const asked = desk.questions();
  await desk.pass(60);
  assert.ok(desk.questions() - asked <= 7, `${desk.questions() - asked} questions in a minute`);
  desk.sleep(HOUR);
  await desk.pass(1);
  const [nonce] = desk.moves.filter(({ isSettled }) => !isSettled).map((one) => one.nonce);
  assert.ok(desk.cases.includes(`venue_move_unseen ${nonce}`));
  desk.sleep(2 * DAY);
  await desk.pass(30);
  assert.ok(
    desk.moves.some((one) => one.nonce === nonce && one.isDead),
    'by a reading that began when the nonce was dead',
  );
  assert.ok(desk.over.includes(`venue_move_unseen ${nonce}`));
  desk.troubles.deaf = false;
  await desk.pass(120);
  assert.deepEqual(desk.log.slice(-1), ['withdraw 900000'], 'rebalancing goes on');
  assert.equal(desk.booked(AWAY), away(500_000));
});

test('before its nonce is dead a move is posted again, even after a day', async () => {
  const desk = lowAtHome();
  await beforeWithdrawal(desk);
  desk.troubles.deaf = true;
  await desk.pass(30);
  desk.sleep(DAY);
  desk.troubles.deaf = false;
  await desk.pass(60);
  assert.deepEqual(desk.log.slice(-1), ['withdraw 900000']);
  assert.ok(desk.moves.every(({ isSettled, isDead }) => isSettled && !isDead));
});

test('a person who closes the case gives the move up, and what comes of it after all is booked', async () => {
  const desk = lowAtHome();
  await beforeWithdrawal(desk);
  desk.troubles.deaf = true;
  await desk.pass(30);
  desk.sleep(HOUR);
  await desk.pass(1);
  const [open] = desk.moves.filter(({ isSettled }) => !isSettled);
  assert.ok(open);
  desk.closedByHand.add(`venue_move_unseen ${open.nonce}`);
  desk.troubles.refusal = new Fault('permanent', 'signer', 'no more of it');
  await desk.pass(11).catch(() => {});
  assert.equal(desk.booked(AWAY), away(1_400_000));
  desk.row('withdraw', open.atoms - 100_000_000n, { fee: atoms(100_000_000n), nonce: open.nonce });
  for (let seconds = 0; seconds < 15; seconds += 1) await desk.pass(1).catch(() => {});
  assert.equal(desk.booked(AWAY), away(500_000));
});

test('a flood of dust does not keep what lies behind it from being seen', async () => {
  const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
  await desk.pass(11);
  for (let index = 0; index < 5_000; index += 1)
    desk.row('send_in', 1n, { counterparty: STRANGER, at: (desk.now() + Math.floor(index / 100)) as never });
  for (let index = 0; index < 900; index += 1)
    desk.row('send_in', 1n, { counterparty: STRANGER, at: (desk.now() + 60) as never });
  desk.row('deposit', away(50), { at: (desk.now() + 70) as never });
  await desk.pass(11);
  assert.ok(desk.booked(AWAY) < away(1_000_001), 'one page at a look');
  await desk.pass(140);
  assert.equal(desk.booked(AWAY), away(1_000_050) + 5_500n);
  assert.match(desk.cases.join(), /venue_row_unexpected at \d+, and more than can be read/);
  desk.restartAfter(60);
  desk.row('deposit', away(3));
  const asked = desk.questions();
  await desk.pass(150);
  assert.equal(desk.booked(AWAY), away(1_000_053) + 5_500n);
  assert.ok(desk.questions() - asked < 20);
});
