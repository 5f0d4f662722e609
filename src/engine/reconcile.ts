import type { Clock, Instant } from '../kernel/clock.ts';
import { resume } from '../life/order/resume.ts';
import type { Orders } from '../store/orders.ts';
import type { Outbox } from '../store/outbox.ts';

/** How often everything that may have been lost is looked for. */
export const RECONCILE_MS = 15 * 60 * 1000;
const ORDERS_PER_ROUND = 1_000;

/** Gives orders that nothing works on the instructions their state calls for, and wakes everything in trouble. */
export async function reconcile(orders: Orders, outbox: Outbox, clock: Clock): Promise<number> {
  const now = clock.now();
  await outbox.wakeTroubled(now);
  let resumed = 0;
  for (const order of await orders.idle(ORDERS_PER_ROUND)) {
    const effects = resume(order, now);
    if (effects.length === 0) continue;
    await outbox.add(
      order.id,
      effects.map((effect, index) => ({ key: keyOf(order.id, order.version, index, now), effect })),
      now,
    );
    resumed += 1;
  }
  return resumed;
}

/** A key of its own: the lost instruction's key may have been used up. */
const keyOf = (id: string, version: number, index: number, now: Instant): string =>
  `${id}:${version}:${index}:again:${now}`;
