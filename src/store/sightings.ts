import { type Amount, type Atoms, amount, atoms } from '../kernel/amount.ts';
import type { Instant } from '../kernel/clock.ts';
import type { Address, AssetId, ChainId, OrderId, TxHash } from '../kernel/ids.ts';
import type { Delivery } from '../life/order/delivery.ts';
import type { KeptSighting } from '../life/order/sighting.ts';
import type { ScanCursor, ScanPage } from '../world/chains/chain.ts';
import { decode, encode } from './codec.ts';
import type { Db, Row, Statement } from './db.ts';

const CURSOR: Statement = { name: 'scan_cursor', text: 'SELECT cursor FROM scan_cursor WHERE chain_id = $1' };
const SAVE: Statement = { name: 'scan_save', text: 'SELECT save_page($1::jsonb) AS saved' };
const WATCHED: Statement = {
  name: 'address_watched',
  text: 'SELECT address FROM deposit_address WHERE space = $1 AND address = ANY($2) AND order_id IS NOT NULL',
};
const EXPECTING: Statement = {
  name: 'address_expecting',
  text: `SELECT $2::text AS address WHERE EXISTS (SELECT 1 FROM orders WHERE expects <> '{}' AND expects @> ARRAY[$1::text])
    UNION ALL (
      SELECT deposit_address FROM (
        (SELECT deposit_address, is_open, created_at FROM orders
          WHERE from_asset = $1 AND from_coin AND is_open
          ORDER BY created_at DESC LIMIT $4)
        UNION ALL
        (SELECT deposit_address, is_open, created_at FROM orders
          WHERE from_asset = $1 AND from_coin AND NOT is_open AND created_at >= $3
          ORDER BY created_at DESC LIMIT $4)) AS asking
      ORDER BY is_open DESC, created_at DESC LIMIT $4)`,
};
/** All sightings of the next orders that have one in motion; of our own accounts only those. */
const LIVE: Statement = {
  name: 'sighting_live',
  text: `SELECT s.*, a.order_id FROM sighting AS s LEFT JOIN deposit_address AS a ON (a.space, a.address) = (s.space, s.address)
    WHERE s.chain_id = $1 AND s.address IN (
      SELECT DISTINCT address COLLATE "C" FROM sighting
      WHERE chain_id = $1 AND (state IN ('pool', 'mined') OR changed) AND address COLLATE "C" > $3
      ORDER BY 1 LIMIT $2)
      AND (a.order_id IS NOT NULL OR s.state IN ('pool', 'mined') OR s.changed)
    ORDER BY s.first_seen_at, s.key`,
};
const SETTLE: Statement = {
  name: 'sighting_settle',
  text: `UPDATE sighting SET state = 'final', credited = $3, is_reward = $4, changed = true WHERE chain_id = $1 AND key = $2 AND state = 'mined'`,
};
const REPORTED: Statement = {
  name: 'sighting_reported',
  text: 'UPDATE sighting SET changed = false WHERE chain_id = $1 AND key = ANY($2)',
};
const UNTOLD: Statement = {
  name: 'sighting_untold',
  text: 'SELECT EXISTS (SELECT 1 FROM sighting WHERE space = $1 AND address = $2 AND changed) AS untold',
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

/**
 * What settled the deal before, or the first unsettled transfer that fits; the right amount before any other. One whose
 * transaction the chain does not tell goes by the name of its block, and fits by its amount.
 */
const DELIVERY: Statement = {
  name: 'delivery_take',
  text: `WITH mine AS (SELECT chain_id, key FROM delivery WHERE deal = $1),
      found AS (
        SELECT s.chain_id, s.key FROM sighting AS s
        WHERE s.chain_id = $2 AND s.address = $3 AND s.state = 'final' AND s.credited > 0
          AND s.first_seen_at >= $7
          AND CASE WHEN $6::text IS NULL THEN s.asset = $4 AND s.atoms = $5::numeric
              ELSE lower(s.tx_hash) = lower($6)
                OR s.tx_hash = s.block_hash AND s.asset = $4 AND s.atoms = $5::numeric END
          AND NOT EXISTS (SELECT 1 FROM delivery AS d WHERE (d.chain_id, d.key) = (s.chain_id, s.key))
          AND NOT EXISTS (SELECT 1 FROM mine)
        ORDER BY s.atoms = $5::numeric DESC, s.first_seen_at, s.key LIMIT 1),
      taken AS (
        INSERT INTO delivery (chain_id, key, deal) SELECT chain_id, key, $1 FROM found
        ON CONFLICT DO NOTHING RETURNING chain_id, key)
    SELECT asset, credited FROM sighting
    JOIN (SELECT * FROM mine UNION ALL SELECT * FROM taken) AS it USING (chain_id, key)`,
};

export function openSightings(db: Db) {
  return {
    async takeDelivery(wanted: Delivery): Promise<Amount | undefined> {
      const { deal, chain, account, told, txHash, since } = wanted;
      const values = [deal, chain, account, told.asset, told.atoms.toString(), txHash ?? null, since];
      const [row] = await db.query(DELIVERY, values);
      return row && amount(row.asset as AssetId, BigInt(row.credited as string));
    },

    async cursor(chain: ChainId): Promise<ScanCursor | undefined> {
      const [row] = await db.query(CURSOR, [chain]);
      return row && decode<ScanCursor>(row.cursor);
    },

    async savePage(
      chain: ChainId,
      space: string,
      after: ScanCursor | undefined,
      page: ScanPage,
      at: Instant,
    ): Promise<boolean> {
      const sightings = page.sightings.map(({ block, atoms: value, ...rest }) => ({
        ...rest,
        atoms: value.toString(),
        height: block?.height ?? null,
        blockHash: block?.hash ?? null,
      }));
      const { cursor, heads, pool } = page;
      const scanned = { chainId: chain, space, at, after: after ?? null, cursor, heads, pool, sightings };
      const [row] = await db.query(SAVE, [encode({ ...scanned, rewoundTo: page.rewoundTo ?? null })]);
      return row?.saved === true;
    },

    async watched(space: string, candidates: readonly Address[]): Promise<ReadonlySet<Address>> {
      if (candidates.length === 0) return new Set();
      return new Set((await db.query(WATCHED, [space, candidates])).map((row) => row.address as Address));
    },

    async expecting(coin: AssetId, hot: Address, since: Instant, most: number): Promise<readonly Address[]> {
      return (await db.query(EXPECTING, [coin, hot, since, most])).map((row) => row.address as Address);
    },

    async live(chain: ChainId, mostAddresses: number, after: Address | undefined): Promise<readonly KeptSighting[]> {
      return (await db.query(LIVE, [chain, mostAddresses, after ?? ''])).map(kept);
    },

    /** Whether something at this address was not told to its order yet, on whichever chain of the family. */
    async isUntold(space: string, address: Address): Promise<boolean> {
      const [row] = await db.query(UNTOLD, [space, address]);
      return row?.untold === true;
    },

    async settle(chain: ChainId, key: string, credited: Atoms, isReward: boolean): Promise<void> {
      await db.query(SETTLE, [chain, key, credited.toString(), isReward]);
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
    isReward: row.is_reward as boolean,
    changed: row.changed as boolean,
  };
}
