import type { Db, DbSession, Statement } from '../store/db.ts';
import type { Beating } from './heartbeat.ts';

const TRY: Statement = { name: 'leader_try', text: 'SELECT pg_try_advisory_lock($1::int, hashtext($2)) AS won' };
const CLASS = 7425;
/** A seat that somebody else has is asked for this often: so long may one be empty. */
const ASK_AGAIN_MS = 1_000;

/** Leads for as long as its connection lives; another process takes over within a second. */
export interface Leadership extends Beating {
  /**
   * True while this process leads `seat`. Cheap: asks the database only until it has won, and not at every call. Two seats
   * whose names have the same hash go to one process together.
   */
  leads(seat: string): Promise<boolean>;
  close(): Promise<void>;
}

/** `onLost`: the connection is gone and every seat with it; the process must begin anew. */
export async function openLeadership(
  db: Db,
  onLost: () => void,
  afterAWhile = (forget: () => void): void => void setTimeout(forget, ASK_AGAIN_MS).unref(),
): Promise<Leadership> {
  const session: DbSession = await db.session();
  const won = new Set<string>();
  const refused = new Set<string>();
  let isLost = false;
  session.onLost(() => {
    isLost = true;
    won.clear();
    onLost();
  });
  return {
    leads: async (seat) => {
      if (isLost) return false;
      if (won.has(seat)) return true;
      if (refused.has(seat)) return false;
      const [row] = await session.query(TRY, [CLASS, seat]);
      if (row?.won === true) won.add(seat);
      else {
        refused.add(seat);
        afterAWhile(() => refused.delete(seat));
      }
      return won.has(seat);
    },
    beat: () => session.beat(),
    close: () => session.close(),
  };
}
