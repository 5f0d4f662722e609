import type { Instant } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

/**
 * The database notes it as it is posted (`note_result`). A minute that has begun by then counts as a whole, unless a breaker changed in it. What
 * is dated in the future counts from when it was noted, and no longer than anything else.
 */
const RESULT: Statement = {
  name: 'order_results',
  text: `SELECT asset, sum(atoms) AS atoms FROM result WHERE at > $1 AND noted_at > now() - $2 * interval '1 ms'
    GROUP BY asset ORDER BY asset`,
};
/** A clock that stands still, as in a rehearsal, does not make what was noted a moment ago old. */
const LEAST_MS = 60 * 60 * 1000;

/** What orders left the desk with, less what they cost it; negative where they cost more. */
export interface Result {
  readonly asset: AssetId;
  readonly atoms: bigint;
}

export const openResults = (db: Db) => ({
  async since(at: Instant, now: Instant): Promise<readonly Result[]> {
    const rows = await db.query(RESULT, [at, Math.max(now - at, LEAST_MS)]);
    return rows.map((row) => ({ asset: row.asset as AssetId, atoms: BigInt(row.atoms as string) }));
  },
});

export type Results = ReturnType<typeof openResults>;
