import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { resume } from '../../src/life/order/resume.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { usdc } from './market.ts';
import { after, buyOrder, isIgnored, minute, observed } from './world.ts';

const BACK_MINUTES = RULES.comesBackMs / 60_000;
const seenInTime = (minutes: number): Fact =>
  observed(usdc('100'), usdc('0'), minute(minutes), { firstSeenAt: minute(50) });
const gone = (minutes: number): Fact => observed(usdc('0'), usdc('0'), minute(minutes));
const timeIsUp = (minutes: number): Fact => ({ fact: 'deadline_passed', at: minute(minutes) });

/** Seen before its hour was over, and not final when it was. */
const overdue = (): Order => after(buyOrder(), seenInTime(50), seenInTime(61));

test('what a reorganisation took after the deadline is not late when it is mined again', () => {
  const without = after(overdue(), gone(62));
  assert.equal(without.state.phase, 'awaiting_deposit');
  assert.ok(isIgnored(without, timeIsUp(62)), 'its time is not over yet');
  const back = after(without, seenInTime(64));
  assert.equal(back.state.phase, 'confirming');
  const final = observed(usdc('100'), usdc('100'), minute(70), { firstSeenAt: minute(50) });
  assert.equal(after(back, final).state.phase, 'screening');
});

test('what does not come back is waited for no longer than that, also by an engine that begins meanwhile', () => {
  const left = transition(overdue(), gone(62), RULES);
  assert.ok(left !== 'ignore');
  const due = minute(62 + BACK_MINUTES);
  assert.deepEqual(left.effects, [{ effect: 'judge_deadline', due }]);
  assert.deepEqual(resume(left.order, minute(63)), [{ effect: 'judge_deadline', due }]);
  assert.equal(after(left.order, timeIsUp(62 + BACK_MINUTES)).state.phase, 'expired');
});

test('what left the chain well before the deadline is waited for until then, as any deposit', () => {
  const without = after(buyOrder(), seenInTime(50), gone(52));
  assert.deepEqual(without.state, { phase: 'awaiting_deposit' });
  assert.equal(after(without, timeIsUp(60)).state.phase, 'expired');
});

test('whoever takes it back again and again comes to an end', () => {
  const last = 60 + RULES.topUpPatienceMs / 60_000;
  const without = after(overdue(), gone(62), seenInTime(64), gone(last));
  assert.equal(after(without, timeIsUp(last)).state.phase, 'expired');
});
