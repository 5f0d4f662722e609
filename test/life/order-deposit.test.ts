import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { amount, subtract } from '../../src/kernel/amount.ts';
import { type Instant, isoTime, later } from '../../src/kernel/clock.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { may } from '../../src/life/order/command.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Step } from '../../src/life/order/step.ts';
import { transition } from '../../src/life/order/transition.ts';
import { v1Status } from '../../src/life/order/view/v1-status.ts';
import { customerState, refundRecovery, v2Status } from '../../src/life/order/view/v2-customer.ts';
import { USDC, usdc, XMR, xmr } from './market.ts';
import {
  after,
  buyOrder,
  final,
  isIgnored,
  minute,
  observed,
  paidBack,
  phaseAfter,
  place,
  pooled,
  sellOrder,
} from './world.ts';

const EARLY = minute(5);
const DEADLINE = minute(60);
const LATER = minute(90);

const deadline = (at: Instant = DEADLINE): Fact => ({ fact: 'deadline_passed', at });
const closed = (at: Instant): Fact => ({ fact: 'wait_closed', at });
const mayClose = (order: Order) => may(order, { command: 'close_wait' }, RULES);

function step(order: Order, fact: Fact): Step {
  const outcome = transition(order, fact, RULES);
  assert.ok(outcome !== 'ignore', `${fact.fact} was ignored in ${order.state.phase}`);
  return outcome;
}

describe('a token deposit', () => {
  test('of 99 % is enough, and of one atom less is not', () => {
    assert.equal(phaseAfter(buyOrder(), pooled(usdc('99'), EARLY)), 'confirming');
    const short = after(buyOrder(), pooled(usdc('98.999999'), EARLY));
    assert.deepEqual([short.state.phase, v2Status(short)], ['awaiting_deposit', 'awaiting_deposit']);
    assert.deepEqual(customerState(short, RULES), {
      kind: 'notice',
      notice: 'below_expected',
      observedDepositAmount: '98999999',
      topUpUntil: isoTime(short.expiresAt),
    });
  });

  test('under 1 % is dust and shows nothing; of exactly 1 % it shows', () => {
    const dust = after(buyOrder(), pooled(usdc('0.999999'), EARLY));
    assert.deepEqual(customerState(dust, RULES), { kind: 'awaiting_deposit' });
    assert.equal(customerState(after(buyOrder(), pooled(usdc('1'), EARLY)), RULES).kind, 'notice');
  });

  test('that is too large is carried out in full', () => {
    const order = after(buyOrder(), pooled(usdc('130'), EARLY), final(usdc('130'), EARLY));
    assert.deepEqual([order.state.phase, order.used, order.claims], ['screening', usdc('130'), []]);
  });

  test('is carried out once all of it is final, the transfer on top included', () => {
    const more = observed(usdc('150'), usdc('99'), EARLY);
    const order = after(buyOrder(), pooled(usdc('99'), EARLY), more);
    assert.equal(order.state.phase, 'confirming');
    assert.deepEqual(after(order, final(usdc('150'), EARLY)).used, usdc('150'));
  });

  test('may be topped up until the deadline', () => {
    const half = after(buyOrder(), final(usdc('50'), EARLY));
    assert.equal(half.state.phase, 'awaiting_deposit');
    assert.equal(phaseAfter(half, observed(usdc('99'), usdc('50'), minute(59), { firstSeenAt: EARLY })), 'confirming');
  });

  test('worth exactly $10.00 at the deadline goes on with what arrived', () => {
    const order = after(buyOrder(), final(usdc('10'), EARLY), deadline());
    assert.deepEqual([order.state.phase, order.used], ['screening', usdc('10')]);
    assert.equal(phaseAfter(buyOrder(), pooled(usdc('10'), EARLY), deadline()), 'confirming');
  });

  test('worth just under $10.00 expires and is owed', () => {
    const order = after(buyOrder(), final(usdc('9.999999'), EARLY), deadline());
    assert.equal(order.state.phase, 'expired');
    assert.deepEqual(customerState(order, RULES), { kind: 'action_required', action: 'refund_address' });
    const [claim] = order.claims;
    assert.deepEqual([claim?.amount, claim?.reason], [usdc('9.999999'), 'too small to be carried out']);
  });

  test('seen at the very deadline is in time, and the deadline is not judged before it', () => {
    assert.ok(isIgnored(buyOrder(), deadline(minute(59.99))));
    assert.equal(phaseAfter(buyOrder(), pooled(usdc('100'), DEADLINE)), 'confirming');
  });
});

