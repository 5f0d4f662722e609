import { type Amount, type Atoms, amount, atoms } from '../kernel/amount.ts';
import type { Instant } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import {
  type Address,
  type AssetId,
  type ChainId,
  chainId,
  chainOf,
  type OrderId,
  type TxHash,
} from '../kernel/ids.ts';
import { keyedHash, type Secret } from '../kernel/secret.ts';
import type { UsdMicros } from '../kernel/usd.ts';
import type { Delivery } from '../life/order/delivery.ts';
import type { KeptSighting, ToldSighting } from '../life/order/sighting.ts';
import type { ScanCursor, ScanPage } from '../world/chains/chain.ts';
import { decode, encode } from './codec.ts';
import type { Db, Row, Statement } from './db.ts';
import { issuedAddresses } from './issued-addresses.ts';
import { keptTransfers } from './kept-transfers.ts';
import { AT_STAKE } from './ledger-parts.ts';
import { openSieves } from './watched.ts';

const CURSOR: Statement = { name: 'scan_cursor', text: 'SELECT cursor FROM scan_cursor WHERE chain_id = $1' };
const SAVE: Statement = { name: 'scan_save', text: 'SELECT save_page($1::jsonb) AS saved' };
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
  text: `SELECT s.*, a.order_id, o.version AS order_version
    FROM sighting AS s LEFT JOIN deposit_address AS a ON (a.space, a.address) = (s.space, s.address) LEFT JOIN orders AS o ON o.id = a.order_id
    WHERE s.chain_id = $1 AND s.address IN (
      SELECT address COLLATE "default" FROM (
        SELECT DISTINCT address COLLATE "C" AS address FROM sighting
        WHERE chain_id = $1 AND (state IN ('pool', 'mined') OR changed) AND address COLLATE "C" > $3
        ORDER BY 1 LIMIT $2) AS next)
      AND (a.order_id IS NOT NULL OR s.state IN ('pool', 'mined') OR s.changed)
    ORDER BY s.first_seen_at, s.key`,
};
const SETTLE: Statement = {
  name: 'sighting_settle',
  text: `UPDATE sighting AS s SET state = 'final', credited = f.credited, is_reward = f.is_reward, changed = true, seal = f.seal
    FROM unnest($2::text[], $3::numeric[], $4::boolean[], $5::text[], $6::text[]) AS f (key, credited, is_reward, seal, block_hash)
    WHERE s.chain_id = $1 AND s.key = f.key AND s.block_hash = f.block_hash AND s.state IN ('mined', 'final')`,
};
const FINAL: Statement = {
  name: 'sighting_final',
  text: `SELECT *, NULL AS order_id FROM sighting
    WHERE chain_id = $1 AND space = $2 AND address = $3 AND asset = $4 AND state = 'final' AND credited > 0`,
};
/** As it was told: what became something else meanwhile is still to be told. */
const REPORTED: Statement = {
  name: 'sighting_reported',
  text: `UPDATE sighting AS s SET changed = false FROM unnest($2::text[], $3::text[], $4::text[]) AS told (key, state, block_hash)
    WHERE s.chain_id = $1 AND s.changed AND s.key = told.key AND s.state = told.state AND s.block_hash IS NOT DISTINCT FROM told.block_hash`,
};
const UNTOLD: Statement = {
  name: 'sighting_untold',
  text: 'SELECT EXISTS (SELECT 1 FROM sighting WHERE space = $1 AND address = $2 AND changed) AS untold',
};
const VALUE: Statement = {
  name: 'sighting_value',
  text: `UPDATE sighting SET usd_micros = v.worth FROM unnest($2::text[], $3::numeric[]) AS v (key, worth)
    WHERE chain_id = $1 AND sighting.key = v.key`,
};
const STAKE: Statement = {
  name: 'sighting_stake',
  text: `SELECT coalesce((SELECT n FROM tallied WHERE what = '${AT_STAKE}' AND name = $1::text), 0)
      + coalesce((SELECT sum(usd_micros) FROM sighting WHERE chain_id = $1::bigint AND height > $2 AND state = 'final' AND credited > 0), 0) AS worth`,
};
/**
 * What others sent and is not final: to one address, or to every address of a chain. The bounds stand for both, so that the index
 * serves either.
 */
