import { type Clock, later } from '../kernel/clock.ts';
import type { Effect } from '../life/order/effect.ts';
import { resume } from '../life/order/resume.ts';
import type { Rules } from '../life/order/rules.ts';
import type { Owner } from '../life/payment/payment.ts';
import { resumePayment } from '../life/payment/steps.ts';
import type { Orders } from '../store/orders.ts';
import type { Outbox } from '../store/outbox.ts';
import type { Payments } from '../store/payments.ts';

/** How often everything that may have been lost is looked for. */
export const RECONCILE_MS = 15 * 60 * 1000;
const PAYMENTS_PER_ROUND = 1_000;

export interface Reconciled {
  readonly orders: Orders;
  readonly payments: Payments;
  readonly outbox: Outbox;
}

/** Gives orders and payments that nothing works on the instructions their state calls for, and wakes everything in trouble. */
export async function reconcile(
  { orders, payments, outbox }: Reconciled,
  { fundingWindowMs }: Pick<Rules, 'fundingWindowMs'>,
  clock: Clock,
): Promise<number> {
  const now = clock.now();
  await outbox.wakeTroubled(now);
  let resumed = 0;
  const add = async (owner: Owner, name: string, effects: readonly Effect[]) => {
    if (effects.length === 0) return;
    // Keys of their own: the lost instruction's key may have been used up.
    const keyed = effects.map((effect, index) => ({ key: `${name}:${index}:again:${now}`, effect }));
    await outbox.add(owner, keyed, now);
    resumed += 1;
  };
  for await (const order of orders.idle(later(now, -fundingWindowMs)))
    await add(order.id, `${order.id}:${order.version}`, resume(order, now));
  for (const payment of await payments.idle(PAYMENTS_PER_ROUND))
    await add(payment.owner, `${payment.id}:${payment.version}`, resumePayment(payment));
  return resumed;
}
