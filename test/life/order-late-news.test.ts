import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { resume } from '../../src/life/order/resume.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { STRAY, USDC, usdc, XMR, xmr } from './market.ts';
import { AT, filled, news, ORDER_IN, placed } from './order-phases.ts';
import { newsOf, paymentOf } from './payment-facts.ts';
import {
  after,
  buyOrder,
  claimPriced,
  final,
  isIgnored,
  minute,
  paidBack,
  phaseAfter,
  place,
  screenedFact,
  sellOrder,
} from './world.ts';

test('old news of the collection never passes for news of the payout', () => {
  const { paying } = ORDER_IN;
  const { signed, refused, sent, confirmed } = news(paying, 'collection');
  for (const old of [signed, refused, sent, confirmed]) assert.ok(isIgnored(paying, old));
});

test('a refusal from before signing, told after it, does not free money that may still be paid', () => {
  const { paying } = ORDER_IN;
  const { refused, signed, sent, failed } = news(paying, 'payout');
  assert.equal(phaseAfter(paying, refused), 'payout_refused');
  assert.ok(isIgnored(after(paying, signed), refused));
  assert.ok(isIgnored(after(paying, signed, sent), refused));
  assert.equal(phaseAfter(paying, signed, sent, failed), 'payout_refused');
});

test('refused after a proof of death the money is the order’s again, and goes another way', () => {
  const { paying, placing } = ORDER_IN;
  const payout = news(paying, 'payout');
  assert.equal(phaseAfter(paying, payout.signed, payout.sent, payout.refusedDead), 'payout_refused');
  assert.equal(phaseAfter(paying, payout.signed, payout.sent, payout.dead, payout.refusedDead), 'payout_refused');
  assert.ok(isIgnored(after(paying, payout.signedAnew), payout.refusedDead), 'others live');
  assert.ok(isIgnored(after(paying, payout.signed, payout.sent, payout.confirmed), payout.refusedDead));
  const swapping = after(placing, placed(placing));
  const deal = news(swapping, 'provider_deal');
  assert.equal(phaseAfter(swapping, deal.signed, deal.sent, deal.refusedDead), 'placing');
});

test('news of the refused payout does not reach the one that replaced it', () => {
  const { refused, signed } = news(ORDER_IN.paying, 'payout');
  const replaced = after(
    ORDER_IN.payout_refused,
    { fact: 'payout_address_given', to: place(XMR.id, 'other'), at: AT },
    { fact: 'payout_reserved', at: AT },
  );
  for (const old of [signed, refused]) assert.ok(isIgnored(replaced, old));
  const second = news(replaced, 'payout');
  assert.equal(phaseAfter(replaced, second.signed, second.sent, second.confirmed), 'completed');
});

test('a refund that was given up is neither signed nor paid by a job that comes late', () => {
  const expired = after(buyOrder({ refundTo: place(USDC.id, 'home') }), { fact: 'deadline_passed', at: minute(60) });
  const pricing = after(expired, final(usdc('5'), minute(70)));
  const owed = after(pricing, claimPriced(pricing, 1, AT));
  const { priced, refused, failed } = news(owed, 'refund');
  const blocked = after(owed, priced(0n), refused);
  assert.equal(blocked.claims[0]?.stage, 'blocked');
  for (const late of [...paidBack(owed, 1, AT), refused, failed]) assert.ok(isIgnored(blocked, late));
});

test('gas is sent ahead once, however often it is priced', () => {
  const { priced } = news(ORDER_IN.collecting, 'collection');
  const funding = after(ORDER_IN.collecting, priced(5n));
  assert.ok(isIgnored(funding, priced(5n)));
  assert.ok(isIgnored(funding, priced(0n)));
});

test('a payout that fails for good after it was shown is owed, to an address that the customer names', () => {
  const { failed } = news(ORDER_IN.completed, 'payout');
  const step = transition(ORDER_IN.completed, failed, RULES);
  assert.ok(step !== 'ignore');
  const { state, claims } = step.order;
  assert.equal(state.phase, 'completed');
  assert.deepEqual([claims[0]?.stage, claims[0]?.amount], ['address_required', paymentOf(step.order, 'payout').amount]);
  assert.deepEqual(
    step.cases.map((one) => one.case),
    ['payment_undone'],
  );
});

test('a failure that is not final is no news: the same bytes may work in another block', () => {
  const { signed, sent, failed, confirmed } = news(ORDER_IN.paying, 'payout');
  const done = after(ORDER_IN.paying, signed, sent, confirmed);
  assert.equal(done.state.phase, 'completed');
  assert.ok(isIgnored(after(done, newsOf(paymentOf(done, 'payout'), AT).settled), failed));
});

test('an address that nobody asked for is not kept', () => {
  assert.ok(isIgnored(buyOrder(), { fact: 'refund_address_given', to: place(USDC.id, 'home'), at: AT }));
});

test('what is resumed goes through the lane it was in: that of the chain and the account the money is on', () => {
  const stray = after(buyOrder(), {
    fact: 'stray_observed',
    total: amount(STRAY, 9n),
    from: { deposit: 7 },
    at: AT,
  });
  const given = after(stray, { fact: 'refund_address_given', to: place(STRAY, 'home'), at: AT });
  const due = after(given, claimPriced(given, 1, AT));
  const step = transition(due, news(due, 'refund').priced(0n), RULES);
  assert.ok(step !== 'ignore');
  assert.deepEqual(
    resume(step.order, AT).filter(({ effect }) => effect !== 'judge_deadline'),
    step.effects,
  );
  const sign = { effect: 'sign_transfer', payment: `${given.id}:refund:1`, part: 'main', lane: '1:7' };
  assert.deepEqual(step.effects, [sign]);
});

test('an order to be worked at once stays so when more arrives, and no plan has more than a thousand chunks', () => {
  const trade = (chunks: number, coins: string) => {
    const order = after(sellOrder({ chunks }), final(xmr(coins), AT), screenedFact(true, undefined, AT), {
      fact: 'stock_reserved',
      at: AT,
    });
    assert.ok(order.state.phase === 'trading');
    return { order, run: order.state.run };
  };
  const once = trade(1, '5');
  assert.deepEqual([once.run.chunks, once.run.chunkLeft], [1, once.run.total]);
  assert.equal(phaseAfter(once.order, filled(once.order)), 'payout_due');
  assert.equal(trade(4, '1.5').run.chunks, 6);
  assert.equal(trade(4, '1000000').run.chunks, 1_000);
});
