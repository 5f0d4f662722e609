import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import { payFee } from '../../src/life/order/machine/fees.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { stay } from '../../src/life/order/step.ts';
import { newsOf } from '../../src/life/order/view/news.ts';
import { feeReport } from '../../src/life/order/view/report.ts';
import { newPayment, type Payment, type PaymentState } from '../../src/life/payment/payment.ts';
import { buyOrder, minute, sellOrder } from './world.ts';

const fee = { integrationId: 'int_a', percent: 1, payoutAddress: '0xfee' as Address };
const earning = (order: Order): Order => ({ ...order, integratorFee: fee });

const paying = (order: Order, state: PaymentState): Payment => ({
  ...newPayment({
    owner: order.id,
    purpose: { for: 'integrator_fee', integration: 'int_a' },
    from: 'hot',
    amount: amount(order.from.id, 900_000n),
    to: fee.payoutAddress,
    source: 'owed:int_a',
  }),
  state,
});

const statusOf = (order: Order) => {
  const { status, skipReason } = feeReport(order);
  return [status, skipReason];
};

test('a fee is projected until its payment is in a block, and paid with its transaction from then on', () => {
  const order = earning(buyOrder());
  assert.deepEqual(statusOf(order), ['projected', undefined]);
  assert.equal(feeReport(order).amount?.atoms, 1_000_000n, 'one percent of what was asked for');
  const sent = { state: 'sent', txHash: txHash('0xfeetx'), raised: 0, since: minute(1) } as const;
  assert.deepEqual(statusOf({ ...order, payments: [paying(order, sent)] }), ['projected', undefined]);
  const cost = amount(order.from.id, 0n);
  const paid = { ...order, payments: [paying(order, { state: 'confirmed', txHash: txHash('0xfeetx'), cost })] };
  const report = feeReport(paid);
  assert.deepEqual([report.status, report.amount?.atoms, report.txHash], ['paid', 900_000n, '0xfeetx']);
  assert.deepEqual(newsOf(order, paid, RULES), ['fee.paid']);
});

test('no fee, a fee that is skipped, and orders that end without a swap', () => {
  const order = buyOrder();
  assert.deepEqual(statusOf(order), ['none', undefined]);
  for (const reason of ['too_small', 'no_address'] as const) {
    assert.deepEqual(statusOf({ ...order, feeSkipped: { percent: 1, reason } }), ['skipped', reason]);
  }
  const ended = (state: Order['state']) => statusOf({ ...earning(order), state });
  assert.deepEqual(ended({ phase: 'expired', at: minute(60) }), ['none', undefined]);
  assert.deepEqual(ended({ phase: 'failed', code: 'x', at: minute(60) }), ['none', undefined]);
  assert.deepEqual(ended({ phase: 'refunded', claim: 1, reason: 'x', at: minute(60) }), ['skipped', 'refunded']);
  assert.deepEqual(ended({ phase: 'refunding', claim: 1, reason: 'x' }), ['skipped', 'refunded']);
});

test('a fee follows what is carried out; of what is sold first it is in the venue’s money', () => {
  const half = earning(buyOrder());
  assert.equal(feeReport({ ...half, used: amount(half.from.id, 50_000_000n) }).amount?.atoms, 500_000n);
  const sell = earning(sellOrder());
  const [leg] = sell.route.legs;
  assert.ok(leg?.leg === 'venue');
  assert.equal(feeReport(sell).amount?.asset, leg.receive);
});

const bound = (asset: Order['from']['id']) => ({ asset, address: fee.payoutAddress, binding: 'bound' });

test('what was earned is paid once the customer is, from what is owed to the integration', () => {
  const order: Order = {
    ...buyOrder(),
    integratorFee: { ...fee, to: bound(buyOrder().from.id) },
    feeEarned: amount(buyOrder().from.id, 700n),
  };
  const step = payFee(stay(order));
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
  const step = payFee(stay({ ...sell, integratorFee: { ...fee, to: bound(leg.receive) }, feeEarned: taken }));
  const paid = amount(leg.receive, 5n * 10n ** BigInt(leg.receiveDecimals - leg.output.decimals));
  assert.deepEqual(step.order.payments[0]?.amount, paid);
  const moved = step.postings.map(({ from, to, amount: { asset, atoms } }) => [from, to, asset, atoms]);
  assert.deepEqual(moved, [
    ['owed:int_a', `payment:${step.order.payments[0]?.id}`, leg.receive, paid.atoms],
    ['owed:int_a', 'treasury', taken.asset, 5n],
    ['treasury', 'owed:int_a', leg.receive, paid.atoms],
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
  ]) {
    assert.deepEqual(payFee(stay(one)), stay(one));
  }
});
