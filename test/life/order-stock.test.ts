import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { amount, subtract } from '../../src/kernel/amount.ts';
import { type Instant, later } from '../../src/kernel/clock.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { may } from '../../src/life/order/command.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { accountOf } from '../../src/life/order/step.ts';
import { transition } from '../../src/life/order/transition.ts';
import { twapOf } from '../../src/life/order/view/twap.ts';
import { takesRefundAddress, v1Status } from '../../src/life/order/view/v1-status.ts';
import { customerState, refundRecoveries, v2Status } from '../../src/life/order/view/v2-customer.ts';
import { move } from '../../src/life/payment/posting.ts';
import { XMR, xmr, xmr1 } from './market.ts';
import { AT, filled, ORDER_IN, paid } from './order-phases.ts';
import {
  after,
  bridgeOutOrder,
  claimPriced,
  final,
  isIgnored,
  paidBack,
  place,
  screenedFact,
  sellOrder,
} from './world.ts';

const short = (order: Order, at: Instant): Fact => ({ fact: 'inventory_short', asset: order.to.id, at });
const PATIENCE_OVER = later(AT, RULES.stockPatienceMs);
const collecting = after(
  bridgeOutOrder(),
  final(xmr1('1'), AT),
  screenedFact(true, place(xmr1('1').asset, 'sender'), AT),
);
const stocking = collecting.state.phase === 'collecting' ? paid(collecting, 'collection') : collecting;
const waiting = after(stocking, short(stocking, AT));
const overdue = after(waiting, short(stocking, PATIENCE_OVER));
const home = { command: 'give_refund_address', to: place(xmr1('1').asset, 'home') } as const;
const takeBack: Fact = { fact: 'refund_address_given', to: home.to, at: PATIENCE_OVER };

describe('9.9: a bridge withdrawal above our stock does not wait silently for ever', () => {
  test('for a while it just waits: nobody may change his mind at the first shortage', () => {
    assert.equal(waiting.state.phase, 'stocking');
    assert.deepEqual(customerState(waiting, RULES), { kind: 'processing', step: 'executing' });
    const answer = may(waiting, home, RULES);
    assert.ok(isRefusal(answer) && answer.refusal === 'action_not_available');
    assert.ok(isIgnored(waiting, takeBack));
    const early = after(waiting, short(stocking, later(PATIENCE_OVER, -1)));
    assert.ok(isRefusal(may(early, home, RULES)), 'and not a moment too early');
  });

  test('after the patience of the settings it can be taken back, in both generations, to the address that is given', () => {
    assert.equal(v2Status(overdue), 'processing');
    assert.deepEqual(customerState(overdue, RULES), { kind: 'action_required', action: 'refund_address' });
    const [shown] = refundRecoveries(overdue);
    assert.deepEqual(
      [shown?.kind, shown?.phase, shown?.amount, shown?.suggestedAddress],
      ['source', 'address_required', xmr1('1'), 'sender'],
    );
    const old: Order = { ...overdue, generation: 'v1' };
    assert.deepEqual([v1Status(old), takesRefundAddress(old)], ['refunding_wrong_chain', true]);
    assert.equal(may(overdue, home, RULES), undefined);
    const back = after(overdue, takeBack);
    assert.deepEqual([back.state.phase, back.claims[0]?.to?.address], ['refunding', 'home']);
    assert.equal(may(back, home, RULES), 'done');
    assert.ok(isIgnored(back, { fact: 'stock_reserved', at: PATIENCE_OVER }), 'and is never paid as well');
    assert.equal(v2Status(after(back, ...paidBack(back, 1, PATIENCE_OVER))), 'refunded');
  });

  test('it goes on by itself when the stock comes before the customer has decided', () => {
    const served = after(overdue, { fact: 'stock_reserved', at: PATIENCE_OVER });
    assert.equal(served.state.phase, 'payout_due');
    assert.equal(customerState(served, RULES).kind, 'processing');
    assert.ok(isIgnored(served, takeBack));
  });

  test('9.9: with a patience without end nothing can be taken back, and nothing is said: so it was won', () => {
    const endless = { ...RULES, stockPatienceMs: Number.MAX_SAFE_INTEGER - PATIENCE_OVER };
    const step = transition(waiting, short(stocking, PATIENCE_OVER), endless);
    const patient = step === 'ignore' ? waiting : step.order;
    assert.ok(isRefusal(may(patient, home, endless)));
    assert.deepEqual(customerState(patient, endless), { kind: 'processing', step: 'executing' });
    assert.equal(may(overdue, home, RULES), undefined, 'at the same time, with the defence');
  });
});

