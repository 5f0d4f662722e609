import { present } from '../kernel/assert.ts';
import type { Instant } from '../kernel/clock.ts';
import type { Db, Row } from './db.ts';

/** One limit a request must pass. Those that share a name share a window; a name belongs to one limit. */
export interface Bucket {
  readonly name: string;
  /** Most hits in any window; at least one. */
  readonly limit: number;
}

/** What is left of one limit after a hit. */
export interface Allowance {
  readonly bucket: string;
  readonly remaining: number;
  /** After this long the oldest counted hit leaves the window, and one more is free. */
  readonly resetMs: number;
}

export interface Exhausted {
  readonly bucket: string;
  /** After exactly this long the same request fits. */
  readonly waitMs: number;
}

export type Taken = { readonly left: readonly Allowance[] } | { readonly exhausted: Exhausted };

/** PORT. Sliding windows of a minute, exact over all processes. */
export interface Quota {
  /** Takes one hit of every bucket and says what is left, or takes none and names the bucket with the longest wait. */
  take(buckets: readonly Bucket[], now: Instant): Promise<Taken>;
  /** Forgets what is older than a window; the number of buckets forgotten. */
  sweep(now: Instant): Promise<number>;
}

export const QUOTA_WINDOW_MS = 60_000;
/** A sweep is short, so that it never holds up a request. */
const SWEEP_BUCKETS = 5_000;

const TAKE = {
  name: 'quota_take',
  text: 'SELECT exhausted, wait_ms, remaining, reset_ms FROM quota_take($1, $2, $3, $4)',
};
const SWEEP = { name: 'quota_sweep', text: 'SELECT quota_sweep($1, $2, $3) AS forgotten' };

interface TakenRow extends Row {
  readonly exhausted: string | null;
  readonly wait_ms: string | null;
  readonly remaining: readonly number[] | null;
  readonly reset_ms: readonly string[] | null;
}

interface Swept extends Row {
  readonly forgotten: string;
}

export function openQuota(db: Db): Quota {
  return {
    async take(buckets, now) {
      const named = buckets.map(({ name, limit }) => ({ name: `${name}/${limit}`, limit }));
      const sorted = named.sort((a, b) => (a.name < b.name ? -1 : 1));
      if (sorted.length === 0) return { left: [] };
      const names = sorted.map(({ name }) => name);
      const [row] = await db.query<TakenRow>(TAKE, [now, QUOTA_WINDOW_MS, names, sorted.map(({ limit }) => limit)]);
      const { exhausted, wait_ms, remaining, reset_ms } = present(row, 'answer of quota_take');
      if (exhausted !== null) return { exhausted: { bucket: bucketOf(exhausted), waitMs: Number(wait_ms) } };
      return {
        left: names.map((name, place) => ({
          bucket: bucketOf(name),
          remaining: present(remaining?.[place], 'what is left'),
          resetMs: Number(present(reset_ms?.[place], 'when more is left')),
        })),
      };
    },

    async sweep(now) {
      const [row] = await db.query<Swept>(SWEEP, [now, QUOTA_WINDOW_MS, SWEEP_BUCKETS]);
      return Number(present(row, 'answer of quota_sweep').forgotten);
    },
  };
}

const bucketOf = (stored: string): string => stored.slice(0, stored.lastIndexOf('/'));
