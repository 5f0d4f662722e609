import type { Clock } from '../kernel/clock.ts';
import type { Db, Statement } from './db.ts';

/** Deals in which a provider fell short since its breaker was last touched. */
export interface FellShort {
  readonly provider: string;
  readonly deals: number;
  readonly last: string;
}

/** PORT. Which deals providers fell short in. */
export interface ShortDeliveries {
  /** Counts this deal once. */
  note(provider: string, deal: string): Promise<void>;
  counts(): Promise<readonly FellShort[]>;
}

const NOTE: Statement = {
  name: 'short_delivery_note',
  text: 'INSERT INTO short_delivery (deal, provider, at) VALUES ($1, $2, $3) ON CONFLICT (deal) DO NOTHING',
};

const COUNTS: Statement = {
  name: 'short_delivery_counts',
  text: `SELECT s.provider, count(*) AS deals, (array_agg(s.deal ORDER BY s.at DESC))[1] AS last
    FROM short_delivery AS s LEFT JOIN breaker AS b ON b.scope = 'provider:' || s.provider
    WHERE s.at > coalesce(b.changed_at, 0) GROUP BY s.provider ORDER BY s.provider`,
};

export function openShortDeliveries(db: Db, clock: Clock): ShortDeliveries {
  return {
    async note(provider, deal) {
      await db.query(NOTE, [deal, provider, clock.now()]);
    },
    async counts() {
      return (await db.query(COUNTS)).map((row) => ({
        provider: row.provider as string,
        deals: Number(row.deals),
        last: row.last as string,
      }));
    },
  };
}