test('a payout that waits for stock can be had back as what was traded for it', () => {
  const due = ORDER_IN.payout_due;
  assert.ok(due.state.phase === 'payout_due');
  const late = after(due, short(due, AT), short(due, PATIENCE_OVER));
  const { asset } = due.state.held;
  assert.notEqual(asset, XMR.id);
  assert.equal(refundRecoveries(late)[0]?.asset, asset);
  const back = after(late, { fact: 'refund_address_given', to: place(asset, 'home'), at: PATIENCE_OVER });
  assert.deepEqual([back.state.phase, back.claims.at(-1)?.amount], ['refunding', due.state.held]);
  assert.ok(isIgnored(back, { fact: 'payout_reserved', at: PATIENCE_OVER }));
});

test('whoever takes back what the desk could not serve gets all of it: the desk bears what that costs', () => {
  const dear = (order: Order): Fact => claimPriced(order, 1, PATIENCE_OVER, xmr1('0.01').atoms);
  const back = after(overdue, takeBack, dear(after(overdue, takeBack)));
  assert.deepEqual([back.claims[0]?.isOurs, back.claims[0]?.charged], [true, undefined]);
  assert.deepEqual(back.payments.at(-1)?.amount, xmr1('1'));
});

test('and the desk’s fee for the part of the way that worked, which a destination that refuses does not bring back', () => {
  const due = ORDER_IN.payout_due;
  const { asset } = due.state.phase === 'payout_due' ? due.state.held : assert.fail();
  const fee = amount(asset, 7n);
  const earned: Order = { ...due, earned: [{ amount: fee, to: 'fees' }] };
  const give: Fact = { fact: 'refund_address_given', to: place(asset, 'home'), at: PATIENCE_OVER };
  const late = transition(after(earned, short(due, AT), short(due, PATIENCE_OVER)), give, RULES);
  assert.ok(late !== 'ignore');
  assert.deepEqual(late.postings, [move('fees', accountOf(due), fee)]);
});

describe('9.9: a trade in chunks', () => {
  const CHUNKS = 5;
  const waits = after(sellOrder({ chunks: CHUNKS }), final(xmr('1'), AT), screenedFact(true, undefined, AT));
  const reserve: Fact = { fact: 'stock_reserved', at: AT };

  test('reserves chunk by chunk: it never holds more of the stock than one chunk', () => {
    let order = waits;
    let taken = 0;
    for (; order.state.phase === 'stocking'; taken += 1) {
      const { stock } = order.state;
      assert.deepEqual(stock, xmr1('0.2'), 'not all of the order at once');
      const trading = after(order, reserve);
      assert.ok(trading.state.phase === 'trading');
      assert.deepEqual(subtract(trading.state.run.reserved, trading.state.run.spent), stock);
      assert.equal(twapOf(trading)?.status, 'active');
      order = after(trading, filled(trading));
    }
    assert.deepEqual([taken, order.state.phase], [CHUNKS, 'payout_due']);
    assert.deepEqual(order.traded?.spent, order.traded?.total);
  });

  test('that lacks the next one for too long is served in part: the rest goes back, what was traded goes on', () => {
    const trading = after(waits, reserve);
    const next = after(trading, filled(trading));
    assert.ok(next.state.phase === 'stocking' && twapOf(next)?.status === 'active');
    const lacking: Fact = { fact: 'inventory_short', asset: next.state.stock.asset, at: AT };
    const late = after(next, lacking, { ...lacking, at: PATIENCE_OVER });
    assert.equal(late.state.phase, 'payout_due');
    assert.deepEqual(
      late.claims.map(({ kind, stage }) => [kind, stage]),
      [['source', 'address_required']],
    );
    assert.deepEqual(late.traded?.spent, xmr1('0.2'));
  });
});
