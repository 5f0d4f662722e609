import type { EffectKind } from '../life/order/effect.ts';
import type { Done, Handler, Job } from '../life/order/handling.ts';
import { isHeldBack } from '../life/order/hold.ts';
import type { Order } from '../life/order/order.ts';
import type { Handlers } from './worker.ts';

/** Nothing is taken up, exchanged, traded, priced or signed for an order whose credited deposit has left the chain. */
export function holdOrphaned(handlers: Handlers): Handlers {
  const held = Object.entries(handlers).map(([kind, handler]) => {
    const carryOut = handler as (job: Job, order?: Order) => Promise<Done>;
    const guarded = async (job: Job, order?: Order): Promise<Done> =>
      order && isHeldBack(order, job.effect) ? 'done' : carryOut(job, order);
    return [kind, guarded] as readonly [EffectKind, Handler<EffectKind>];
  });
  // The same kinds as before, each with its own handler inside.
  return Object.fromEntries(held) as unknown as Handlers;
}