const UNFINAL: Statement = {
  name: 'sighting_unfinal',
  text: `SELECT coalesce(sum(atoms) FILTER (WHERE state = 'mined'), 0) AS mined, coalesce(sum(atoms) FILTER (WHERE state = 'pool'), 0) AS pool
    FROM sighting AS s
    WHERE chain_id = $1 AND asset = $2 AND state IN ('pool', 'mined')
      AND address COLLATE "C" >= coalesce($3, '') AND address COLLATE "C" <= coalesce($3, repeat('~', 200))
      AND NOT EXISTS (SELECT 1 FROM attempt AS a WHERE a.chain_id = s.chain_id AND a.tx_hash = s.tx_hash)`,
};
/** Told as addresses are taken from the pool, if not of each (`tell_address_taken`). */
export const ADDRESS_TAKEN = 'wherry_address';

/**
 * What settled the deal before, or the first unsettled transfer that fits: of the asset that was told, and the right amount before any
 * other. One whose transaction the chain does not tell goes by the name of its block, and fits by its amount.
 */
const DELIVERY: Statement = {
  name: 'delivery_take',
  text: `WITH mine AS (SELECT chain_id, key FROM delivery WHERE deal = $1),
      found AS (
        SELECT s.chain_id, s.key FROM sighting AS s
        WHERE s.chain_id = $2 AND s.address = $3 AND s.asset = $4 AND s.state = 'final' AND s.credited > 0
          AND s.first_seen_at >= $7
          AND CASE WHEN $6::text IS NULL THEN s.atoms = $5::numeric
              ELSE lower(s.tx_hash) = lower($6) OR s.tx_hash = s.block_hash AND s.atoms = $5::numeric END
          AND NOT EXISTS (SELECT 1 FROM delivery AS d WHERE (d.chain_id, d.key) = (s.chain_id, s.key))
          AND NOT EXISTS (SELECT 1 FROM mine)
        ORDER BY s.atoms = $5::numeric DESC, s.first_seen_at, s.key LIMIT 1),
      taken AS (
        INSERT INTO delivery (chain_id, key, deal) SELECT chain_id, key, $1 FROM found
        ON CONFLICT DO NOTHING RETURNING chain_id, key)
    SELECT sighting.*, NULL AS order_id FROM sighting
    JOIN (SELECT * FROM mine UNION ALL SELECT * FROM taken) AS it USING (chain_id, key)`,
};

/** Seals are made with the first; those that it replaced made what lies in the database already, and that still proves. */
export type SealKeys = readonly [Secret<Uint8Array>, ...Secret<Uint8Array>[]];

/** What the house sent to its own account settles this, and so no deal. */
const OWN: Statement = {
  name: 'delivery_own',
  text: 'INSERT INTO delivery (chain_id, key, deal) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
};
/** The first withdrawal of that size whose coins have not come. */
const OWN_WITHDRAWAL: Statement = {
  name: 'delivery_withdrawn',
  text: `INSERT INTO delivery (chain_id, key, deal)
    SELECT $1, $2, 'treasury:withdrawal:' || nonce FROM venue_move
    WHERE kind = 'withdraw' AND atoms = $3::numeric AND created_at >= $4
      AND NOT EXISTS (SELECT 1 FROM delivery AS d WHERE d.deal = 'treasury:withdrawal:' || nonce)
    ORDER BY nonce LIMIT 1
    ON CONFLICT DO NOTHING`,
};

