import { type Amount, type Atoms, amount, atoms } from '../kernel/amount.ts';
import type { Clock, Instant } from '../kernel/clock.ts';
import { type AssetId, chainOf } from '../kernel/ids.ts';
import type { MoveKind, OpenMove } from '../life/payment/venue-move.ts';
import type { SignedAction } from '../world/venues/venue.ts';
import type { Db, Statement } from './db.ts';
import { COLD, GAS, ON_DEPOSIT_ADDRESSES } from './ledger-parts.ts';
import { GIVEN_UP, NOT_OUT, UNPAID } from './payments.ts';

const BALANCE: Statement = { name: 'balance_of', text: 'SELECT atoms FROM balance WHERE account = $1 AND asset = $2' };
/** What the hot account should hold: everything of the asset but what lies on deposit addresses or in a cold store. */
const EXPECTED: Statement = {
  name: 'balance_expected',
  text: `SELECT name, sum(n) AS atoms FROM tallied WHERE name = ANY ($1) AND what <> ALL ($2) GROUP BY name`,
};
const FOLD: Statement = { name: 'tally_fold', text: 'SELECT fold_tally()' };
/** What waiting orders lack; the whole of it, since none of it could be reserved. */
const DEMAND: Statement = {
  name: 'ledger_demand',
  text: 'SELECT coalesce(sum(short_atoms), 0) AS atoms FROM orders WHERE short_of = $1',
};
/**
 * Each transfer that came from the venue is kept as the withdrawal that it settles, before anybody can name it as a delivery. One may wait
 * for long before the venue takes it: what has left counts from when its row showed.
 */
