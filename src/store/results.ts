import type { Instant } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

/** The database notes it as it is posted (`note_result`). A minute that has begun by then counts as a whole, unless a breaker changed in it. */
const RESULT: Statement = {
  name: 'order_results',
  text: 'SELECT asset, sum(atoms) AS atoms FROM result WHERE at > $1 GROUP BY asset ORDER BY asset',
};

/** What orders left the desk with, less what they cost it; negative where they cost more. */
export interface Result {
  readonly asset: AssetId;
  readonly atoms: bigint;
}

export const openResults = (db: Db) => ({
  async since(at: Instant): Promise<readonly Result[]> {
    const rows = await db.query(RESULT, [at]);
    return rows.map((row) => ({ asset: row.asset as AssetId, atoms: BigInt(row.atoms as string) }));
  },
});

export type Results = ReturnType<typeof openResults>;
