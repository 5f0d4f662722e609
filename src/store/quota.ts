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
  /** Gives one hit of every bucket back that was taken then, as if it had never been. */
  giveBack(buckets: readonly Bucket[], takenAt: Instant): Promise<void>;
  /** Forgets what is older than a window among the next buckets; the number of those forgotten. */
  sweep(now: Instant): Promise<number>;
}

/** What one request asks for. */
export interface Asked {
  readonly buckets: readonly Bucket[];
  readonly now: Instant;
}

export const QUOTA_WINDOW_MS = 60_000;
/** A sweep looks at so many pages and the next one goes on from there: it is short, so that it never holds up a request. */
const SWEEP_PAGES = 16;

const TAKE = {
  name: 'quota_take',
  text: 'SELECT exhausted, wait_ms, remaining, reset_ms FROM quota_take($1, $2, $3, $4)',
};
const TAKE_ALL = { name: 'quota_take_all', text: 'SELECT quota_take_all($1, $2, $3::jsonb) AS answers' };
const GIVE_BACK = { name: 'quota_give_back', text: 'SELECT quota_give_back($1, $2, $3)' };
const SWEEP = { name: 'quota_sweep', text: 'SELECT forgotten, next_page FROM quota_sweep($1, $2, $3, $4)' };

interface TakenRow extends Row {
  readonly exhausted: string | null;
  readonly wait_ms: string | null;
  readonly remaining: readonly number[] | null;
  readonly reset_ms: readonly string[] | null;
}

/** What `quota_take` answers, in the order of its columns. */
type Answer = readonly [string | null, number | null, readonly number[] | null, readonly number[] | null];

interface Swept extends Row {
  readonly forgotten: string;
  readonly next_page: string;
}

export function openQuota(db: Db) {
  let nextPage = '0';
  return {
    async take(buckets: readonly Bucket[], now: Instant): Promise<Taken> {
      const sorted = stored(buckets);
      if (sorted.length === 0) return { left: [] };
      const names = sorted.map(({ name }) => name);
      const [row] = await db.query<TakenRow>(TAKE, [now, QUOTA_WINDOW_MS, names, sorted.map(({ limit }) => limit)]);
      const { exhausted, wait_ms, remaining, reset_ms } = present(row, 'answer of quota_take');
      return taken(names, [exhausted, Number(wait_ms), remaining, reset_ms?.map(Number) ?? null]);
    },

    /** The same for many, in one transaction: each decision comes after those before it. */
    async takeAll(asked: readonly Asked[]): Promise<readonly Taken[]> {
      const requests = asked.map(({ buckets, now }) => {
        const sorted = stored(buckets);
        return [now, sorted.map(({ name }) => name), sorted.map(({ limit }) => limit)] as const;
      });
      const names = [...new Set(requests.flatMap(([, names]) => names))].sort(byName);
      const [row] = await db.query(TAKE_ALL, [QUOTA_WINDOW_MS, names, JSON.stringify(requests)]);
      const answers = present(row, 'answer of quota_take_all').answers as readonly Answer[];
      return requests.map(([, names], place) => taken(names, present(answers[place], 'answer to each')));
    },

    async giveBack(buckets: readonly Bucket[], takenAt: Instant): Promise<void> {
      const sorted = stored(buckets);
      await db.query(GIVE_BACK, [takenAt, sorted.map(({ name }) => name), sorted.map(({ limit }) => limit)]);
    },

    async sweep(now: Instant): Promise<number> {
      const [row] = await db.query<Swept>(SWEEP, [now, QUOTA_WINDOW_MS, SWEEP_PAGES, nextPage]);
      const { forgotten, next_page } = present(row, 'answer of quota_sweep');
      nextPage = next_page;
      return Number(forgotten);
    },
  };
}

const byName = (a: string, b: string): number => (a < b ? -1 : 1);

/** As the database knows them, in the order in which everybody locks them. */
const stored = (buckets: readonly Bucket[]): readonly Bucket[] =>
  buckets.map(({ name, limit }) => ({ name: `${name}/${limit}`, limit })).sort((a, b) => byName(a.name, b.name));

function taken(names: readonly string[], [exhausted, waitMs, remaining, resetMs]: Answer): Taken {
  if (exhausted !== null) return { exhausted: { bucket: bucketOf(exhausted), waitMs: present(waitMs, 'how long') } };
  return {
    left: names.map((name, place) => ({
      bucket: bucketOf(name),
      remaining: present(remaining?.[place], 'what is left'),
      resetMs: present(resetMs?.[place], 'when more is left'),
    })),
  };
}

const bucketOf = (stored: string): string => stored.slice(0, stored.lastIndexOf('/'));
