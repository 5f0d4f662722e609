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

/** Only a page far below the documented size is the last without asking again: a smaller size must not hide rows. */
const isLast = (found: readonly unknown[], pageSize: number): boolean => found.length < pageSize / 5;

/**
 * Reads a history from `since` to its end. The venue starts each page at a time, so a page begins with the rows that
 * ended the one before: they are told apart by key. A full page of one single instant cannot be passed, and says so.
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
    if (isStill || isLast(found, pageSize)) return sorted();
    from = instant(Math.max(from, ...found.map((row) => row.at)));
  }
  if (bound.beyond === 'stop') return sorted();
  throw new Fault('ambiguous', VENUE, `${what}: more than ${bound.pages} pages`);
}

/** What one question tells, and where to go on. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: Instant;
  readonly isEnd: boolean;
  /** More rows of one instant than a page holds: none of them can be passed but all. */
  readonly passedOver: Instant | undefined;
}

/** One page, for who comes back for the next: whatever a history holds, each question gets further. */
export async function readPage<Row extends TimedRow>(
  since: Instant,
  pageSize: number,
  page: (from: Instant) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const found = await page(since);
  const rows = [...found].filter(({ at }) => at >= since).sort((a, b) => a.at - b.at);
  const last = rows.at(-1)?.at ?? since;
  const isEnd = isLast(found, pageSize);
  if (isEnd || last > since) return { rows, next: last, isEnd, passedOver: undefined };
  return { rows, next: instant(since + 1), isEnd, passedOver: found.length >= pageSize ? since : undefined };
}
