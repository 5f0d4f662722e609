import type { Atoms } from '../kernel/amount.ts';
import type { Clock, Instant } from '../kernel/clock.ts';
import {
  type Address,
  type AssetId,
  type ChainId,
  chainId,
  type IntentId,
  type OrderId,
  type TxHash,
} from '../kernel/ids.ts';
import type { SignedTransfer, Transfer } from '../world/chains/chain.ts';
import type { SignedAction } from '../world/venues/venue.ts';
import { encode } from './codec.ts';
import type { Db, Statement } from './db.ts';
import { GIVEN_UP } from './payments.ts';

/** How far this database knows the signer's journal, and why signing is held, if it is. */
export interface KnownMark {
  readonly seq: number;
  readonly hash: string;
  readonly held: string | undefined;
  /** Why the signer cannot write down what it signs, if it cannot. */
  readonly unwritable: string | undefined;
}

/** Bytes that the journal has, and where they belong here. */
export interface Adopted extends SignedTransfer {
  readonly payment: IntentId;
  readonly account: string;
  readonly nonce: number | undefined;
  readonly at: Instant;
  /** What the bytes pay. */
  readonly pays: Transfer;
}

const MARK: Statement = { name: 'journal_mark', text: 'SELECT seq, hash, held, unwritable FROM journal_mark' };
/** Only from where it stood: whoever looked at an older picture changes nothing. */
const MOVE: Statement = {
  name: 'journal_move',
  text: `INSERT INTO journal_mark AS m (seq, hash, at) VALUES ($1, $2, $3)
    ON CONFLICT (the_one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, at = excluded.at, held = NULL
    WHERE m.seq = $4 AND m.hash = $5`,
};
const HOLD: Statement = {
  name: 'journal_hold',
  text: `INSERT INTO journal_mark AS m (seq, hash, held, at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (the_one) DO UPDATE SET held = excluded.held, at = excluded.at WHERE m.held IS DISTINCT FROM excluded.held`,
};
const RELEASE: Statement = {
  name: 'journal_release',
  text: 'UPDATE journal_mark SET held = NULL, at = $1 WHERE held IS NOT NULL',
};
const WRITABLE: Statement = {
  name: 'journal_writable',
  text: `INSERT INTO journal_mark AS m (seq, hash, unwritable, at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (the_one) DO UPDATE SET unwritable = excluded.unwritable, at = excluded.at
    WHERE m.unwritable IS DISTINCT FROM excluded.unwritable`,
};
const NEWEST: Statement = {
  name: 'journal_newest',
  text: `SELECT chain_id, tx_hash FROM attempt
    WHERE seq > coalesce((SELECT after_attempt FROM journal_mark), 0) ORDER BY seq DESC LIMIT $1`,
};
const BEGIN: Statement = { name: 'journal_begin', text: 'SELECT begin_journal($1, $2, $3) AS open' };
const ATTEMPTS: Statement = {
  name: 'journal_attempts',
  text: `SELECT chain_id || ':' || tx_hash AS known FROM attempt
    WHERE (chain_id, tx_hash) IN (SELECT * FROM unnest($1::bigint[], $2::text[]))`,
};
const PAYMENTS: Statement = { name: 'journal_payments', text: 'SELECT id AS known FROM payment WHERE id = ANY ($1)' };
const REFUSED: Statement = { name: 'journal_refused', text: 'SELECT id FROM payment WHERE id = $1 AND state = $2' };
const ORDERS: Statement = { name: 'journal_orders', text: 'SELECT id AS known FROM orders WHERE id = ANY ($1)' };
const TICKETS: Statement = {
  name: 'journal_tickets',
  text: 'SELECT cloid AS known FROM ticket WHERE cloid = ANY ($1) UNION ALL SELECT cloid FROM stock_trade WHERE cloid = ANY ($1)',
};
const MOVES: Statement = {
  name: 'journal_moves',
  text: 'SELECT nonce::text AS known FROM venue_move WHERE nonce = ANY ($1) AND body IS NOT NULL',
};
const ADOPT: Statement = { name: 'journal_adopt', text: 'SELECT adopt_attempt($1::jsonb)' };
const ADOPT_MOVE: Statement = {
  name: 'journal_adopt_move',
  text: `INSERT INTO venue_move (nonce, kind, asset, atoms, body, created_at, is_adopted) VALUES ($1, $2, $3, $4, $5, $6, true)
    ON CONFLICT (nonce) DO UPDATE SET body = excluded.body WHERE venue_move.body IS NULL`,
};
const KEEP_NONCE: Statement = {
  name: 'journal_nonce',
  text: `WITH used AS (DELETE FROM free_nonce WHERE chain_id = $1 AND account = $2 AND nonce = $3::bigint - 1)
    INSERT INTO account_nonce AS a (chain_id, account, next) VALUES ($1, $2, $3)
    ON CONFLICT (chain_id, account) DO UPDATE SET next = greatest(a.next, excluded.next)`,
};
const BURN: Statement = {
  name: 'address_burn',
  text: `UPDATE deposit_address SET burned_at = $2
    WHERE space = $1 AND order_id IS NULL AND burned_at IS NULL AND ($3::text IS NULL OR address = $3)`,
};
const COUNT_BURNED: Statement = {
  name: 'address_burned',
  text: `SELECT (SELECT count(*) FROM deposit_address WHERE space = $1 AND burned_at IS NOT NULL) AS burned,
      (SELECT coalesce(max(index) + 1, 0) FROM deposit_address WHERE space = $1) AS next`,
};
const ISSUE_BURNED: Statement = {
  name: 'address_issue_burned',
  text: `INSERT INTO deposit_address (space, index, address, burned_at)
    SELECT $1, index, address, $4 FROM unnest($2::int[], $3::text[]) AS t (index, address) ON CONFLICT (space, index) DO NOTHING`,
};

