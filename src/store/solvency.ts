import { type Clock, type Instant, later } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import { ARRIVED } from '../life/payment/payment.ts';
import type { Db, Row, Statement } from './db.ts';
import {
  CLAIMS,
  COLD,
  DEPOSIT_CLAIMS,
  DEPOSIT_PAYMENTS,
  DEPOSITS,
  FEE_PAYMENTS,
  GAS,
  OF_LEDGER,
  ON_DEPOSIT_ADDRESSES,
  ORDERS,
  OWED,
  PAYMENTS,
  sumOf,
} from './ledger-parts.ts';

/**
 * All in atoms of one asset. Held is what the chain or the venue shows on our own account there, what lies on deposit addresses less
 * what the chain did not show, coins sent ahead for fees, what is under way between our own places and what providers have been paid
 * for and not delivered yet, and what was put into cold stores. Owed is what belongs to customers and integrations.
 */
export interface Position {
  readonly asset: AssetId;
  readonly hot: bigint;
  readonly deposits: bigint;
  readonly gas: bigint;
  readonly inFlight: bigint;
  readonly providers: bigint;
  readonly cold: bigint;
  /** Of orders under way; of orders that are done with, and of nobody's deposits; set apart for payments to customers. */
  readonly orders: bigint;
  readonly claims: bigint;
  readonly payments: bigint;
  readonly integrators: bigint;
  /** The newest block that was known when the account was read; undefined where it never was. */
  readonly height: number | undefined;
}

/** A position as it was kept. */
export interface KeptPosition extends Position {
  readonly at: Instant;
  /** Millionths of a dollar; undefined where nobody named a price. */
  readonly surplusUsd: bigint | undefined;
}

export const heldOf = ({ hot, deposits, gas, inFlight, providers, cold }: Position): bigint =>
  hot + deposits + gas + inFlight + providers + cold;
export const owedOf = ({ orders, claims, payments, integrators }: Position): bigint =>
  orders + claims + payments + integrators;
/** What would be left if everybody were paid; below nought somebody could not be. */
export const surplusOf = (one: Position): bigint => heldOf(one) - owedOf(one);

/** What was paid for a deal whose delivery the order still expects belongs to its customer, wherever it is; for stock, to the house. */
const POSITIONS: Statement = {
  name: 'solvency_positions',
  text: `WITH dealt AS (
      SELECT p.asset, sum(p.atoms) AS atoms FROM payment AS p JOIN orders AS o ON o.id = p.owner
      WHERE o.expects <> '{}' AND p.purpose = 'provider_deal' AND p.state = ANY ($1::text[])
        AND NOT EXISTS (SELECT 1 FROM payment AS n WHERE n.owner = p.owner AND n.purpose = p.purpose AND n.number > p.number)
      GROUP BY p.asset),
    filled AS (
      SELECT p.asset, sum(p.atoms) AS atoms FROM payment AS p JOIN stock_fill AS f ON f.number = p.number AND f.state = 'open'
      WHERE p.owner = 'treasury' AND p.purpose = 'stock_fill' AND p.state = ANY ($1::text[]) GROUP BY p.asset),
    booked AS (
      SELECT name AS asset, ${sumOf(...ON_DEPOSIT_ADDRESSES)} AS deposits, ${sumOf(GAS)} AS gas, ${sumOf(COLD)} AS cold,
        ${sumOf(ORDERS, DEPOSITS)} AS orders, ${sumOf(CLAIMS, DEPOSIT_CLAIMS)} AS claims, ${sumOf(PAYMENTS, DEPOSIT_PAYMENTS)} AS payments,
        ${sumOf(OWED, FEE_PAYMENTS)} AS integrators
      FROM tallied WHERE ${OF_LEDGER} AND n <> 0 GROUP BY name)
    SELECT asset, coalesce(r.spendable + r.locked, 0) AS hot, coalesce(b.deposits, 0) - coalesce(d.missing, 0) AS deposits,
      coalesce(b.gas, 0) AS gas, coalesce(p.atoms, 0) + coalesce(f.atoms, 0) AS providers, coalesce(b.cold, 0) AS cold,
      coalesce(b.orders, 0) + coalesce(p.atoms, 0) AS orders,
      coalesce(b.claims, 0) AS claims, coalesce(b.payments, 0) AS payments, coalesce(b.integrators, 0) AS integrators, r.height
    FROM booked AS b FULL JOIN chain_reading AS r USING (asset) FULL JOIN dealt AS p USING (asset) FULL JOIN filled AS f USING (asset) LEFT JOIN deposit_reading AS d USING (asset)
    ORDER BY asset`,
};
const COLUMNS = 'asset, hot, deposits, gas, in_flight, providers, cold, orders, claims, payments, integrators, height';
const KEEP: Statement = {
  name: 'solvency_keep',
  text: `INSERT INTO solvency (hour, at, ${COLUMNS}, surplus_usd)
    SELECT $1, $2, * FROM jsonb_to_recordset($3::jsonb) AS one (asset text, hot numeric, deposits numeric, gas numeric, in_flight numeric,
      providers numeric, cold numeric, orders numeric, claims numeric, payments numeric, integrators numeric, height bigint, surplus_usd numeric)
    ON CONFLICT (hour, asset) DO UPDATE SET at = excluded.at, hot = excluded.hot, deposits = excluded.deposits, gas = excluded.gas,
      in_flight = excluded.in_flight, providers = excluded.providers, cold = excluded.cold, orders = excluded.orders, claims = excluded.claims,
      payments = excluded.payments, integrators = excluded.integrators, height = excluded.height, surplus_usd = excluded.surplus_usd`,
};
const FORGET: Statement = { name: 'solvency_forget', text: 'DELETE FROM solvency WHERE hour < $1' };
const NEWEST: Statement = {
  name: 'solvency_newest',
  text: `SELECT at, ${COLUMNS}, surplus_usd FROM solvency AS newest
    WHERE hour = (SELECT max(hour) FROM solvency) AND at = (SELECT max(at) FROM solvency WHERE hour = newest.hour) ORDER BY asset`,
};
const HISTORY: Statement = {
  name: 'solvency_history',
  text: `SELECT at, ${COLUMNS}, surplus_usd FROM solvency WHERE hour >= $1 AND ($2::text IS NULL OR asset = $2) ORDER BY hour DESC, asset`,
};

