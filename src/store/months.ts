import type { Instant } from '../kernel/clock.ts';
import type { Db, Statement } from './db.ts';

const MAKE: Statement = { name: 'months_make', text: 'SELECT make_months($1) AS made' };
const READY: Statement = { name: 'months_ready', text: 'SELECT months_ready($1) AS n' };

/** Tables of months, which are made ahead. */
export function openMonths(db: Pick<Db, 'query'>) {
  return {
    /** This month's and those of the next two, where they are missing. False where somebody is in the way, as a backup is: nobody waits for them. */
    async make(now: Instant): Promise<boolean> {
      const [row] = await db.query(MAKE, [now]);
      return row?.made !== null;
    },
    /** How many months in a row, this one included, have tables. What comes in others is caught, and moves over when they are made. */
    async ready(now: Instant): Promise<number> {
      const [row] = await db.query(READY, [now]);
      return Number(row?.n);
    },
  };
}

export type Months = ReturnType<typeof openMonths>;
