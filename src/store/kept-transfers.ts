import type { Address, ChainId } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

const KEPT_AT: Statement = {
  name: 'sighting_kept_at',
  text: `SELECT a.address, (SELECT count(*) FROM (SELECT 1 FROM sighting AS s WHERE s.address = a.address LIMIT $2) AS first)::integer AS kept
    FROM unnest($1::text[]) AS a (address)`,
};
const KNOWN: Statement = {
  name: 'sighting_known',
  text: 'SELECT key FROM sighting WHERE chain_id = $1 AND key = ANY ($2::text[])',
};

/** What is kept of the transfers to an address, before more of them are. */
export const keptTransfers = (db: Db) => ({
  async keptAt(addresses: readonly Address[], most: number): Promise<ReadonlyMap<Address, number>> {
    const rows = await db.query(KEPT_AT, [addresses, most]);
    return new Map(rows.map((row) => [row.address as Address, row.kept as number]));
  },

  async known(chain: ChainId, keys: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await db.query(KNOWN, [chain, keys])).map((row) => row.key as string));
  },
});
