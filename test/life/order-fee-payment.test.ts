import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Amount, amount } from '../../src/kernel/amount.ts';
import { type Instant, later } from '../../src/kernel/clock.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { feePriced, feeRetried } from '../../src/life/order/machine/fees.ts';
import type { Order } from '../../src/life/order/order.ts';
import { resume } from '../../src/life/order/resume.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Step } from '../../src/life/order/step.ts';
import { transition } from '../../src/life/order/transition.ts';
import type { FeeTerm } from '../../src/life/quote/quote.ts';
import { ETHER, ether, usdc } from './market.ts';
import { AT, ORDER_IN, screened } from './order-phases.ts';
import { dealOf } from './order-script.ts';
import { witness } from './order-witness.ts';
import { newsOf, paymentOf } from './payment-facts.ts';
import { after, buyOrder, final, place, sellOrder, swapBuyOrder } from './world.ts';

const fee = { integrationId: 'int_a', percent: 1, payoutAddress: '0xfee' as Address };
const bound = (asset: Order['from']['id']) => ({ asset, address: fee.payoutAddress, binding: 'bound' });

test('what was earned is paid once the customer is, from what is owed to the integration', () => {
  const order = owing(buyOrder(), amount(buyOrder().from.id, 700n));
  const step = priced(order);
  const [payment] = step.order.payments;
  assert.deepEqual([payment?.purpose.for, payment?.to, payment?.binding], ['integrator_fee', '0xfee', 'bound']);
  assert.deepEqual(step.postings, [
    { from: 'owed:int_a', to: `payment:${payment?.id}`, amount: amount(order.from.id, 700n) },
  ]);
  assert.deepEqual(
    step.effects.map(({ effect }) => effect),
    ['sign_transfer'],
  );
});

test('a fee of what was sold is exchanged for the venue’s money, atom by atom', () => {
  const sell = sellOrder();
  const [leg] = sell.route.legs;
  assert.ok(leg?.leg === 'venue');
  const taken = amount(leg.output.asset, 5n);
  const step = priced(owing(sell, taken, leg.receive));
  const paid = amount(leg.receive, 5n * 10n ** BigInt(leg.receiveDecimals - leg.output.decimals));
  assert.deepEqual(step.order.payments[0]?.amount, paid);
  const moved = step.postings.map(({ from, to, amount: { asset, atoms } }) => [from, to, asset, atoms]);
  assert.deepEqual(moved, [
    ['owed:int_a', 'treasury', taken.asset, 5n],
    ['treasury', 'owed:int_a', leg.receive, paid.atoms],
    ['owed:int_a', `payment:${step.order.payments[0]?.id}`, leg.receive, paid.atoms],
  ]);
});

test('nothing is paid that was not earned, or to an address that was not bound for it', () => {
  const order = buyOrder();
  const earned = amount(order.from.id, 700n);
  for (const one of [
    order,
    { ...order, integratorFee: fee, feeEarned: earned },
    { ...order, integratorFee: { ...fee, to: bound(order.from.id) } },
    { ...order, integratorFee: { ...fee, to: bound(order.to.id) }, feeEarned: earned },
    owing(order, earned, order.from.id, 'paying'),
  ]) {
    assert.equal(feePriced(one), 'ignore');
  }
});

/** An order whose customer was paid and whose integration has earned this. */
function owing(order: Order, taken: Amount, paidIn = taken.asset, phase: 'completed' | 'paying' = 'completed'): Order {
  const state = { phase, out: amount(order.to.id, 1n), at: AT } as Order['state'];
  return { ...order, state, integratorFee: { ...fee, to: bound(paidIn) }, feeEarned: taken };
}

function priced(order: Order): Step {
  const step = feePriced(order);
  assert.ok(step !== 'ignore');
  return step;
}

test('a customer is shown as paid whatever the venue lacks: the fee is a step of its own', () => {
  const paying = ORDER_IN.paying;
  const order = {
    ...paying,
    integratorFee: { ...fee, to: bound(paying.from.id) },
    feeEarned: amount(paying.from.id, 7n),
  };
  const news = newsOf(paymentOf(order, 'payout'), AT);
  const step = transition(after(order, news.signed, news.sent), news.confirmed, RULES);
  assert.ok(step !== 'ignore');
  assert.equal(step.order.state.phase, 'completed');
  assert.ok(step.effects.some(({ effect }) => effect === 'pay_fee'));
  assert.ok(step.postings.every(({ from }) => !from.startsWith('owed:')));
  assert.deepEqual(
    resume(step.order, AT).filter(({ effect }) => effect === 'pay_fee'),
    [{ effect: 'pay_fee' }],
    'a lost instruction is found again',
  );
});

test('a fee that was refused is priced and paid anew when a person asks for it, once at a time', () => {
  const order = priced(owing(buyOrder(), amount(buyOrder().from.id, 700n))).order;
  assert.equal(feeRetried(order), 'ignore', 'it is under way');
  const refused = after(order, newsOf(paymentOf(order, 'integrator_fee'), AT).refused);
  const retried = feeRetried(refused);
  assert.ok(retried !== 'ignore');
  assert.deepEqual(retried.effects, [{ effect: 'pay_fee' }]);
  const again = priced(refused).order;
  assert.deepEqual(
    again.payments.map(({ id }) => id),
    [`${order.id}:fee:0`, `${order.id}:fee:1`],
  );
  assert.equal(feePriced(again), 'ignore');
});

test('a fee that a leg has earned goes back with an order that is refunded later', () => {
  const service: FeeTerm = { type: 'service', at: 0, asset: ETHER.id, rate: { num: 1n, den: 100n }, flat: undefined };
  const beside = witness(swapBuyOrder({ fees: [service], collects: false, refundTo: place(ETHER.id, 'home') }), RULES);
  const deal = dealOf(0, ether('0.099'), usdc('300'));
  for (const fact of [final(ether('0.1'), AT), screened(true), { fact: 'leg_placed', deal, at: AT } as const])
    assert.notEqual(beside.tell(fact), 'ignore', fact.fact);
  const funded = newsOf(paymentOf(beside.order, 'provider_deal'), AT);
  for (const fact of [funded.signed, funded.sent, funded.confirmed]) beside.tell(fact);
  beside.tell({ fact: 'leg_delivered', number: 0, got: usdc('300'), to: undefined, at: AT });
  assert.equal(beside.balance('fees', ETHER.id), ether('0.001').atoms, 'the leg has worked');
  beside.tell({ fact: 'stock_reserved', at: AT });
  const idle = (at: Instant): Fact => {
    const { state } = beside.order;
    assert.ok(state.phase === 'trading');
    const { chunk, attempt, spent, got } = state.run;
    return {
      fact: 'ticket_done',
      chunk,
      attempt,
      spent: amount(spent.asset, 0n),
      got: amount(got.asset, 0n),
      last: false,
      at,
    };
  };
  beside.tell(idle(AT));
  beside.tell(idle(later(AT, RULES.tradePatienceMs)));
  assert.equal(beside.order.state.phase, 'refunding');
  assert.deepEqual(
    beside.order.claims.map((claim) => claim.amount),
    [ether('0.001'), usdc('300')],
  );
  assert.deepEqual([beside.balance('fees', ETHER.id), beside.order.earned], [0n, []]);
});
