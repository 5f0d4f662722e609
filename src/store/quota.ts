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

const TAKE_ALL = { name: 'quota_take_all', text: 'SELECT quota_take_all($1, $2, $3, $4, $5, $6) AS answers' };
const GIVE_BACK = { name: 'quota_give_back', text: 'SELECT quota_give_back($1, $2, $3)' };
const SWEEP = { name: 'quota_sweep', text: 'SELECT forgotten, next_page FROM quota_sweep($1, $2, $3, $4)' };

/**
 * What `quota_take_all` answers: of each request which bucket refuses it, counted from one, and for how long; of each bucket that a request
 * wanted how many hits are left and when one more is free.
 */
type Answers = readonly [
  exhausted: readonly number[],
  waits: readonly (number | null)[],
  remaining: readonly number[],
  resets: readonly number[],
];

interface Swept extends Row {
  readonly forgotten: string;
  readonly next_page: string;
}

export function openQuota(db: Db) {
  let nextPage = '0';

  /** In one transaction: each decision comes after those before it. */
  async function takeAll(asked: readonly Asked[]): Promise<readonly Taken[]> {
    const limits = new Map(asked.flatMap(({ buckets }) => buckets.map((bucket) => [storedName(bucket), bucket])));
    const names = [...limits.keys()].sort();
    if (names.length === 0) return asked.map(() => ({ left: [] }));
    const places = new Map(names.map((name, at) => [name, at + 1]));
    const wanted = asked.map(({ buckets }) =>
      buckets.map((bucket) => present(places.get(storedName(bucket)), 'a bucket')).sort((a, b) => a - b),
    );
    const bucketAt = (place: number): Bucket => present(limits.get(names[place - 1] ?? ''), 'a bucket that was named');
    const [row] = await db.query(TAKE_ALL, [
      QUOTA_WINDOW_MS,
      names,
      names.map((_, at) => bucketAt(at + 1).limit),
      asked.map(({ now }) => now),
      wanted.map(({ length }) => length),
      wanted.flat(),
    ]);
    const [exhausted, waits, remaining, resets] = present(row, 'answer of quota_take_all').answers as Answers;
    let told = 0;
    return wanted.map((its, request): Taken => {
      const first = told;
      told += its.length;
      const full = exhausted[request];
      if (full) return { exhausted: { bucket: bucketAt(full).name, waitMs: present(waits[request], 'how long') } };
      return {
        left: its.map((place, at) => ({
          bucket: bucketAt(place).name,
          remaining: present(remaining[first + at], 'what is left'),
          resetMs: present(resets[first + at], 'when more is left'),
        })),
      };
    });
  }

  return {
    take: async (buckets: readonly Bucket[], now: Instant): Promise<Taken> =>
      present((await takeAll([{ buckets, now }]))[0], 'answer to one'),

    takeAll,

    async giveBack(buckets: readonly Bucket[], takenAt: Instant): Promise<void> {
      const sorted = new Map(buckets.map((bucket) => [storedName(bucket), bucket.limit]));
      const names = [...sorted.keys()].sort();
      await db.query(GIVE_BACK, [takenAt, names, names.map((name) => sorted.get(name))]);
    },

    async sweep(now: Instant): Promise<number> {
      const [row] = await db.query<Swept>(SWEEP, [now, QUOTA_WINDOW_MS, SWEEP_PAGES, nextPage]);
      const { forgotten, next_page } = present(row, 'answer of quota_sweep');
      nextPage = next_page;
      return Number(forgotten);
    },
  };
}

/** As the database knows it: a ring has as many slots as its limit, and whoever has another limit has another ring. */
const storedName = ({ name, limit }: Bucket): string => `${name}/${limit}`;