const ON_WAY_HOME: Statement = {
  name: 'ledger_on_way_home',
  text: `SELECT coalesce(sum(atoms), 0) AS atoms FROM venue_move AS m
    WHERE kind = 'withdraw' AND NOT is_dead AND asset = $1 AND (settled_at > $2 OR (settled_at IS NULL AND created_at > $3))
      AND NOT EXISTS (SELECT 1 FROM delivery AS d WHERE d.deal = 'treasury:withdrawal:' || m.nonce)`,
};
/** What has left counts from then on, however long it had waited. */
const ON_WAY_TO_VENUE: Statement = {
  name: 'ledger_on_way_to_venue',
  text: `SELECT coalesce(sum(atoms), 0) AS atoms FROM payment AS p
    WHERE asset = $1 AND state <> $5 AND id = ANY (ARRAY (
        SELECT id FROM payment WHERE owner = 'treasury' AND purpose = 'rebalance' AND NOT is_settled AND created_at > $3 AND state = ANY ($4)
        UNION ALL
        SELECT substr(from_account, length('payment:') + 1) FROM posting
        WHERE from_account LIKE 'payment:treasury:rebalance:%' AND at > $2))
      AND NOT EXISTS (SELECT 1 FROM venue_deposit AS v WHERE v.payment = p.id)`,
};
/** The newest payment of that size that may have come by then. Of older ones nobody may have noted that they came. */
const KEEP_DEPOSITED: Statement = {
  name: 'venue_deposit_keep',
  text: `INSERT INTO venue_deposit (key, payment)
    SELECT $1, id FROM payment AS p
    WHERE owner = 'treasury' AND purpose = 'rebalance' AND asset = $2 AND atoms = $3::numeric AND created_at BETWEEN $4 AND $5
      AND state <> ALL ($6)
      AND NOT EXISTS (SELECT 1 FROM venue_deposit AS v WHERE v.payment = p.id)
    ORDER BY number DESC LIMIT 1
    ON CONFLICT DO NOTHING`,
};
/** On the same side as before, the smaller of both; what changes its side, or is nothing, begins anew. */
const STILL_APART = 'sign(old.apart) = sign(excluded.apart)';
const READING: Statement = {
  name: 'reading_save',
  text: `INSERT INTO chain_reading AS old (asset, spendable, locked, expected, payout_cost, at, unfinal, height, apart, apart_for)
    VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT (heads ->> 'tip')::bigint FROM scan_cursor WHERE chain_id = $8),
      $2::numeric + $3::numeric - $4::numeric - $7::numeric, 1)
    ON CONFLICT (asset) DO UPDATE SET spendable = excluded.spendable, locked = excluded.locked, expected = excluded.expected,
      unfinal = excluded.unfinal,
      payout_cost = coalesce(excluded.payout_cost, old.payout_cost), at = excluded.at, height = excluded.height,
      apart = CASE WHEN ${STILL_APART} THEN sign(old.apart) * least(abs(old.apart), abs(excluded.apart)) ELSE excluded.apart END,
      apart_for = CASE WHEN ${STILL_APART} THEN least(old.apart_for + 1, 1000) ELSE 1 END`,
};
const COST: Statement = { name: 'reading_cost', text: 'SELECT payout_cost FROM chain_reading WHERE asset = $1' };
const DRIFT: Statement = {
  name: 'reading_drift',
  text: `SELECT spendable + locked - expected AS beyond, spendable + locked - expected - unfinal AS drift
    FROM chain_reading WHERE asset = $1`,
};
const CREDITED: Statement = { name: 'credited_at', text: 'SELECT at FROM credited_once WHERE key = $1' };
const OPEN_MOVE: Statement = {
  name: 'venue_move_open',
  text: 'SELECT nonce, kind, atoms, body, created_at FROM venue_move WHERE settled_at IS NULL ORDER BY nonce',
};
const LAST_MOVE: Statement = {
  name: 'venue_move_last',
  text: 'SELECT coalesce(max(nonce), 0) AS nonce FROM venue_move',
};
const NOTE_MOVE: Statement = {
  name: 'venue_move_note',
  text: `INSERT INTO venue_move (nonce, kind, asset, atoms, created_at)
    SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT 1 FROM venue_move WHERE nonce > $6)
    ON CONFLICT DO NOTHING RETURNING nonce`,
};
const SIGN_MOVE: Statement = { name: 'venue_move_sign', text: 'UPDATE venue_move SET body = $2 WHERE nonce = $1' };
/** Whoever stood still may take one that another has followed to its end for one that never began: that it happened is not taken back. */
const SETTLE_MOVE: Statement = {
  name: 'venue_move_settle',
  text: `UPDATE venue_move SET settled_at = $2, is_dead = $3
    WHERE nonce = $1 AND (settled_at IS NULL OR (is_dead AND NOT $3))`,
};
const LOOKED: Statement = { name: 'venue_look', text: 'SELECT at FROM venue_look' };
const SAVE_LOOKED: Statement = {
  name: 'venue_look_save',
  text: `INSERT INTO venue_look AS v (at) VALUES ($1) ON CONFLICT (the_one) DO UPDATE SET at = greatest(v.at, excluded.at)`,
};

const NOT_ON_HOT = [GAS, COLD, ...ON_DEPOSIT_ADDRESSES];

