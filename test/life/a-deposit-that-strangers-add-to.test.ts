import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { add } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { resume } from '../../src/life/order/resume.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { v1Status } from '../../src/life/order/view/v1-status.ts';
import { customerState, refundRecoveries, v2Status } from '../../src/life/order/view/v2-customer.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { usdc, xmr } from './market.ts';
import { NEEDS, transfer } from './scripted-chain.ts';
import {
  after as afterFacts,
  buyOrder,
  final,
  isIgnored,
  minute,
  observed,
  phaseAfter,
  pooled,
  sellOrder,
} from './world.ts';

let room: DepositRoom;
before(async () => {
  room = await openDepositRoom();
  await room.round();
});
after(() => room.close());

const SPECK = usdc('0.000001');
const REST_MINUTES = RULES.restPatienceMs / 60_000;
const TOP_UP_MINUTES = RULES.topUpPatienceMs / 60_000;

const timeIsUp = (minutes: number): Fact => ({ fact: 'deadline_passed', at: minute(minutes) });
const withMore = (seen: string, confirmed: string, minutes: number): Fact =>
  observed(usdc(seen), usdc(confirmed), minute(minutes), { firstSeenAt: minute(5) });

/** The times at which the order asks to be looked at after this fact. */
function asksFor(order: Order, fact: Fact) {
  const outcome = transition(order, fact, RULES);
  assert.ok(outcome !== 'ignore');
  return outcome.effects.map((effect) => ('due' in effect ? [effect.effect, effect.due] : [effect.effect]));
}

async function orderOf(): Promise<Order> {
  const id = await room.keep({ ...buyOrder(), expiresAt: instant(room.clock.now() + 60 * 60_000) });
  return room.find(id);
}

describe('a stranger who sends a speck to a paid order in every block', () => {
  test('holds up nothing: it goes on as soon as what it asked for is final, and the specks are noted beside it', async () => {
    const order = await orderOf();
    room.mine(1, transfer('the customer pays', order.depositAddress, usdc('100')));
    for (let n = 0; n < NEEDS.small + 3; n += 1) {
      room.mine(1, transfer(`speck ${n}`, order.depositAddress, SPECK));
      await room.round();
    }
    const held = await room.find(order.id);
    assert.deepEqual([held.state.phase, v2Status(held)], ['screening', 'processing']);
    assert.ok(held.used.atoms < add(usdc('100'), usdc('0.00001')).atoms && held.used.atoms >= usdc('100').atoms);
    room.mine(NEEDS.small);
    await room.round();
    const later = await room.find(order.id);
    assert.deepEqual(
      [later.used, refundRecoveries(later)],
      [held.used, []],
      'specks are neither carried out nor shown',
    );
    assert.equal(later.claims.length, 1, 'and are one claim');
  });

  test('waits for nothing on a coin that executes as it comes, either', () => {
    const order = afterFacts(sellOrder(), observed(xmr('1.000000000001'), xmr('1'), minute(25)));
    assert.deepEqual([order.state.phase, order.used], ['screening', xmr('1')]);
  });

  test('does not end a wait for more: what is final must be enough by itself', () => {
    const half = afterFacts(buyOrder(), withMore('98.5', '98', 10));
    assert.equal(half.state.phase, 'awaiting_deposit');
    const closedAt = afterFacts(half, timeIsUp(60));
    assert.deepEqual([closedAt.state.phase, closedAt.used], ['screening', usdc('98')], 'at the deadline it does');
  });
});

describe('more than a speck that does not become final', () => {
  const paid = afterFacts(buyOrder(), pooled(usdc('100'), minute(5)));
  const held = afterFacts(paid, withMore('140', '100', 20));

  test('is waited for, for as long as an honest top-up takes', () => {
    assert.deepEqual([held.state.phase, v1Status(held)], ['confirming', 'deposit_detected']);
    assert.deepEqual(asksFor(paid, withMore('140', '100', 20)), [['judge_deadline', minute(20 + REST_MINUTES)]]);
    const whole = afterFacts(held, withMore('140', '140', 20 + REST_MINUTES - 1));
    assert.deepEqual([whole.state.phase, whole.used], ['screening', usdc('140')], 'all that arrived is carried out');
  });

  test('holds the order no longer than that; it is owed when it is final', () => {
    assert.ok(isIgnored(held, timeIsUp(20 + REST_MINUTES - 0.01)));
    const goesOn = afterFacts(held, timeIsUp(20 + REST_MINUTES));
    assert.deepEqual([goesOn.state.phase, goesOn.used, goesOn.claims], ['screening', usdc('100'), []]);
    const late = afterFacts(goesOn, withMore('140', '140', 300));
    assert.deepEqual([late.used, late.claims.map(({ amount }) => amount)], [usdc('100'), [usdc('40')]]);
    assert.deepEqual(customerState(late, RULES), { kind: 'action_required', action: 'refund_address' });
    const gone = afterFacts(goesOn, withMore('100', '100', 300));
    assert.deepEqual(
      [gone.funds.missing, gone.claims],
      [undefined, []],
      'and what was spent elsewhere is missed by nobody',
    );
  });

  test('puts nothing off by coming again and again', () => {
    let order = held;
    for (let n = 1; n < REST_MINUTES; n += 1) {
      const fact = withMore(`${140 + 2 * n}`, `${98 + 2 * n}`, 20 + n);
      assert.deepEqual(asksFor(order, fact), [], 'no second clock for one wait');
      order = afterFacts(order, fact);
    }
    assert.equal(order.state.phase, 'confirming');
    assert.equal(
      phaseAfter(order, withMore('300', '218', 20 + REST_MINUTES)),
      'screening',
      'whatever tells it the time',
    );
  });

  test('is no credit: until something is final there is nothing to go on with, whatever the clock says', () => {
    assert.deepEqual([paid.state.phase, resume(paid, minute(600))], ['confirming', []]);
    assert.ok(isIgnored(paid, timeIsUp(600)));
  });

  test('is timed again after its instruction was lost, or where nobody had set a limit', () => {
    assert.deepEqual(resume(held, minute(30)), [{ effect: 'judge_deadline', due: minute(20 + REST_MINUTES) }]);
    const unlimited: Order = { ...held, state: { phase: 'confirming', closed: false } };
    assert.deepEqual(resume(unlimited, minute(600)), [{ effect: 'judge_deadline', due: minute(600) }]);
    assert.deepEqual(asksFor(unlimited, timeIsUp(600)), [['judge_deadline', minute(600 + REST_MINUTES)]]);
  });
});

