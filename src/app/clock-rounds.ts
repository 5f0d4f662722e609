import { blockClock, type OtherClock, type SkewReports, watchSkew } from '../engine/clock-skew.ts';
import { startRounds } from '../engine/rounds.ts';
import type { Running } from '../engine/worker.ts';
import { databaseNow } from '../store/database-clock.ts';
import type { Db } from '../store/db.ts';
import type { Chain } from '../world/chains/chain.ts';
import type { Venue } from '../world/venues/venue.ts';
import type { ServiceClock } from './clock.ts';
import type { AppLog } from './log.ts';

const EVERY_MS = 5_000;
/** Both are kept by servers that are set right all the time; what is read of the venue may be half a second old. */
export const DATABASE_MS = 5_000;
export const VENUE_MS = 10_000;

export interface ClockParts {
  readonly db: Pick<Db, 'query'>;
  readonly venue: Pick<Venue, 'book'>;
  readonly chains: readonly Pick<Chain, 'facts' | 'newestTime'>[];
  /** In a rehearsal blocks are made by hand, and their times mean nothing. */
  readonly isRehearsal: boolean;
  readonly timeOfDay: ServiceClock['timeOfDay'];
  readonly reports: SkewReports;
  readonly log: AppLog;
}

/** Compares our clock with everybody's whose time matters to us. */
export function watchClocks(parts: ClockParts): Running {
  const { db, venue, chains, isRehearsal, timeOfDay, reports, log } = parts;
  const others: readonly OtherClock[] = [
    // Set back, it is not followed at once, and nobody else's clock shows it.
    { name: 'computer', read: async () => timeOfDay(), mayLead: DATABASE_MS, mayLag: DATABASE_MS },
    { name: 'database', read: () => databaseNow(db), mayLead: DATABASE_MS, mayLag: DATABASE_MS },
    { name: 'venue', read: async () => (await venue.book()).at, mayLead: VENUE_MS, mayLag: VENUE_MS },
    ...chains.flatMap(({ facts, newestTime }) =>
      newestTime ? [blockClock(`chain:${facts.id}`, newestTime, !isRehearsal)] : [],
    ),
  ];
  return startRounds('clocks', EVERY_MS, log, watchSkew(others, reports));
}
