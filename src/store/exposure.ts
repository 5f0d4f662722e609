import type { AssetId } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

/** What orders that trade on the book have of one asset, by what they do there. */
export interface Unfinished {
  readonly side: 'buy' | 'sell';
  readonly asset: AssetId;
  readonly atoms: bigint;
}

/** Few orders are on their way at once, and each is looked up by the names of its own accounts: every collection that is made anew has another. */
const UNFINISHED: Statement = {
  name: 'exposure_unfinished',
  text: `SELECT o.untraded AS side, b.asset, sum(b.atoms) AS atoms
    FROM orders AS o
    JOIN balance AS b ON b.account = ANY (ARRAY['order:' || o.id, 'deposit:' || o.id]
      || ARRAY(SELECT 'deposit-payment:' || p.id FROM payment AS p WHERE p.owner = o.id AND p.purpose = 'collection'))
    WHERE o.untraded IS NOT NULL AND b.atoms > 0 AND (b.asset = o.from_asset OR b.account = 'order:' || o.id)
    GROUP BY o.untraded, b.asset`,
};

export const openExposure = (db: Db) => ({
  async unfinished(): Promise<readonly Unfinished[]> {
    const rows = await db.query(UNFINISHED);
    return rows.map((row) => ({
      side: row.side as Unfinished['side'],
      asset: row.asset as AssetId,
      atoms: BigInt(row.atoms as string),
    }));
  },
});

export type ExposureBook = ReturnType<typeof openExposure>;
