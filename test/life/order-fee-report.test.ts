import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { newsOf } from '../../src/life/order/view/news.ts';
import { feeReport } from '../../src/life/order/view/report.ts';
import { newPayment, type Payment, type PaymentState } from '../../src/life/payment/payment.ts';
import { buyOrder, minute, sellOrder } from './world.ts';

const fee = { integrationId: 'int_a', percent: 1, payoutAddress: '0xfee' as Address };
const earning = (order: Order): Order => ({ ...order, integratorFee: fee });

const paying = (order: Order, state: PaymentState): Payment => ({
  ...newPayment({
    owner: order.id,
    purpose: { for: 'integrator_fee', integration: 'int_a', number: 0 },
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