const EMPTIED: Statement = {
  name: 'address_emptied',
  text: `UPDATE deposit_address AS a SET emptied_at = $3 WHERE space = $1 AND index = ANY ($2::int[])
    RETURNING a.order_id, a.address, EXISTS (SELECT 1 FROM sighting AS s WHERE s.address = a.address AND s.credited > 0) AS has_come`,
};

/** More than are signed in a moment, few enough to show every time. */
const SHOWN = 20;

/** What is kept so that a database from the past is recognised, and brought up to what the signer knows. */
export function openJournalBooks(db: Db, clock: Clock) {
  const known = async (statement: Statement, values: readonly unknown[]): Promise<ReadonlySet<string>> =>
    new Set((await db.query(statement, values)).map((row) => row.known as string));
  return {
    async mark(): Promise<KnownMark | undefined> {
      const [row] = await db.query(MARK);
      if (!row) return undefined;
      const told = (text: unknown) => (text as string | null) ?? undefined;
      return {
        ...{ seq: Number(row.seq), hash: row.hash as string },
        ...{ held: told(row.held), unwritable: told(row.unwritable) },
      };
    },
    /** The newest bytes that were saved here: the signer's journal has them, or it was shortened. */
    async newest(): Promise<readonly { readonly chainId: ChainId; readonly txHash: TxHash }[]> {
      const rows = await db.query(NEWEST, [SHOWN]);
      return rows.map((row) => ({ chainId: chainId(Number(row.chain_id)), txHash: row.tx_hash as TxHash }));
    },
    /** Whether the signer can write, as it says itself. */
    async writable(at: Pick<KnownMark, 'seq' | 'hash'>, unwritable: string | undefined): Promise<void> {
      await db.query(WRITABLE, [at.seq, at.hash, unwritable ?? null, clock.now()]);
    },
    /** A journal begins anew, and this database takes it for its own. Gives what stands in the way of that. */
    async begin(empty: Pick<KnownMark, 'hash'>, despite: boolean): Promise<readonly string[]> {
      return (await db.query(BEGIN, [empty.hash, clock.now(), despite])).map((row) => row.open as string);
    },
    async move(from: Pick<KnownMark, 'seq' | 'hash'>, to: Pick<KnownMark, 'seq' | 'hash'>): Promise<void> {
      await db.query(MOVE, [to.seq, to.hash, clock.now(), from.seq, from.hash]);
    },
    async hold(at: Pick<KnownMark, 'seq' | 'hash'>, why: string): Promise<void> {
      await db.query(HOLD, [at.seq, at.hash, why, clock.now()]);
    },
    async release(): Promise<void> {
      await db.query(RELEASE, [clock.now()]);
    },

    /** Of these transactions, those that are attempts here; spelt `<chain>:<hash>`. */
    attempts: (transactions: readonly { readonly chainId: ChainId; readonly txHash: TxHash }[]) =>
      known(ATTEMPTS, [transactions.map(({ chainId }) => chainId), transactions.map(({ txHash }) => txHash)]),
    payments: (ids: readonly IntentId[]) => known(PAYMENTS, [ids]),
    /** What was set apart for it went back. */
    async isRefused(payment: IntentId): Promise<boolean> {
      return (await db.query(REFUSED, [payment, GIVEN_UP])).length > 0;
    },
    orders: (ids: readonly OrderId[]) => known(ORDERS, [ids]),
    tickets: (clientIds: readonly string[]) => known(TICKETS, [clientIds]),
    moves: (nonces: readonly number[]) => known(MOVES, [nonces]),

    async adopt(adopted: Adopted): Promise<void> {
      await db.query(ADOPT, [encode({ ...adopted, cost: adopted.cost.toString() })]);
    },
    async adoptMove(kind: string, asset: AssetId, value: Atoms, signed: SignedAction, at: Instant): Promise<void> {
      await db.query(ADOPT_MOVE, [signed.nonce, kind, asset, value.toString(), signed.body, at]);
    },
    /** No nonce below this is given to anybody again. */
    async keepNonce(chain: ChainId, account: string, next: number): Promise<void> {
      await db.query(KEEP_NONCE, [chain, account, next]);
    },

    /** The free addresses of that space, or this one if it is free, are given to nobody any more. */
    async burn(space: string, address?: Address): Promise<void> {
      await db.query(BURN, [space, clock.now(), address ?? null]);
    },
    async burned(space: string): Promise<{ readonly burned: number; readonly next: number }> {
      const [row] = await db.query(COUNT_BURNED, [space]);
      return { burned: Number(row?.burned ?? 0), next: Number(row?.next ?? 0) };
    },
    async issueBurned(space: string, first: number, addresses: readonly Address[]): Promise<void> {
      const indexes = addresses.map((_, offset) => first + offset);
      await db.query(ISSUE_BURNED, [space, indexes, addresses, clock.now()]);
    },
    /** From now on it tells nothing that they are empty. Gives the orders that have one, as far as nothing is known to have come there. */
    async emptied(space: string, indexes: readonly number[]) {
      const rows = await db.query(EMPTIED, [space, indexes, clock.now()]);
      return rows.flatMap((row) =>
        row.order_id && !row.has_come ? [{ order: row.order_id as OrderId, address: row.address as Address }] : [],
      );
    },
  };
}

export type JournalBooks = ReturnType<typeof openJournalBooks>;
