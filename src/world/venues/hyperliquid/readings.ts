import { type Clock, type Instant, instant } from '../../../kernel/clock.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { ReadHistoryPage } from './history.ts';
import type { RawUpdate } from './ledger.ts';

/** So much of a history as has been read. */
export interface ReadSoFar {
  readonly rows: readonly RawUpdate[];
  readonly next: Instant;
  readonly isEnd: boolean;
  /** Nothing was passed over. */
  readonly isWhole: boolean;
}

export interface Stretch {
  readonly user: Address;
  readonly since: Instant;
  readonly until: Instant;
  /** A reading that is younger will do. */
  readonly keepMs: number;
}

interface Reading {
  readonly begunAt: Instant;
  readonly readAt: Instant;
  readonly soFar: Promise<ReadSoFar>;
}

/** Anyone may fill a history: one look reads so many pages of it, and the next one goes on from there. */
const PAGES_AT_A_LOOK = 4;
/** Rows may show late: what was read to its end so long ago is read anew. */
const ANEW_MS = 600_000;
/** Readings that are kept at once. */
const MOST_READINGS = 64;

/** Readings of histories that are shared by whoever asks for the same stretch under the same name. */
export function openReadings(
  history: ReadHistoryPage,
  clock: Clock,
): (name: string, of: Stretch) => Promise<ReadSoFar> {
  const readings = new Map<string, Reading>();
  return (name, of) => {
    const now = clock.now();
    const known = readings.get(name);
    if (known && now - known.readAt < of.keepMs) return known.soFar;
    if (readings.size >= MOST_READINGS) readings.clear();
    const soFar = goOn(history, of, known);
    const begunAt = known?.begunAt ?? now;
    const reading: Reading = { begunAt, readAt: now, soFar };
    readings.set(name, reading);
    soFar
      .then(({ isEnd }) => isEnd && now - begunAt >= ANEW_MS && readings.delete(name))
      // What was read before is as good as it was.
      .catch(() => (known ? readings.set(name, known) : readings.delete(name)));
    return soFar;
  };
}

async function goOn(
  history: ReadHistoryPage,
  { user, since, until }: Stretch,
  known: Reading | undefined,
): Promise<ReadSoFar> {
  let read: ReadSoFar = (await known?.soFar) ?? { rows: [], next: since, isEnd: false, isWhole: true };
  const rows = new Map(read.rows.map((row) => [row.key, row]));
  for (let pages = 0; pages < PAGES_AT_A_LOOK; pages += 1) {
    const page = await history(user, read.next, until);
    for (const row of page.rows) rows.set(row.key, row);
    const next = instant(Math.max(read.next, page.next));
    read = { rows: read.rows, next, isEnd: page.isEnd, isWhole: read.isWhole && page.passedOver === undefined };
    if (page.isEnd) break;
  }
  return { ...read, rows: [...rows.values()] };
}
