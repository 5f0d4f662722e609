import { type MeasureParts, type TripBounds, tripMeasures } from '../../src/engine/trip-measures.ts';
import { tripWatch } from '../../src/engine/trip-watch.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { usd } from '../../src/kernel/usd.ts';
import { openCases } from '../../src/store/cases.ts';
import type { Db } from '../../src/store/db.ts';
import { openBreakers } from '../../src/store/gates.ts';
import { openResults } from '../../src/store/results.ts';
import { openShortDeliveries } from '../../src/store/short-deliveries.ts';
import { openSignerRefusals } from '../../src/store/signer-refusals.ts';

export const BOUNDS: TripBounds = {
  apartUsd: usd(1_000),
  lostUsd: [
    { hours: 1, most: usd(500) },
    { hours: 24, most: usd(2_000) },
  ],
  priceApart: 1_000n,
  orphanedUsd: usd(250),
  failingMinutes: 15n,
  shortDeliveries: 1n,
  signerRefusals: 0n,
};

/** What looks for a reason to open a breaker, over a database, as every engine has it; a second one is another process. */
export function tripDesk(db: Db, clock: Clock, given: Partial<MeasureParts> = {}) {
  const [breakers, cases] = [openBreakers(db, clock), openCases(db, clock)];
  const [shortDeliveries, refusals] = [openShortDeliveries(db, clock), openSignerRefusals(db, clock)];
  const measures = tripMeasures({
    ...{ bounds: BOUNDS, results: openResults(db), shortDeliveries, refusals, clock },
    // An atom of everything is a millionth of a dollar here.
    worth: async ({ atoms }) => atoms as bigint as ReturnType<typeof usd>,
    prices: async () => [],
    stops: (round) => (round === 'scan Nowhere' ? 'chain:9' : undefined),
    ...given,
  });
  return { breakers, cases, shortDeliveries, refusals, look: tripWatch({ breakers, cases, measures }) };
}
