import { type Atoms, atoms } from '../kernel/amount.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Address, AssetId } from '../kernel/ids.ts';
import { isLeavingDeposit, type Payment } from '../life/payment/payment.ts';
import type { ChainFamily } from '../world/chains/chain.ts';
import { decode } from './codec.ts';
import type { Db, Statement } from './db.ts';

/** Accounts of the ledger whose money lies on a deposit address, beside `gas`. Spelled as in the index over them. */
export const ON_DEPOSITS = `(account LIKE 'deposit:%' OR account LIKE 'deposit-payment:%' OR account LIKE 'left:%')`;

/** The order whose address it is, or the address itself where no order has it. */
const PLACE = `split_part(account, ':', 2) COLLATE "C"`;
export const OF_GAS = `(to_account = 'gas' OR from_account = 'gas')`;

/** Nothing is posted for an order before it was made, but for a clock that is behind another; older months are not looked at. */
export const sinceMade = (createdAt: string): string => `at >= coalesce(${createdAt} - 86400000, 0)`;

/** Of such postings: what was sent ahead less what was used. */
export const GAS_LEFT = `coalesce(sum(CASE WHEN to_account = 'gas' THEN atoms ELSE -atoms END), 0)`;

/** Each half is cut to a page by its own index: the cost does not grow with the orders there ever were. */
const PLACES: Statement = {
  name: 'deposit_places',
  text: `SELECT place FROM (
      (SELECT DISTINCT ${PLACE} AS place FROM balance
        WHERE asset = $1 AND atoms > 0 AND ${ON_DEPOSITS} AND ${PLACE} > $2 ORDER BY 1 LIMIT $3)
      UNION
      (SELECT DISTINCT owner COLLATE "C" FROM posting
        WHERE asset = $1 AND ${OF_GAS} AND owner COLLATE "C" > $2 ORDER BY 1 LIMIT $3)) AS places
    ORDER BY place COLLATE "C" LIMIT $3`,
};
/**
 * Gas may be below nought where coins that nobody had booked paid for a transfer: they are missing from what lies there. What a payment
 * takes from there, coins for its gas with it, is booked when it is confirmed, and gone as soon as it is mined.
 */
const LYING: Statement = {
  name: 'deposit_lying',
  text: `SELECT p.place, a.index, a.address, held.atoms + gas.atoms AS atoms,
      (SELECT jsonb_agg(y.doc) FROM payment AS y WHERE y.owner = p.place AND NOT y.is_settled) AS payments
    FROM unnest($2::text[]) AS p (place)
    JOIN deposit_address AS a ON a.space = $3 AND (a.order_id = p.place OR a.address = p.place)
    LEFT JOIN orders AS o ON o.id = p.place
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(atoms), 0) AS atoms FROM balance
      WHERE asset = $1 AND atoms > 0 AND ${ON_DEPOSITS} AND ${PLACE} = p.place) AS held
    CROSS JOIN LATERAL (
      SELECT ${GAS_LEFT} AS atoms FROM posting
      WHERE owner COLLATE "C" = p.place AND asset = $1 AND ${OF_GAS} AND ${sinceMade('o.created_at')}) AS gas
    WHERE held.atoms + gas.atoms > 0`,
};
const SAVE: Statement = {
  name: 'deposit_reading_save',
  text: `INSERT INTO deposit_reading (asset, missing, at) VALUES ($1, $2, $3)
    ON CONFLICT (asset) DO UPDATE SET missing = excluded.missing, at = excluded.at`,
};

export function openDepositReadings(db: Db, clock: Clock) {
  return {
    /** The next orders, or addresses without one, of which the ledger says that some of the asset lies there, or gas did. */
    async places(asset: AssetId, after: string, most: number): Promise<readonly string[]> {
      return (await db.query(PLACES, [asset, after, most])).map((row) => row.place as string);
    },

    async lying(asset: AssetId, family: ChainFamily, places: readonly string[]) {
      if (places.length === 0) return [];
      return (await db.query(LYING, [asset, places, family])).map((row) => ({
        place: row.place as string,
        index: Number(row.index),
        address: row.address as Address,
        atoms: atoms(BigInt(row.atoms as string)),
        isLeaving: (decode<readonly Payment[] | null>(row.payments) ?? []).some(isLeavingDeposit),
      }));
    },

    async saveMissing(asset: AssetId, missing: Atoms): Promise<void> {
      await db.query(SAVE, [asset, missing.toString(), clock.now()]);
    },
  };
}