describe('a part that is final beside one that is not', () => {
  const part = afterFacts(buyOrder(), final(usdc('60'), minute(20), { firstSeenAt: minute(5) }));
  const topped = afterFacts(part, withMore('100', '60', 59));

  test('is joined by a top-up of the last minute, which has hours to become final', () => {
    assert.equal(topped.state.phase, 'confirming');
    assert.ok(isIgnored(topped, timeIsUp(60)));
    const whole = afterFacts(topped, withMore('100', '100', 60 + TOP_UP_MINUTES - 1));
    assert.deepEqual([whole.state.phase, whole.used], ['screening', usdc('100')]);
  });

  test('goes on without a top-up that no block takes', () => {
    const goesOn = afterFacts(topped, timeIsUp(60 + TOP_UP_MINUTES));
    assert.deepEqual([goesOn.state.phase, goesOn.used], ['screening', usdc('60')]);
  });

  test('is not held longer by a top-up that is taken back and sent anew', () => {
    let order = topped;
    for (let n = 70; n < 60 + TOP_UP_MINUTES; n += 10)
      order = afterFacts(order, withMore('60', '60', n), withMore('100', '60', n));
    assert.equal(order.state.phase, 'confirming');
    assert.equal(phaseAfter(order, timeIsUp(60 + TOP_UP_MINUTES)), 'screening');
    const after = afterFacts(order, withMore('60', '60', 60 + TOP_UP_MINUTES));
    assert.equal(phaseAfter(after, withMore('100', '60', 60 + TOP_UP_MINUTES)), 'screening');
  });

  test('that is worth too little is owed back, though more was seen', () => {
    const little = afterFacts(buyOrder(), withMore('100', '9', 20));
    assert.equal(little.state.phase, 'confirming');
    const owed = afterFacts(little, timeIsUp(60 + TOP_UP_MINUTES));
    assert.deepEqual([owed.state.phase, owed.claims.map(({ amount }) => amount)], ['expired', [usdc('9')]]);
    assert.deepEqual(customerState(owed, RULES), { kind: 'action_required', action: 'refund_address' });
  });

  test('sets no limit where it is a speck: what its customer sent is waited for', () => {
    const specked = afterFacts(buyOrder(), withMore('100.5', '0.5', 20));
    assert.equal(specked.state.phase, 'confirming');
    assert.ok(isIgnored(specked, timeIsUp(60 + TOP_UP_MINUTES)));
    const whole = afterFacts(specked, withMore('100.5', '100.5', 900));
    assert.deepEqual([whole.state.phase, whole.used], ['screening', usdc('100.5')]);
  });

  test('under the minimum of a coin that executes as it comes is owed back as well', () => {
    const small = afterFacts(sellOrder(), final(xmr('0.05'), minute(30)));
    assert.equal(small.state.phase, 'below_minimum');
    const held = afterFacts(small, observed(xmr('0.1'), xmr('0.05'), minute(59), { firstSeenAt: minute(5) }));
    const owed = afterFacts(held, timeIsUp(60 + TOP_UP_MINUTES));
    assert.deepEqual([held.state.phase, owed.state.phase], ['confirming', 'expired']);
    assert.deepEqual(
      owed.claims.map(({ amount }) => amount),
      [xmr('0.05')],
    );
  });

  test('goes on soon where the customer said not to wait', () => {
    const closed = afterFacts(part, withMore('90', '60', 30), { fact: 'wait_closed', at: minute(31) });
    assert.equal(closed.state.phase, 'confirming');
    assert.equal(phaseAfter(closed, timeIsUp(31 + REST_MINUTES)), 'screening');
  });
});