const HOUR_MS = 60 * 60 * 1000;
/** So long every hour is kept. */
const KEPT_HOURS = 90 * 24;

export function openSolvency(db: Db, clock: Clock) {
  return {
    /** What is booked and what was last read, without what is under way between our own places. */
    async positions(): Promise<readonly Position[]> {
      return (await db.query(POSITIONS, [ARRIVED])).map((row) => ({ ...positionIn(row), inFlight: 0n }));
    },

    /** The last one of each hour stays, for ninety days. */
    async keep(positions: readonly Omit<KeptPosition, 'at'>[]): Promise<void> {
      const now = clock.now();
      const hour = Math.floor(now / HOUR_MS);
      const rows = positions.map(({ inFlight, surplusUsd, ...rest }) => ({
        ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, value?.toString()])),
        ...{ in_flight: inFlight.toString(), surplus_usd: surplusUsd?.toString() },
      }));
      await db.query(KEEP, [hour, now, JSON.stringify(rows)]);
      await db.query(FORGET, [hour - KEPT_HOURS]);
    },

    async newest(): Promise<readonly KeptPosition[]> {
      return (await db.query(NEWEST)).map(keptIn);
    },

    /** One row of an asset for each of the last hours; the newest first. */
    async history(hours: number, asset: AssetId | undefined): Promise<readonly KeptPosition[]> {
      const since = Math.floor(later(clock.now(), -hours * HOUR_MS) / HOUR_MS);
      return (await db.query(HISTORY, [since, asset ?? null])).map(keptIn);
    },
  };
}

export type Solvency = ReturnType<typeof openSolvency>;

const big = (value: unknown): bigint => BigInt(value as string);

const positionIn = (row: Row): Omit<Position, 'inFlight'> => ({
  asset: row.asset as AssetId,
  hot: big(row.hot),
  deposits: big(row.deposits),
  gas: big(row.gas),
  providers: big(row.providers),
  cold: big(row.cold),
  orders: big(row.orders),
  claims: big(row.claims),
  payments: big(row.payments),
  integrators: big(row.integrators),
  height: row.height === null ? undefined : Number(row.height),
});

const keptIn = (row: Row): KeptPosition => ({
  ...positionIn(row),
  inFlight: big(row.in_flight),
  at: Number(row.at) as Instant,
  surplusUsd: row.surplus_usd === null ? undefined : big(row.surplus_usd),
});
