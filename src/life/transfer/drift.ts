import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { Case, CaseRef } from '../case/case.ts';
import type { Reading } from './readings.ts';

export interface DriftReports {
  readonly clock: Clock;
  raise(about: Case): Promise<void>;
  over(about: CaseRef): Promise<void>;
}

/** Payments on their way make the two differ for as long as they take, the slowest chain's included. */
const LASTING_MS = 10 * 60 * 1000;
/** A clock that is moved, or a process that slept, must not make two readings look like many. */
const LASTING_READINGS = 60;

interface Drift {
  readonly since: Instant;
  readonly readings: number;
  /** What every reading since then had in common. */
  readonly least: bigint;
  /** What a person was told of; told again only when it changes, so that closing it helps. */
  readonly told: bigint | undefined;
}

/** Takes each reading; raises a case where ledger and chain differ for long, by what they differed by all the time. */
export function watchDrift({ clock, raise, over }: DriftReports) {
  const drifts = new Map<AssetId, Drift>();
  /** Assets that are known to have no case. */
  const isQuiet = new Set<AssetId>();

  return async (asset: AssetId, { spendable, locked, expected }: Reading): Promise<void> => {
    const now = clock.now();
    const least = inCommon(drifts.get(asset)?.least, spendable + locked - expected);
    if (least === 0n) {
      drifts.delete(asset);
      if (!isQuiet.has(asset)) await over({ case: 'drift', subject: asset });
      isQuiet.add(asset);
      return;
    }
    const { since, readings, told } = drifts.get(asset) ?? { since: now, readings: 0, told: undefined };
    const isLasting = readings + 1 >= LASTING_READINGS && now >= later(since, LASTING_MS) && told !== least;
    drifts.set(asset, { since, readings: readings + 1, least, told: isLasting ? least : told });
    if (!isLasting) return;
    isQuiet.delete(asset);
    await raise({ case: 'drift', asset, atoms: least });
  };
}

/** Of two differences the smaller, if both lie on the same side; nothing if not. */
function inCommon(before: bigint | undefined, now: bigint): bigint {
  if (before === undefined) return now;
  if (before > 0n && now > 0n) return before < now ? before : now;
  if (before < 0n && now < 0n) return before > now ? before : now;
  return 0n;
}
