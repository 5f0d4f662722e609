import { type Instant, instant } from '../kernel/clock.ts';
import type { Db, Statement } from './db.ts';

/** Scanners write the time of every page, as long as anything works at all. */
const NEWEST: Statement = { name: 'newest_instant', text: 'SELECT max(at) AS at FROM scan_cursor' };

/** When something was last done here, by the clock of whoever did it; undefined in a new database. */
export async function newestInstant(db: Pick<Db, 'query'>): Promise<Instant | undefined> {
  const [row] = await db.query(NEWEST);
  return row?.at === null || row?.at === undefined ? undefined : instant(Number(row.at));
}
