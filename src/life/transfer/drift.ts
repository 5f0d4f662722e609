import { type Clock, type Instant, later } from '../../kernel/clock.ts';

export interface DriftReports<T> {
  readonly clock: Clock;
  /** A clock that is moved, or a process that slept, must not make two readings look like many. */
  readonly lastingReadings: number;
  /** What tells the things that are read apart. */
  keyOf(one: T): string;
  raise(one: T, difference: bigint): Promise<void>;
  over(one: T): Promise<void>;
}

/** Payments on their way make the two differ for as long as they take, the slowest chain's included. */
const LASTING_MS = 10 * 60 * 1000;

interface Drift {
  readonly since: Instant;
  readonly readings: number;
  /** What every reading since then had in common. */
  readonly least: bigint;
  /** What a person was told of; told again only when it changes, so that closing it helps. */
  readonly told: bigint | undefined;
}

/**
 * Takes, of each thing that is read, what the chain holds less what the ledger says; raises a case where they differ for
 * long, by what they differed by all the time.
 */
export function watchDrift<T>({ clock, lastingReadings, keyOf, raise, over }: DriftReports<T>) {
  const drifts = new Map<string, Drift>();
  /** What is known to have no case. */
  const isQuiet = new Set<string>();

  return async (one: T, difference: bigint): Promise<void> => {
    const key = keyOf(one);
    const now = clock.now();
    const least = inCommon(drifts.get(key)?.least, difference);
    if (least === 0n) {
      drifts.delete(key);
      if (!isQuiet.has(key)) await over(one);
      isQuiet.add(key);
      return;
    }
    const { since, readings, told } = drifts.get(key) ?? { since: now, readings: 0, told: undefined };
    const isLasting = readings + 1 >= lastingReadings && now >= later(since, LASTING_MS) && told !== least;
    drifts.set(key, { since, readings: readings + 1, least, told: isLasting ? least : told });
    if (!isLasting) return;
    isQuiet.delete(key);
    await raise(one, least);
  };
}

/** Of two differences the smaller, if both lie on the same side; nothing if not. */
function inCommon(before: bigint | undefined, now: bigint): bigint {
  if (before === undefined) return now;
  if (before > 0n && now > 0n) return before < now ? before : now;
  if (before < 0n && now < 0n) return before > now ? before : now;
  return 0n;
}
