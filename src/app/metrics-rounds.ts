import { startRounds } from '../engine/rounds.ts';
import type { Running } from '../engine/worker.ts';
import { formatUnits } from '../kernel/amount.ts';
import { type Clock, later } from '../kernel/clock.ts';
import { shownNumber } from '../kernel/usd.ts';
import { freeOf, type StockLevel } from '../life/execution/stock-levels.ts';
import type { Ledger } from '../store/ledger.ts';
import type { openMetricsBook } from '../store/metrics.ts';
import type { Months } from '../store/months.ts';
import type { openReads } from '../store/reads.ts';
import { heldOf, type KeptPosition, owedOf, type Solvency } from '../store/solvency.ts';
import type { Asset } from '../world/chains/chain.ts';
import type { AppLog } from './log.ts';
import { METRICS_AGE_MS, type Metrics } from './metrics.ts';

const EVERY_MS = 5_000;

export interface Counted {
  readonly reads: Pick<ReturnType<typeof openReads>, 'counts'>;
  readonly solvency: Pick<Solvency, 'newest'>;
  readonly ledger: Pick<Ledger, 'balance' | 'demand'>;
  readonly levels: readonly StockLevel[];
  readonly months: Pick<Months, 'ready'>;
}

/** Open orders, cases, failing rounds, and what is held and owed, as the database has them. */
export function countOrders(
  metrics: Metrics,
  { reads, solvency, ledger, levels, months }: Counted,
  assets: readonly Asset[],
  { clock, log }: { readonly clock: Clock; readonly log: AppLog },
): Running {
  return startRounds('gauges', EVERY_MS, log, async () => {
    showSolvency(metrics, await solvency.newest(), assets);
    await showStock(metrics, levels, ledger, assets);
    metrics.months.set(await months.ready(clock.now()));
    metrics.orders.reset();
    metrics.rounds.reset();
    for (const { what, name, n } of await reads.counts(clock.now())) {
      if (what === 'order') metrics.orders.set({ phase: name }, n);
      else if (what === 'round') metrics.rounds.set({ round: name }, n);
      else metrics[what].set(n);
    }
    return false;
  });
}

/** In whole coins, of what is listed: whoever makes a token could make a label of every one that is not. */
export function showSolvency(
  { solvency }: Pick<Metrics, 'solvency'>,
  positions: readonly KeptPosition[],
  assets: readonly Asset[],
): void {
  solvency.reset();
  for (const one of positions) {
    const listed = assets.find(({ id }) => id === one.asset);
    if (!listed) continue;
    const { symbol, decimals } = listed;
    for (const [side, value] of [['held', heldOf(one)] as const, ['owed', owedOf(one)] as const])
      solvency.set({ asset: one.asset, symbol, side }, shownNumber(formatUnits(value, decimals)));
  }
}

/** What orders could be served from, beside what it should be. */
export async function showStock(
  { stock }: Pick<Metrics, 'stock'>,
  levels: readonly StockLevel[],
  ledger: Pick<Ledger, 'balance' | 'demand'>,
  assets: readonly Asset[],
): Promise<void> {
  for (const { asset, low, target, high } of levels) {
    const listed = assets.find(({ id }) => id === asset);
    if (!listed) continue;
    const { symbol, decimals } = listed;
    const shown = { free: await freeOf(ledger, asset), low, target, ...(high === undefined ? {} : { high }) };
    for (const [level, value] of Object.entries(shown))
      stock.set({ asset, symbol, level }, shownNumber(formatUnits(value, decimals)));
  }
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
