import { type Instant, instant } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { VENUE } from './reply.ts';

/** A history longer than this in one reading is not ours: fifty thousand rows. */
const MAX_PAGES = 100;

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
): Promise<readonly Row[]> {
  const rows = new Map<string, Row>();
  let from = since;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const found = await page(from);
    const before = rows.size;
    for (const row of found) if (row.at >= since) rows.set(row.key, row);
    const isStill = rows.size === before;
    if (isStill && found.length >= pageSize)
      throw new Fault('ambiguous', VENUE, `${what}: more rows at ${from} than a page holds`);
    if (isStill || found.length < pageSize / 5) return [...rows.values()].sort((a, b) => a.at - b.at);
    from = instant(Math.max(from, ...found.map((row) => row.at)));
  }
  throw new Fault('ambiguous', VENUE, `${what}: more than ${MAX_PAGES} pages`);
}
