import { type Instant, instant } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { VENUE } from './reply.ts';

/** How much is read at a time, and what to do about more. */
export interface Bound {
  readonly pages: number;
  readonly beyond: 'fault' | 'stop';
}

/** A history longer than this in one reading is not ours: fifty thousand rows. */
const WHOLE: Bound = { pages: 100, beyond: 'fault' };

/** Sending costs nothing here: an account that is flooded with dust is read so far, and only its own order is harmed. */
export const FLOOD: Bound = { pages: 10, beyond: 'stop' };

export interface TimedRow {
  readonly key: string;
  readonly at: Instant;
}

/**
 * Reads a history from `since` to its end. The venue starts each page at a time, so a page begins with the rows that
 * ended the one before: they are told apart by key. A full page of one single instant cannot be passed, and says so.
 * Only a page far below the documented size is taken for the last without asking again: a smaller size than documented
 * must not hide rows.
 */
export async function readAll<Row extends TimedRow>(
  what: string,
  since: Instant,
  pageSize: number,
  page: (from: Instant) => Promise<readonly Row[]>,
  bound: Bound = WHOLE,
): Promise<readonly Row[]> {
  const rows = new Map<string, Row>();
  const sorted = () => [...rows.values()].sort((a, b) => a.at - b.at);
  let from = since;
  for (let pages = 0; pages < bound.pages; pages += 1) {
    const found = await page(from);
    const before = rows.size;
    for (const row of found) if (row.at >= since) rows.set(row.key, row);
    const isStill = rows.size === before;
    if (isStill && found.length >= pageSize && bound.beyond === 'fault')
      throw new Fault('ambiguous', VENUE, `${what}: more rows at ${from} than a page holds`);
    if (isStill || found.length < pageSize / 5) return sorted();
    from = instant(Math.max(from, ...found.map((row) => row.at)));
  }
  if (bound.beyond === 'stop') return sorted();
  throw new Fault('ambiguous', VENUE, `${what}: more than ${bound.pages} pages`);
}
