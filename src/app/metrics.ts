import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Outbound } from '../world/outbound/http.ts';

/** Numbers older than this are of a process that has ended. */
export const METRICS_AGE_MS = 30_000;

const SKEW = 'wherry_clock_skew_seconds';

/** One registry per process; the operator port serves the API's own and what engines left in the database. */
export function openMetrics(role: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ role });
  collectDefaultMetrics({ register: registry, prefix: 'wherry_' });
  const requests = new Histogram({
    name: 'wherry_http_request_seconds',
    help: 'Answers by route and status',
    labelNames: ['route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  const calls = new Histogram({
    name: 'wherry_outbound_call_seconds',
    help: 'Calls to counterparties by target, method and outcome',
    labelNames: ['at', 'label', 'outcome'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  const orders = new Gauge({
    name: 'wherry_orders',
    help: 'Open orders by phase',
    labelNames: ['phase'],
    registers: [registry],
  });
  const cases = new Gauge({ name: 'wherry_cases', help: 'Cases that wait for a person', registers: [registry] });
  const effects = new Gauge({
    name: 'wherry_effects_waiting',
    help: 'Instructions that are due, a thousand at most',
    registers: [registry],
  });
  const rounds = new Gauge({
    name: 'wherry_rounds_failing',
    help: 'Rounds that keep failing, by name',
    labelNames: ['round'],
    registers: [registry],
  });
  const months = new Gauge({
    name: 'wherry_months_ready',
    help: 'Months in a row, from this one on, that have tables; below 2 the round of months does not work',
    registers: [registry],
  });
  const replica = {
    used: new Gauge({
      name: 'wherry_replica_used',
      help: '1 while orders are read from the replica',
      registers: [registry],
    }),
    behind: new Gauge({
      name: 'wherry_replica_behind_bytes',
      help: 'What the replica has not replayed yet',
      registers: [registry],
    }),
    reads: new Counter({
      name: 'wherry_replica_reads_total',
      help: 'Orders that were read, by the server that answered',
      labelNames: ['by'],
      registers: [registry],
    }),
  };
  const skew = new Gauge({
    name: SKEW,
    help: 'By how much our clock is ahead of others; of several processes the one that is furthest off',
    labelNames: ['against'],
    aggregator: 'first',
    registers: [registry],
  });
  const solvency = new Gauge({
    name: 'wherry_solvency',
    help: 'What is held and what is owed of each asset, in whole coins',
    labelNames: ['asset', 'symbol', 'side'],
    registers: [registry],
  });
  const stock = new Gauge({
    name: 'wherry_stock',
    help: 'What is free of each asset that has levels, and its levels, in whole coins',
    labelNames: ['asset', 'symbol', 'level'],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'wherry_http_failures_total',
    help: 'Answers that are our fault',
    registers: [registry],
  });

  const observed =
    (outbound: Outbound): Outbound =>
    async (call) => {
      const end = calls.startTimer({ at: call.at, label: call.label });
      try {
        const reply = await outbound(call);
        end({ outcome: String(reply.status) });
        return reply;
      } catch (error) {
        end({ outcome: 'fault' });
        throw error;
      }
    };

  return {
    registry,
    observed,
    orders,
    cases,
    effects,
    rounds,
    months,
    replica,
    skew,
    solvency,
    stock,
    observeRequest({
      route,
      status,
      ms,
    }: {
      readonly route: string;
      readonly status: number;
      readonly ms: number;
    }): void {
      requests.observe({ route, status: String(status) }, ms / 1000);
      if (status >= 500) failures.inc();
    },
  };
}

/** All of them as one page. */
export function together(metrics: Metrics, others: () => Promise<readonly unknown[]>) {
  return {
    contentType: metrics.registry.contentType,
    metrics: async () => {
      const all = [await metrics.registry.getMetricsAsJSON(), ...(await others())];
      return AggregatorRegistry.aggregate(furthestOff(all as readonly Told[]) as object[]).metrics();
    },
  };
}

/** What one process tells, as far as it is looked at here. */
type Told = readonly { readonly name: string; readonly values: readonly Value[] }[];
interface Value {
  readonly labels: object;
  readonly value: number;
}

/** One clock that is ahead and one that is behind would together seem right: of each only the one that is furthest off is told. */
function furthestOff(all: readonly Told[]): readonly Told[] {
  const placeOf = ({ labels }: Value): string => JSON.stringify(Object.entries(labels).sort());
  const furthest = new Map<string, number>();
  for (const one of all.flat().filter(({ name }) => name === SKEW))
    for (const value of one.values)
      furthest.set(placeOf(value), Math.max(furthest.get(placeOf(value)) ?? 0, Math.abs(value.value)));
  const isFurthest = (one: Value): boolean => Math.abs(one.value) === furthest.get(placeOf(one));
  return all.map((told) =>
    told.map((one) => (one.name === SKEW ? { ...one, values: one.values.filter(isFurthest) } : one)),
  );
}

export type Metrics = ReturnType<typeof openMetrics>;
