import type { Instant } from '../kernel/clock.ts';
import type { AssetId, OrderId } from '../kernel/ids.ts';
import type { CaseKind } from '../life/case/case.ts';
import { decode } from './codec.ts';
import type { Db, Statement } from './db.ts';
import { sinceMade } from './deposit-readings.ts';
import {
  CLAIMS,
  COLD,
  DEPOSIT_CLAIMS,
  DEPOSITS,
  FEES,
  GAS,
  OF_LEDGER,
  ON_DEPOSIT_ADDRESSES,
  OPEN_ORDERS,
  ORDERS,
  OWED,
  SET_APART,
  sumOf,
  TREASURY,
} from './ledger-parts.ts';
import { openOrderLines } from './order-lines.ts';
import type { Orders } from './orders.ts';

const HISTORY: Statement = {
  name: 'read_history',
  text: `SELECT version, at, phase, fact FROM history
    WHERE order_id = $1 AND month = (SELECT month FROM orders WHERE id = $1) ORDER BY version`,
};
const POSTINGS: Statement = {
  name: 'read_postings',
  text: `SELECT at, from_account, to_account, asset, atoms FROM posting
    WHERE owner = $1 AND ${sinceMade('(SELECT created_at FROM orders WHERE id = $1)')} ORDER BY id`,
};
/** The month in which it was made may have been taken away, with its facts and postings. */
const TAKEN: Statement = {
  name: 'read_taken',
  text: `SELECT m.month, m.at, m.file, m.sha256 FROM month_taken AS m JOIN orders AS o USING (month) WHERE o.id = $1`,
};
const ATTEMPTS: Statement = {
  name: 'read_attempts',
  text: `SELECT a.intent, a.chain_id, a.tx_hash, a.cost, a.created_at, a.dead_proof
    FROM attempt AS a JOIN payment AS p ON p.id = a.payment WHERE p.owner = $1 ORDER BY a.seq`,
};
const WORK: Statement = {
  name: 'read_work',
  text: 'SELECT kind, due_at, tries, trouble, held_by FROM effect WHERE owner = $1 ORDER BY seq',
};
/** Some twenty seconds: longer than it takes until what is mined is booked. */
const DRIFTING_READINGS = 10;
const LEDGER: Statement = {
  name: 'read_ledger',
  text: `WITH booked AS (
      SELECT name AS asset, sum(n) AS held, ${sumOf(ORDERS, CLAIMS, DEPOSITS, DEPOSIT_CLAIMS)} AS owed, ${sumOf(...SET_APART)} AS in_flight,
        ${sumOf(FEES)} AS fees, ${sumOf(OWED)} AS integrators, ${sumOf(TREASURY)} AS treasury,
        ${sumOf(GAS, ...ON_DEPOSIT_ADDRESSES)} AS deposits, ${sumOf(COLD)} AS cold
      FROM tallied WHERE ${OF_LEDGER} GROUP BY name)
    SELECT b.*, coalesce(d.missing, 0) AS missing, r.spendable + r.locked AS chain,
      r.apart * (r.apart_for >= ${DRIFTING_READINGS})::integer - coalesce(d.missing, 0) AS drift
    FROM booked AS b LEFT JOIN chain_reading AS r ON r.asset = b.asset LEFT JOIN deposit_reading AS d ON d.asset = b.asset
    ORDER BY b.asset`,
};
/** As the indexes of instructions are spelt. */
const [HOT, NOT_HOT] = ["(lane LIKE '%:hot') IS TRUE", "(lane LIKE '%:hot') IS NOT TRUE"];
/** Of instructions those that nobody takes although they are due, and no more of them than show that. */
const COUNTS: Statement = {
  name: 'read_counts',
  text: `SELECT 'order' AS what, name, n FROM tallied WHERE what = '${OPEN_ORDERS}' AND n <> 0
    UNION ALL SELECT 'cases', '', count(*) FROM attention WHERE closed_at IS NULL
    UNION ALL SELECT 'effects', '', count(*) FROM (
      SELECT 1 FROM effect WHERE ${NOT_HOT} AND trouble IS NULL AND claimed_by IS NULL AND due_at <= $2
      UNION ALL SELECT 1 FROM effect WHERE ${HOT} AND trouble IS NULL AND claimed_by IS NULL AND due_at <= $2
      UNION ALL SELECT 1 FROM effect WHERE trouble IS NOT NULL AND claimed_by IS NULL AND due_at <= $2 LIMIT 1000) AS due
    UNION ALL SELECT 'round', subject, 1 FROM attention WHERE closed_at IS NULL AND kind = $1`,
};
/** What is missing, each as one row: a chain, a family or a round. */
const UNREADY: Statement = {
  name: 'read_unready',
  text: `SELECT 'unscanned' AS what, id::text AS name FROM unnest($1::bigint[]) AS t (id)
      WHERE NOT EXISTS (SELECT 1 FROM scan_cursor WHERE chain_id = id AND at > $2)
    UNION ALL SELECT 'no_addresses', family FROM unnest($3::text[]) AS f (family)
      WHERE NOT EXISTS (SELECT 1 FROM deposit_address WHERE order_id IS NULL AND burned_at IS NULL AND space = family)
    UNION ALL SELECT 'no_costs', '' WHERE (SELECT count(*) FROM chain_reading WHERE payout_cost IS NOT NULL) < cardinality($1)
    UNION ALL SELECT 'round_failed', subject FROM attention WHERE closed_at IS NULL AND kind = $4`,
};

