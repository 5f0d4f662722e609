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

/** The deposit addresses of one family that were ever issued, for chains that spend deposits where they lie. */
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
  };
}