export function openLedger(db: Db, clock: Clock) {
  /** Of these; what was never moved is not named. */
  async function allExpectedOnHot(assets: readonly AssetId[]): Promise<readonly Amount[]> {
    const rows = await db.query(EXPECTED, [assets, NOT_ON_HOT]);
    return rows.map((row) => amount(row.name as AssetId, BigInt(row.atoms as string)));
  }

  return {
    allExpectedOnHot,
    expectedOnHot: async (asset: AssetId): Promise<Atoms> => (await allExpectedOnHot([asset]))[0]?.atoms ?? atoms(0n),

    async balance(account: string, asset: AssetId): Promise<Atoms> {
      const [row] = await db.query(BALANCE, [account, asset]);
      return atoms(BigInt((row?.atoms as string | undefined) ?? '0'));
    },

    /** Adds up what changed, so that whoever asks for sums has little to add. */
    async foldSums(): Promise<void> {
      await db.query(FOLD);
    },

    async demand(asset: AssetId): Promise<Atoms> {
      const [row] = await db.query(DEMAND, [asset]);
      return atoms(BigInt(row?.atoms as string));
    },

    /** What left the venue since then and has not come, and what was planned since the other and is to leave; in the venue's atoms. */
    async onWayHome(asset: AssetId, since: Instant, plannedSince: Instant): Promise<Atoms> {
      const [row] = await db.query(ON_WAY_HOME, [asset, since, plannedSince]);
      return atoms(BigInt(row?.atoms as string));
    },

    /** The same of what is paid to the venue, in the home chain's atoms. */
    async onWayToVenue(asset: AssetId, since: Instant, plannedSince: Instant): Promise<Atoms> {
      const [row] = await db.query(ON_WAY_TO_VENUE, [asset, since, plannedSince, UNPAID, GIVEN_UP]);
      return atoms(BigInt(row?.atoms as string));
    },

    /** What came by this row is a payment of ours that was opened within that time, if one has that size. Doing it twice changes nothing. */
    async keepDeposited(row: string, came: Amount, earliest: Instant, latest: Instant): Promise<void> {
      await db.query(KEEP_DEPOSITED, [row, came.asset, came.atoms.toString(), earliest, latest, NOT_OUT]);
    },

    async saveReading(
      asset: AssetId,
      reading: {
        readonly spendable: Atoms;
        readonly locked: Atoms;
        readonly expected: Atoms;
        readonly unfinal: Atoms;
        readonly cost: Atoms | undefined;
      },
    ): Promise<void> {
      const { spendable, locked, expected, unfinal, cost } = reading;
      await db.query(READING, [
        asset,
        spendable.toString(),
        locked.toString(),
        expected.toString(),
        cost?.toString() ?? null,
        clock.now(),
        unfinal.toString(),
        chainOf(asset),
      ]);
    },

    /** What the account held when it was last read, less what the ledger said then and what was not final; undefined before the first reading. */
    async drift(asset: AssetId): Promise<bigint | undefined> {
      const [row] = await db.query(DRIFT, [asset]);
      return row && BigInt(row.drift as string);
    },

    /** The same with what was not final. */
    async beyondLedger(asset: AssetId): Promise<bigint | undefined> {
      const [row] = await db.query(DRIFT, [asset]);
      return row && BigInt(row.beyond as string);
    },

    /** What one payout costs now, in the chain's own coin. */
    async payoutCost(coin: AssetId): Promise<Atoms | undefined> {
      const [row] = await db.query(COST, [coin]);
      const cost = row?.payout_cost as string | null | undefined;
      return cost == null ? undefined : atoms(BigInt(cost));
    },

    async creditedAt(key: string): Promise<Instant | undefined> {
      const [row] = await db.query(CREDITED, [key]);
      return row && (Number(row.at) as Instant);
    },

    async openMoves(): Promise<readonly OpenMove[]> {
      return (await db.query(OPEN_MOVE)).map((row) => ({
        kind: row.kind as MoveKind,
        atoms: atoms(BigInt(row.atoms as string)),
        nonce: Number(row.nonce),
        body: (row.body as string | null) ?? undefined,
        createdAt: Number(row.created_at) as Instant,
      }));
    },

    /** The greatest nonce of any that was ever noted. */
    async lastMove(): Promise<number> {
      const [row] = await db.query(LAST_MOVE);
      return Number(row?.nonce);
    },

    /** Before anything of it is signed. False where another one is open, or was noted since `last` was the last. */
    async noteMove(kind: MoveKind, asset: AssetId, value: Atoms, nonce: number, last: number): Promise<boolean> {
      const row = [nonce, kind, asset, value.toString(), clock.now(), last];
      return (await db.query(NOTE_MOVE, row)).length > 0;
    },

    async signMove({ nonce, body }: SignedAction): Promise<void> {
      await db.query(SIGN_MOVE, [nonce, body]);
    },

    async settleMove(nonce: number, isDead: boolean): Promise<void> {
      await db.query(SETTLE_MOVE, [nonce, clock.now(), isDead]);
    },

    async lookedTo(): Promise<Instant | undefined> {
      const [row] = await db.query(LOOKED);
      return row && (Number(row.at) as Instant);
    },

    async saveLooked(at: Instant): Promise<void> {
      await db.query(SAVE_LOOKED, [at]);
    },
  };
}

export type Ledger = ReturnType<typeof openLedger>;