/** What a desk lacks to serve everybody. */
export interface Unready {
  readonly what: 'unscanned' | 'no_addresses' | 'no_costs' | 'round_failed';
  readonly name: string;
}

const ROUND_FAILED: CaseKind = 'round_failed';

const big = (value: unknown): bigint => BigInt(value as string);
const when = (value: unknown): Instant => Number(value) as Instant;

/** What operators look at. Nothing here changes anything. */
export function openReads(db: Db, orders: Pick<Orders, 'find'>, symbolOf: (asset: AssetId) => string) {
  return {
    orders: openOrderLines(db),

    async order(id: OrderId) {
      const placed = await orders.find(id);
      if (!placed) return undefined;
      const [history, postings, attempts, work, taken] = await Promise.all(
        [HISTORY, POSTINGS, ATTEMPTS, WORK, TAKEN].map((statement) => db.query(statement, [id])),
      );
      const away = taken?.[0];
      return {
        order: placed.order,
        integrationId: placed.owner.integrationId,
        keyId: placed.owner.keyId,
        takenAway: away && {
          month: Number(away.month),
          at: when(away.at),
          file: away.file as string,
          sha256: away.sha256 as string,
        },
        history: (history ?? []).map((row) => ({
          version: Number(row.version),
          at: when(row.at),
          phase: row.phase as string,
          fact: decode<unknown>(row.fact),
        })),
        ledger: (postings ?? []).map((row) => ({
          at: when(row.at),
          from: row.from_account as string,
          to: row.to_account as string,
          asset: row.asset as AssetId,
          atoms: big(row.atoms),
        })),
        attempts: (attempts ?? []).map((row) => ({
          intent: row.intent as string,
          chainId: Number(row.chain_id),
          txHash: row.tx_hash as string,
          cost: big(row.cost),
          createdAt: when(row.created_at),
          deadProof: (row.dead_proof as string | null) ?? undefined,
        })),
        work: (work ?? []).map((row) => ({
          effect: row.kind as string,
          dueAt: when(row.due_at),
          tries: Number(row.tries),
          trouble: (row.trouble as string | null) ?? undefined,
          heldBy: (row.held_by as string | null) ?? undefined,
        })),
      };
    },

    async ledger() {
      return (await db.query(LEDGER)).map((row) => ({
        asset: row.asset as AssetId,
        symbol: symbolOf(row.asset as AssetId),
        held: big(row.held),
        owed: big(row.owed),
        inFlight: big(row.in_flight),
        fees: big(row.fees),
        integrators: big(row.integrators),
        treasury: big(row.treasury),
        cold: big(row.cold),
        deposits: big(row.deposits),
        missing: big(row.missing),
        chain: row.chain === null ? undefined : big(row.chain),
        drift: row.drift === null ? undefined : big(row.drift),
      }));
    },

    /** For gauges: open orders by phase, cases, instructions that are due (a thousand at most) and rounds that keep failing. */
    async counts(now: Instant) {
      return (await db.query(COUNTS, [ROUND_FAILED, now])).map((row) => ({
        what: row.what as 'order' | 'cases' | 'effects' | 'round',
        name: row.name as string,
        n: Number(row.n),
      }));
    },

    /** What keeps the desk from being ready: chains not scanned since then, no addresses, unknown costs, failing rounds. */
    async unready(chains: readonly number[], spaces: readonly string[], since: Instant): Promise<readonly Unready[]> {
      return (await db.query(UNREADY, [chains, since, spaces, ROUND_FAILED])) as unknown as readonly Unready[];
    },
  };
}

export type Reads = ReturnType<typeof openReads>;