describe('a native deposit', () => {
  test('at exactly the minimum goes on, whatever was asked', () => {
    const order = after(sellOrder(), pooled(xmr('0.1'), EARLY));
    assert.deepEqual([order.state.phase, v2Status(order)], ['confirming', 'processing']);
    assert.deepEqual(after(order, final(xmr('0.1'), EARLY)).used, xmr('0.1'));
  });

  test('under the minimum says so, and a top-up before it confirms joins it', () => {
    const order = after(sellOrder(), pooled(xmr('0.099999999999'), EARLY));
    assert.deepEqual(customerState(order, RULES), {
      kind: 'notice',
      notice: 'below_minimum',
      observedDepositAmount: '99999999999',
      minimumDepositAmount: '100000000000',
    });
    assert.equal(phaseAfter(order, pooled(xmr('0.1'), EARLY)), 'confirming');
  });

  test('that confirms under the minimum pauses, and a top-up continues it', () => {
    const paused = after(sellOrder(), final(xmr('0.05'), EARLY));
    assert.equal(v2Status(paused), 'awaiting_deposit');
    assert.deepEqual(customerState(paused, RULES), {
      kind: 'paused',
      reason: 'below_minimum',
      observedDepositAmount: '50000000000',
      minimumDepositAmount: '100000000000',
    });
    const topped = after(paused, observed(xmr('0.1'), xmr('0.05'), minute(9)), final(xmr('0.1'), minute(20)));
    assert.deepEqual([topped.state.phase, topped.used], ['screening', xmr('0.1')]);
  });

  test('that is dust shows no notice, confirmed or not', () => {
    const asked = sellOrder().asked.atoms;
    for (const [atoms, kind] of [
      [asked / 100n - 1n, 'awaiting_deposit'],
      [asked / 100n, 'paused'],
    ] as const) {
      const order = after(sellOrder(), final(amount(XMR.id, atoms), EARLY));
      assert.equal(customerState(order, RULES).kind, kind, `${atoms}`);
    }
    const topped = after(sellOrder(), final(amount(XMR.id, 1n), EARLY), final(xmr('0.1'), minute(20)));
    assert.equal(topped.state.phase, 'screening', 'and a top-up continues it');
  });

  test('that stays under the minimum is set aside at the deadline and owed', () => {
    const order = after(sellOrder(), final(xmr('0.05'), EARLY), deadline());
    assert.equal(order.state.phase, 'expired');
    assert.deepEqual(refundRecovery(order)?.amount, xmr('0.05'));
  });

  test('that shrinks under the minimum after the deadline is judged again', () => {
    const order = after(sellOrder(), pooled(xmr('0.2'), EARLY));
    const shrunk = step(order, final(xmr('0.05'), LATER, { firstSeenAt: EARLY }));
    const until = later(LATER, RULES.comesBackMs);
    assert.deepEqual(shrunk.order.state, { phase: 'awaiting_deposit', until }, 'what has gone may come back');
    assert.deepEqual(shrunk.effects, [{ effect: 'judge_deadline', due: until }]);
    const over = after(shrunk.order, deadline(until));
    assert.deepEqual([over.state.phase, refundRecovery(over)?.amount], ['expired', xmr('0.05')]);
  });
});

