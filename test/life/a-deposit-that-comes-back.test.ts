import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { resume } from '../../src/life/order/resume.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { customerState } from '../../src/life/order/view/v2-customer.ts';
import { STRAY, usdc, xmr } from './market.ts';
import { after, buyOrder, final, isIgnored, minute, observed, paidBack, place, sellOrder } from './world.ts';

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

test('a speck that lies beside it, a part that stays, or coins under the minimum take nothing of that time', () => {
  const specked = (seen: string, minutes: number): Fact =>
    observed(usdc(seen), usdc('0.01'), minute(minutes), { firstSeenAt: minute(10) });
  const besideSpeck = after(buyOrder(), specked('100.01', 50), specked('0.01', 62));
  assert.ok(isIgnored(besideSpeck, timeIsUp(62)));
  assert.equal(after(besideSpeck, specked('100.01', 63)).state.phase, 'confirming');

  const part = (seen: string, minutes: number): Fact =>
    observed(usdc(seen), usdc('60'), minute(minutes), { firstSeenAt: minute(50) });
  const besidePart = after(buyOrder(), part('100', 58), part('60', 62));
  assert.ok(isIgnored(besidePart, timeIsUp(62)), 'the rest is waited for');
  assert.equal(after(besidePart, part('100', 63)).state.phase, 'confirming');
  const alone = after(besidePart, timeIsUp(62 + BACK_MINUTES));
  assert.deepEqual([alone.state.phase, alone.used], ['screening', usdc('60')]);

  const coins = (seen: string, minutes: number): Fact =>
    observed(xmr(seen), xmr('0.05'), minute(minutes), { firstSeenAt: minute(50) });
  const ofCoins = after(sellOrder(), coins('1.05', 58), coins('0.05', 62));
  assert.ok(isIgnored(ofCoins, timeIsUp(62)));
  assert.equal(after(ofCoins, coins('1.05', 63)).state.phase, 'confirming');
});

test('what was too little to go on with, and left the chain in the last minute, is waited for as well', () => {
  const part = (seen: string, minutes: number): Fact =>
    observed(usdc(seen), usdc('0'), minute(minutes), { firstSeenAt: minute(50) });
  const without = after(buyOrder(), part('60', 50), part('0', 59.9));
  assert.ok(isIgnored(without, timeIsUp(60)));
  const back = after(without, part('60', 60.2));
  assert.equal(after(back, timeIsUp(59.9 + BACK_MINUTES)).state.phase, 'confirming', 'and goes on on what arrived');
});

test('specks that come and go put nothing off', () => {
  const speck = (seen: string, minutes: number): Fact => observed(usdc(seen), usdc('0'), minute(minutes));
  const order = after(buyOrder(), speck('0.5', 58), speck('0', 59));
  assert.deepEqual(order.state, { phase: 'awaiting_deposit' });
  assert.equal(after(order, timeIsUp(60)).state.phase, 'expired');
});

test('nobody is asked to pay again, or to close a wait, while it may come back', () => {
  const without = after(overdue(), gone(62));
  const checking = { kind: 'notice', notice: 'checking', observedDepositAmount: '0' };
  assert.deepEqual(customerState(without, RULES), checking);
  const partly = after(overdue(), observed(usdc('60'), usdc('0'), minute(62), { firstSeenAt: minute(50) }));
  assert.deepEqual(customerState(partly, RULES), { ...checking, observedDepositAmount: usdc('60').atoms.toString() });
  assert.ok(isIgnored(partly, { fact: 'wait_closed', at: minute(63) }));
});

test('the same money under another name, as a wallet that bids more sends it, was seen when the first was', () => {
  const renamed = (minutes: number, firstSeen: number): Fact =>
    observed(usdc('100'), usdc('100'), minute(minutes), { firstSeenAt: minute(firstSeen) });
  assert.equal(after(overdue(), renamed(75, 65)).state.phase, 'screening', 'while it was in sight');
  assert.equal(after(overdue(), gone(62), renamed(64, 63)).state.phase, 'screening', 'and once it was away');
  const late = after(buyOrder(), renamed(75, 65));
  assert.notEqual(late.state.phase, 'screening', 'but what nobody saw in time is late');
});

test('money that strayed and was given back meanwhile does not end the order', () => {
  const home = place(STRAY, 'home');
  const strayed: Fact = {
    ...{ fact: 'stray_observed', total: { asset: STRAY, atoms: usdc('100').atoms }, from: { deposit: 7 } },
    at: minute(40),
  };
  const given = after(buyOrder(), strayed, { fact: 'refund_address_given', to: home, at: minute(41) }, seenInTime(50));
  const without = after(given, seenInTime(61), gone(62));
  const paid = after(without, ...paidBack(without, 1, minute(63)));
  assert.equal(paid.state.phase, 'awaiting_deposit');
  assert.equal(after(paid, seenInTime(64), final(usdc('100'), minute(80))).state.phase, 'screening');
});
