import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSubmit } from '../../src/engine/submit.ts';
import { amount } from '../../src/kernel/amount.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { newPayment } from '../../src/life/payment/payment.ts';
import type { Orders } from '../../src/store/orders.ts';
import type { Payments } from '../../src/store/payments.ts';
import { AT, ORDER_IN } from '../life/order-phases.ts';
import { newsOf, paymentOf } from '../life/payment-facts.ts';
import { HOT, USDC } from './signer-bench.ts';

test('a fact that loses against others again and again is a bug, of an order and of the house alike', async () => {
  const order = ORDER_IN.paying;
  const rebalance = newPayment({
    ...{ owner: 'treasury', purpose: { for: 'rebalance', number: 0 }, from: 'hot', source: 'treasury' },
    ...{ amount: amount(USDC, 5n), to: HOT },
  });
  const orders = { writer: 'api', commit: async () => 'stale', findAll: async () => [{ order }] };
  const payments = { find: async () => rebalance };
  const submit = openSubmit(orders as unknown as Orders, payments as unknown as Payments, RULES, { now: () => AT });
  const bug = (about: string) => ({ name: 'Bug', message: `${about}: transfer_signed could not be committed` });
  const { signed } = newsOf(paymentOf(order, 'payout'), AT);
  await assert.rejects(submit.submit(order.id, 'signed', signed), bug(order.id));
  await assert.rejects(submit.submitHouse('signed', newsOf(rebalance, AT).signed), bug(rebalance.id));
});
