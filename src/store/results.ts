import type { Instant } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

/** What is the desk's own, also while it is on its way to a deposit address as gas. */
const OURS = (account: string): string =>
  `(${account} IN ('treasury', 'fees', 'gas') OR ${account} LIKE 'left:%' OR ${account} LIKE 'payment:%:gas%')`;

/** What a provider delivered was booked as the treasury's when it came; that it goes on to its order costs nobody anything. */
const PASSED_ON = `(p.from_account = 'treasury' AND p.to_account = 'order:' || p.owner AND EXISTS (
    SELECT 1 FROM delivery AS d JOIN sighting AS s ON s.chain_id = d.chain_id AND s.key = d.key
    WHERE split_part(d.deal, ':', 1) = p.owner AND s.asset = p.asset AND s.credited = p.atoms))`;

/** Moves between our own accounts, and what the house does without an order, are neither profit nor loss. */
const RESULT: Statement = {
  name: 'order_results',
  text: `SELECT p.asset, sum(
      CASE WHEN ${OURS('p.to_account')} THEN p.atoms ELSE 0 END - CASE WHEN ${OURS('p.from_account')} THEN p.atoms ELSE 0 END) AS atoms
    FROM posting AS p WHERE p.at > $1 AND p.owner <> 'treasury' AND NOT ${PASSED_ON} GROUP BY p.asset ORDER BY p.asset`,
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
