import { type Instant, instant } from '../kernel/clock.ts';
import type { Db, Statement } from './db.ts';

const NOW: Statement = {
  name: 'database_clock',
  text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
};

/** The time of day where the database runs. */
export async function databaseNow(db: Pick<Db, 'query'>): Promise<Instant> {
  const [row] = await db.query(NOW);
  return instant(Number(row?.now));
}