/** What is proven is known by a keyed hash of it: whoever has the database alone can neither make nor change one. */
export function openSightings(db: Db, ...keys: SealKeys) {
  const sealOf = (chain: ChainId, one: Omit<KeptSighting, 'isProven'>, key = keys[0]): string => {
    const { address, asset, credited, isReward, blockHash = '' } = one;
    return keyedHash(key, 'sighting', `${chain}`, one.key, address, asset, `${credited}`, `${isReward}`, blockHash);
  };
  const keptFrom = (row: Row): KeptSighting => {
    const one = read(row);
    const chain = chainId(Number(row.chain_id));
    const isProven = row.seal !== null && keys.some((key) => row.seal === sealOf(chain, one, key));
    return typeof row.order_version === 'number'
      ? { ...one, isProven, orderVersion: row.order_version }
      : { ...one, isProven };
  };
  const provenAt = async (chain: ChainId, space: string, address: Address, asset: AssetId) =>
    (await db.query(FINAL, [chain, space, address, asset])).map(keptFrom).filter(({ isProven }) => isProven);
  return {
    /** Throws where the row that it finds was never proven: somebody else wrote it. */
    async takeDelivery(wanted: Delivery): Promise<Amount | undefined> {
      const { deal, chain, account, told, txHash, since } = wanted;
      const values = [deal, chain, account, told.asset, told.atoms.toString(), txHash ?? null, since];
      const [row] = await db.query(DELIVERY, values);
      const taken = row && keptFrom(row);
      if (taken && !taken.isProven)
        throw new Fault('permanent', 'database', `${taken.key} claims to be final, and no engine has proven it`);
      return taken && amount(taken.asset, taken.credited);
    },

    async keepOwn(chain: ChainId, sighting: string, what: string): Promise<void> {
      await db.query(OWN, [chain, sighting, `treasury:${what}`]);
    },

    async keepWithdrawn(chain: ChainId, sighting: string, withdrawn: Atoms, since: Instant): Promise<void> {
      await db.query(OWN_WITHDRAWAL, [chain, sighting, withdrawn.toString(), since]);
    },

    /** All that came to an address of one asset and was proven. */
    async proven(chain: ChainId, space: string, address: Address, asset: AssetId): Promise<Amount> {
      const sum = (await provenAt(chain, space, address, asset)).reduce((total, one) => total + one.credited, 0n);
      return amount(asset, sum);
    },

    provenAt,

    /** What others sent and is not final, to this address or else to all of the chain. */
    async unfinal(
      asset: AssetId,
      address: Address | undefined,
    ): Promise<{ readonly mined: bigint; readonly pool: bigint }> {
      const [row] = await db.query(UNFINAL, [chainOf(asset), asset, address ?? null]);
      return { mined: BigInt(row?.mined as string), pool: BigInt(row?.pool as string) };
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

    watched: openSieves(db),

    async expecting(coin: AssetId, hot: Address, since: Instant, most: number): Promise<readonly Address[]> {
      return (await db.query(EXPECTING, [coin, hot, since, most])).map((row) => row.address as Address);
    },

    async live(chain: ChainId, mostAddresses: number, after: Address | undefined): Promise<readonly KeptSighting[]> {
      return (await db.query(LIVE, [chain, mostAddresses, after ?? ''])).map(keptFrom);
    },

    /** Whether something at this address was not told to its order yet, on whichever chain of the family. */
    async isUntold(space: string, address: Address): Promise<boolean> {
      const [row] = await db.query(UNTOLD, [space, address]);
      return row?.untold === true;
    },

    async settle(chain: ChainId, final: readonly KeptSighting[]): Promise<void> {
      if (final.length === 0) return;
      const credits = final.map(({ credited }) => credited.toString());
      const rewards = final.map(({ isReward }) => isReward);
      const seals = final.map((one) => sealOf(chain, one));
      const hashes = final.map(({ blockHash }) => blockHash ?? null);
      await db.query(SETTLE, [chain, final.map(({ key }) => key), credits, rewards, seals, hashes]);
    },

    async reported(chain: ChainId, told: readonly ToldSighting[]): Promise<void> {
      if (told.length === 0) return;
      const hashes = told.map(({ blockHash }) => blockHash ?? null);
      await db.query(REPORTED, [chain, told.map(({ key }) => key), told.map(({ state }) => state), hashes]);
    },

    async value(chain: ChainId, worth: ReadonlyMap<string, UsdMicros>): Promise<void> {
      if (worth.size > 0) await db.query(VALUE, [chain, [...worth.keys()], [...worth.values()].map(String)]);
    },

    async stake(chain: ChainId, above: number): Promise<UsdMicros> {
      const [row] = await db.query(STAKE, [chain, above]);
      return BigInt(row?.worth as string) as UsdMicros;
    },

    ...keptTransfers(db),
    ...issuedAddresses(db),
  };
}

function read(row: Row): Omit<KeptSighting, 'isProven'> {
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
