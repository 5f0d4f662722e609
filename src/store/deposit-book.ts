import type { Instant } from '../kernel/clock.ts';
import type { Address } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

const COUNT: Statement = {
  name: 'deposit_count',
  text: 'SELECT coalesce(max(index) + 1, 0) AS n FROM deposit_address WHERE space = $1',
};
const INDEXES: Statement = {
  name: 'deposit_indexes',
  text: 'SELECT address, index FROM deposit_address WHERE space = $1 AND address = ANY ($2)',
};
const TAKEN: Statement = {
  name: 'deposit_taken',
  text: `SELECT a.index, a.address, coalesce(o.created_at, a.burned_at) AS since, a.emptied_at IS NOT NULL AS was_emptied
    FROM deposit_address AS a LEFT JOIN orders AS o ON o.id = a.order_id
    WHERE a.space = $1 AND a.index < $2::bigint AND (a.order_id IS NOT NULL OR a.burned_at IS NOT NULL)
    ORDER BY a.index DESC LIMIT $3`,
};

/** The deposit addresses of one family that were ever issued, for chains that must know them beforehand. */
export function openDepositBook(db: Db, space: string) {
  return {
    /** Every index handed out is below this. */
    async count(): Promise<number> {
      const [row] = await db.query(COUNT, [space]);
      return Number(row?.n ?? 0);
    },

    async indexes(addresses: readonly Address[]): Promise<ReadonlyMap<Address, number>> {
      const rows = await db.query(INDEXES, [space, addresses]);
      return new Map(rows.map((row) => [row.address as Address, Number(row.index)]));
    },

    /** Those that orders have, or forgotten orders may have, of an index below `below`: the highest first, and since when. */
    async taken(below: number, most: number) {
      const rows = await db.query(TAKEN, [space, below, most]);
      return rows.map((row) => ({
        index: Number(row.index),
        address: row.address as Address,
        since: Number(row.since) as Instant,
        wasEmptied: row.was_emptied as boolean,
      }));
    },
  };
}
