import type { Address } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

const ISSUE: Statement = {
  name: 'address_issue',
  text: `WITH issued AS (
      INSERT INTO deposit_address (space, index, address)
      SELECT $1, index, address FROM unnest($2::int[], $3::text[]) AS t (index, address) ON CONFLICT (space, index) DO NOTHING
      RETURNING space, index, address)
    INSERT INTO deposit_spelling (space, spelling, index)
    SELECT space, spelling, index FROM issued JOIN unnest($4::text[], $5::text[]) AS t (address, spelling) USING (address)`,
};
const UNSPELLED: Statement = {
  name: 'address_unspelled',
  text: `SELECT index, address FROM deposit_address AS a
    WHERE space = $1 AND index >= $2 AND NOT EXISTS (SELECT 1 FROM deposit_spelling AS s WHERE s.space = a.space AND s.index = a.index)
    ORDER BY index LIMIT $3`,
};
const SPELL: Statement = {
  name: 'address_spell',
  text: `INSERT INTO deposit_spelling (space, spelling, index)
    SELECT space, spelling, index FROM deposit_address JOIN unnest($2::text[], $3::text[]) AS t (address, spelling) USING (address)
    WHERE space = $1 ON CONFLICT DO NOTHING`,
};
const POOL: Statement = {
  name: 'address_pool',
  text: `SELECT (SELECT count(*) FROM deposit_address WHERE space = $1 AND order_id IS NULL AND burned_at IS NULL) AS free,
      (SELECT coalesce(max(index) + 1, 0) FROM deposit_address WHERE space = $1) AS next`,
};

/** The other texts under which each of these addresses can be paid. */
type Spellings = ReadonlyMap<Address, readonly Address[]>;

/** Deposit addresses that were made, and every text under which they can be paid. */
export function issuedAddresses(db: Db) {
  return {
    /** Free addresses, and the first index that was never issued. */
    async pool(space: string): Promise<{ readonly free: number; readonly next: number }> {
      const [row] = await db.query(POOL, [space]);
      return { free: Number(row?.free ?? 0), next: Number(row?.next ?? 0) };
    },

    /** With the other spellings of each, where there are any. */
    async issue(
      space: string,
      first: number,
      addresses: readonly Address[],
      spellings: Spellings = new Map(),
    ): Promise<void> {
      const indexes = addresses.map((_, offset) => first + offset);
      await db.query(ISSUE, [space, indexes, addresses, ...columns(spellings)]);
    },

    async unspelled(space: string, from: number, most: number) {
      const rows = await db.query(UNSPELLED, [space, from, most]);
      return rows.map((row) => ({ index: row.index as number, address: row.address as Address }));
    },

    async spell(space: string, spellings: Spellings): Promise<void> {
      await db.query(SPELL, [space, ...columns(spellings)]);
    },
  };
}

function columns(spellings: Spellings): readonly [readonly Address[], readonly Address[]] {
  const rows = [...spellings].flatMap(([address, others]) => others.map((other) => [address, other] as const));
  return [rows.map(([address]) => address), rows.map(([, other]) => other)];
}
