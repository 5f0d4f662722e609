import type { Instant } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

/** What is the desk's own, also while it is on its way to a deposit address as gas. */
const OURS = (account: string): string =>
  `(${account} IN ('treasury', 'fees', 'gas') OR ${account} LIKE 'left:%' OR ${account} LIKE 'payment:%:gas%')`;

/** Moves between our own accounts, and what the house does without an order, are neither profit nor loss. */
const RESULT: Statement = {
  name: 'order_results',
  text: `SELECT asset, sum(CASE WHEN ${OURS('to_account')} THEN atoms ELSE 0 END - CASE WHEN ${OURS('from_account')} THEN atoms ELSE 0 END) AS atoms
    FROM posting WHERE at > $1 AND owner <> 'treasury' GROUP BY asset ORDER BY asset`,
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