describe('a deposit that the chain takes back', () => {
  test('before the deadline is waited for again, and its credit is gone', () => {
    const order = after(buyOrder(), observed(usdc('100'), usdc('60'), EARLY));
    const gone = step(order, pooled(usdc('0'), minute(10), { firstSeenAt: EARLY }));
    assert.equal(gone.order.state.phase, 'awaiting_deposit');
    assert.deepEqual(gone.effects, [{ effect: 'judge_deadline', due: order.expiresAt }]);
    assert.deepEqual(gone.postings, [{ from: `deposit:${order.id}`, to: 'world', amount: usdc('60') }]);
    assert.equal(phaseAfter(gone.order, pooled(usdc('100'), minute(12))), 'confirming');
  });

  test('down to less than $10 no longer goes on because the wait was closed', () => {
    const going = after(buyOrder(), pooled(usdc('50'), EARLY), closed(EARLY));
    assert.equal(phaseAfter(going, pooled(usdc('10'), minute(6))), 'confirming');
    const little = after(going, pooled(usdc('9'), minute(6)));
    assert.deepEqual([little.state.phase, little.waitClosed], ['awaiting_deposit', false]);
    assert.equal(mayClose(little), undefined);
  });

  test('after it was used keeps its credit, and a person is told', () => {
    const order = after(buyOrder(), final(usdc('100'), EARLY));
    const gone = step(order, pooled(usdc('0'), minute(10)));
    assert.deepEqual([gone.order.funds.confirmed, gone.postings], [usdc('100'), []]);
    assert.deepEqual(
      gone.cases.map((one) => one.case),
      ['deposit_orphaned'],
    );
    assert.deepEqual(step(gone.order, final(usdc('100'), minute(20))).postings, []);
  });
});

describe('a late deposit', () => {
  test('after the order expired is owed, and paying it makes the order refunded', () => {
    const expired = after(buyOrder(), deadline());
    assert.deepEqual([v1Status(expired), v2Status(expired)], ['expired', 'expired']);
    const late = after(expired, pooled(usdc('100'), LATER), final(usdc('100'), LATER));
    assert.deepEqual([v1Status(late), refundRecovery(late)?.phase], ['refunding_wrong_chain', 'address_required']);
    assert.equal(late.claims[0]?.reason, 'arrived after the deadline');
    const given = after(late, { fact: 'refund_address_given', to: place(USDC.id, 'home'), at: LATER });
    assert.deepEqual([v1Status(given), refundRecovery(given)?.phase], ['refunding', 'checking']);
    const paid = after(given, ...paidBack(given, 1, LATER));
    assert.deepEqual([paid.state.phase, v1Status(paid), v2Status(paid)], ['refunded', 'refunded', 'refunded']);
  });

  test('before the deadline was judged is being checked, and then owed', () => {
    const late = after(buyOrder(), final(usdc('100'), minute(60.1)));
    assert.deepEqual(customerState(late, RULES), {
      kind: 'notice',
      notice: 'checking',
      observedDepositAmount: '100000000',
    });
    assert.ok(isRefusal(mayClose(late)));
    const judged = after(late, deadline(minute(60.2)));
    assert.deepEqual([judged.state.phase, judged.claims[0]?.amount], ['expired', usdc('100')]);
  });

  test('on top of one that is being carried out is owed beside it', () => {
    const order = after(buyOrder(), final(usdc('100'), EARLY), final(usdc('130'), minute(8)));
    assert.deepEqual([order.state.phase, order.used], ['screening', usdc('100')]);
    assert.deepEqual(order.claims[0]?.amount, subtract(usdc('130'), usdc('100')));
  });
});

describe('closing the wait', () => {
  const half = after(buyOrder(), final(usdc('50'), EARLY));

  test('goes on with what arrived, and repeating it changes nothing', () => {
    assert.equal(mayClose(half), undefined);
    const order = after(half, closed(minute(6)));
    assert.deepEqual([order.state.phase, order.used, mayClose(order)], ['screening', usdc('50'), 'done']);
    assert.ok(isIgnored(order, closed(minute(7))));
  });

  test('on less than $10 expires at once and owes it', () => {
    const order = after(buyOrder(), final(usdc('9.999999'), EARLY), closed(EARLY));
    assert.deepEqual([order.state.phase, order.claims.length, mayClose(order)], ['expired', 1, 'done']);
  });

  test('is refused, and ignored, where nothing asks for a top-up', () => {
    const cases = [
      buyOrder(),
      after(buyOrder(), pooled(usdc('0.999999'), EARLY)),
      after(buyOrder(), pooled(usdc('99'), EARLY)),
      after(sellOrder(), pooled(xmr('0.05'), EARLY)),
      after(buyOrder(), deadline()),
    ];
    for (const order of cases) {
      const answer = mayClose(order);
      assert.ok(isRefusal(answer) && answer.refusal === 'deposit_wait_not_open', order.state.phase);
      assert.ok(isIgnored(order, closed(EARLY)));
    }
  });
});
