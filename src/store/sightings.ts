import { type Atoms, atoms } from '../kernel/amount.ts';
import type { Instant } from '../kernel/clock.ts';
import type { Address, AssetId, ChainId, OrderId, TxHash } from '../kernel/ids.ts';
import type { KeptSighting } from '../life/order/sighting.ts';
import type { ScanCursor, ScanPage } from '../world/chains/chain.ts';
import { decode, encode } from './codec.ts';
import type { Db, Row, Statement } from './db.ts';

const CURSOR: Statement = { name: 'scan_cursor', text: 'SELECT cursor FROM scan_cursor WHERE chain_id = $1' };
const SAVE: Statement = { name: 'scan_save', text: 'SELECT save_scan($1::jsonb)' };
const WATCHED: Statement = {
  name: 'address_watched',
  text: 'SELECT address FROM deposit_address WHERE space = $1 AND address = ANY($2) AND order_id IS NOT NULL',
};
/** All sightings of every order that has one in motion; of our own accounts only those. */
const LIVE: Statement = {
  name: 'sighting_live',
  text: `SELECT s.*, a.order_id FROM sighting AS s LEFT JOIN deposit_address AS a ON (a.space, a.address) = (s.space, s.address)
    WHERE s.chain_id = $1 AND s.address IN (
      SELECT address FROM sighting WHERE chain_id = $1 AND (state IN ('pool', 'mined') OR changed) LIMIT $2)
      AND (a.order_id IS NOT NULL OR s.state IN ('pool', 'mined') OR s.changed)
    ORDER BY s.first_seen_at, s.key`,
};
const SETTLE: Statement = {
  name: 'sighting_settle',
  text: `UPDATE sighting SET state = 'final', credited = $3, changed = true WHERE chain_id = $1 AND key = $2 AND state = 'mined'`,
};
const REPORTED: Statement = {
  name: 'sighting_reported',
  text: 'UPDATE sighting SET changed = false WHERE chain_id = $1 AND key = ANY($2)',
};
const ISSUE: Statement = {
  name: 'address_issue',
  text: `INSERT INTO deposit_address (space, index, address)
    SELECT $1, index, address FROM unnest($2::int[], $3::text[]) AS t (index, address) ON CONFLICT (space, index) DO NOTHING`,
};
const POOL: Statement = {
  name: 'address_pool',
  text: `SELECT count(*) FILTER (WHERE order_id IS NULL) AS free, coalesce(max(index) + 1, 0) AS next
    FROM deposit_address WHERE space = $1`,
};

export function openSightings(db: Db) {
  return {
    async cursor(chain: ChainId): Promise<ScanCursor | undefined> {
      const [row] = await db.query(CURSOR, [chain]);
      return row && decode<ScanCursor>(row.cursor);
    },

    async savePage(chain: ChainId, space: string, page: ScanPage, at: Instant): Promise<void> {
      const sightings = page.sightings.map(({ block, atoms: value, ...rest }) => ({
        ...rest,
        atoms: value.toString(),
        height: block?.height ?? null,
        blockHash: block?.hash ?? null,
      }));
      const { cursor, heads, pool } = page;
      await db.query(SAVE, [
        encode({ chainId: chain, space, at, cursor, heads, pool, rewoundTo: page.rewoundTo ?? null, sightings }),
      ]);
    },

    async watched(space: string, candidates: readonly Address[]): Promise<ReadonlySet<Address>> {
      if (candidates.length === 0) return new Set();
      return new Set((await db.query(WATCHED, [space, candidates])).map((row) => row.address as Address));
    },

    async live(chain: ChainId, mostAddresses: number): Promise<readonly KeptSighting[]> {
      return (await db.query(LIVE, [chain, mostAddresses])).map(kept);
    },

    async settle(chain: ChainId, key: string, credited: Atoms): Promise<void> {
      await db.query(SETTLE, [chain, key, credited.toString()]);
    },

    async reported(chain: ChainId, keys: readonly string[]): Promise<void> {
      if (keys.length > 0) await db.query(REPORTED, [chain, keys]);
    },

    /** Free addresses, and the first index that was never issued. */
    async pool(space: string): Promise<{ readonly free: number; readonly next: number }> {
      const [row] = await db.query(POOL, [space]);
      return { free: Number(row?.free ?? 0), next: Number(row?.next ?? 0) };
    },

    async issue(space: string, first: number, addresses: readonly Address[]): Promise<void> {
      const indexes = addresses.map((_, offset) => first + offset);
      await db.query(ISSUE, [space, indexes, addresses]);
    },
  };
}

export type Sightings = ReturnType<typeof openSightings>;

function kept(row: Row): KeptSighting {
  const optional = <T>(value: unknown): T | undefined => (value === null ? undefined : (value as T));
  return {
    key: row.key as string,
    orderId: optional<OrderId>(row.order_id),
    address: row.address as Address,
    asset: row.asset as AssetId,
    atoms: atoms(BigInt(row.atoms as string)),
    credited: atoms(BigInt(row.credited as string)),
    txHash: row.tx_hash as TxHash,
    height: row.height === null ? undefined : Number(row.height),
    blockHash: optional<string>(row.block_hash),
    sender: optional<Address>(row.sender),
    firstSeenAt: Number(row.first_seen_at) as Instant,
    state: row.state as KeptSighting['state'],
    changed: row.changed as boolean,
  };
}
