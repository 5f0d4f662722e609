import type { Instant } from '../kernel/clock.ts';
import type { Db, Statement } from './db.ts';

const MAKE: Statement = { name: 'months_make', text: 'SELECT make_months($1)' };
const READY: Statement = { name: 'months_ready', text: 'SELECT months_ready($1) AS n' };

/** Tables of months, which are made ahead. */
export function openMonths(db: Pick<Db, 'query'>) {
  return {
    /** This month's and those of the next two, where they are missing. */
    async make(now: Instant): Promise<void> {
      await db.query(MAKE, [now]);
    },
    /** How many months in a row, this one included, have tables. What comes in others is caught, and moves over when they are made. */
    async ready(now: Instant): Promise<number> {
      const [row] = await db.query(READY, [now]);
      return Number(row?.n);
    },
  };
}

export type Months = ReturnType<typeof openMonths>;
