import type { Clock } from '../kernel/clock.ts';
import type { Db, Statement } from './db.ts';

/** PORT. Which deals a provider fell short in. */
export interface ShortDeliveries {
  /** Counts this deal once, and gives how many of the provider's fell short since its breaker was last touched. */
  note(provider: string, deal: string): Promise<number>;
}

const NOTE: Statement = {
  name: 'short_delivery_note',
  text: 'INSERT INTO short_delivery (deal, provider, at) VALUES ($1, $2, $3) ON CONFLICT (deal) DO NOTHING',
};

const COUNT: Statement = {
  name: 'short_delivery_count',
  text: `SELECT count(*) AS short FROM short_delivery
    WHERE provider = $1 AND at > coalesce((SELECT changed_at FROM breaker WHERE scope = $2), 0)`,
};

export function openShortDeliveries(db: Db, clock: Clock): ShortDeliveries {
  return {
    async note(provider, deal) {
      await db.query(NOTE, [deal, provider, clock.now()]);
      const [row] = await db.query<{ short: string }>(COUNT, [provider, `provider:${provider}`]);
      return Number(row?.short ?? 0);
    },
  };
}
