/** Seconds sorted into a few hundred buckets, so that a median can be told from counts: exact below a minute, then within 5 %. */
const BUCKETS = 256;
const EXACT_SECONDS = 60;

/** The least seconds of each bucket, rising. */
const BOUNDS: readonly number[] = Array.from({ length: BUCKETS - 1 }).reduce<number[]>(
  (bounds) => {
    const last = bounds.at(-1) ?? 0;
    return [...bounds, last < EXACT_SECONDS ? last + 1 : Math.floor((last * 105) / 100)];
  },
  [0],
);

export function bucketOf(seconds: number): number {
  const above = BOUNDS.findIndex((bound) => bound > seconds);
  return above === -1 ? BUCKETS - 1 : Math.max(above - 1, 0);
}

/** Of as many orders as the counts say, the time that half of them were faster than; undefined where there are none. */
export function medianOf(counts: readonly number[]): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let below = 0;
  const bucket = counts.findIndex((count) => {
    below += count;
    return below * 2 >= total;
  });
  return BOUNDS[bucket];
}
