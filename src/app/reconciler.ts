import { RECONCILE_MS, reconcile } from '../engine/reconcile.ts';
import { startRounds } from '../engine/rounds.ts';
import type { Running } from '../engine/worker.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Rules } from '../life/order/rules.ts';
import type { EngineBooks } from './engine-books.ts';
import type { AppLog } from './log.ts';

/** Due by our own clock, so that it can be rehearsed by moving it. */
export function startReconciler(books: EngineBooks, rules: Rules, clock: Clock, log: AppLog): Running {
  let last = clock.now();
  return startRounds('reconciler', 1_000, log, async () => {
    if (clock.now() - last < RECONCILE_MS) return false;
    last = clock.now();
    const resumed = await reconcile(books, rules, clock);
    if (resumed > 0) log.warn({ resumed }, 'orders without work were taken up again');
    return false;
  });
}
