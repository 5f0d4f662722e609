import type { Db, Statement } from './db.ts';

/** How far the server that writes has come. */
const POSITION: Statement = { name: 'replica_position', text: 'SELECT pg_current_wal_lsn()::text AS position' };
/** A server that was promoted is nobody's replica any more, whatever it has replayed. */
const STANDING: Statement = {
  name: 'replica_standing',
  text: `SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn AS has_reached,
      greatest(0, coalesce(pg_wal_lsn_diff($2::pg_lsn, pg_last_wal_replay_lsn()), 0))::float8 AS behind`,
};

export interface Standing {
  /** It has replayed all that was written before the position asked for. */
  readonly hasReached: boolean;
  /** Bytes that were written and that it has not replayed. */
  readonly behind: number;
}

/** Where the two servers stand. */
export const openStanding = (primary: Pick<Db, 'query'>, replica: Pick<Db, 'query'>) => ({
  async position(): Promise<string> {
    const [row] = await primary.query(POSITION);
    return row?.position as string;
  },
  async standing(fence: string, now: string): Promise<Standing> {
    const [row] = await replica.query(STANDING, [fence, now]);
    return { hasReached: row?.has_reached === true, behind: row?.behind as number };
  },
});

export type Standings = ReturnType<typeof openStanding>;
