import { startRounds } from '../engine/rounds.ts';
import type { Running } from '../engine/worker.ts';
import { type Clock, later } from '../kernel/clock.ts';
import type { openMetricsBook } from '../store/metrics.ts';
import type { openReads } from '../store/reads.ts';
import type { AppLog } from './log.ts';
import { METRICS_AGE_MS, type Metrics } from './metrics.ts';

const EVERY_MS = 5_000;

/** Open orders, cases and failing rounds, as the database counts them. */
export function countOrders(
  metrics: Metrics,
  reads: Pick<ReturnType<typeof openReads>, 'counts'>,
  log: AppLog,
): Running {
  return startRounds('gauges', EVERY_MS, log, async () => {
    metrics.orders.reset();
    metrics.rounds.reset();
    for (const { what, name, n } of await reads.counts()) {
      if (what === 'order') metrics.orders.set({ phase: name }, n);
      else if (what === 'round') metrics.rounds.set({ round: name }, n);
      else metrics[what].set(n);
    }
    return false;
  });
}

/** An engine has no port of its own: it leaves its numbers in the database for the operator's. */
export function leaveMetrics(
  { registry }: Metrics,
  book: ReturnType<typeof openMetricsBook>,
  { clock, log, worker }: { readonly clock: Clock; readonly log: AppLog; readonly worker: number },
): Running {
  return startRounds('metrics', EVERY_MS, log, async () => {
    await book.save(worker, await registry.getMetricsAsJSON(), clock.now());
    await book.forget(later(clock.now(), -METRICS_AGE_MS));
    return false;
  });
}
