import type { Atoms } from '../kernel/amount.ts';
import type { Instant } from '../kernel/clock.ts';
import type { AssetId, ChainId, IntentId, TxHash } from '../kernel/ids.ts';
import type { ByHand, Owner, Payment, PaymentState, PurposeName } from '../life/payment/payment.ts';
import { chainOfPayment, isOver, nameFor, numberOf } from '../life/payment/payment.ts';
import type { SignedTransfer, Transfer } from '../world/chains/chain.ts';
import { decode } from './codec.ts';
import type { Db, Row, Statement } from './db.ts';
import { GAS_LEFT, OF_GAS, sinceMade } from './deposit-readings.ts';

const FIND: Statement = { name: 'payment_find', text: 'SELECT doc FROM payment WHERE id = $1' };
const ATTEMPT = 'a.intent, a.chain_id, a.tx_hash, a.raw, a.consumes, a.cost';
const ATTEMPTS: Statement = {
  name: 'attempts_living',
  text: `SELECT ${ATTEMPT} FROM attempt AS a WHERE intent = $1 AND dead_proof IS NULL ORDER BY seq DESC`,
};
const LAST_DEAD: Statement = {
  name: 'attempt_last_dead',
  text: `SELECT ${ATTEMPT} FROM attempt AS a WHERE intent = $1 AND dead_proof IS NOT NULL ORDER BY seq DESC LIMIT 1`,
};
/** What dead bytes were to spend may serve anybody again, unless a living attempt of the same intent spends it, too. */
const BURY: Statement = {
  name: 'attempt_bury',
  text: `WITH buried AS (
      UPDATE attempt SET dead_proof = $3 WHERE chain_id = $1 AND tx_hash = $2 AND dead_proof IS NULL
      RETURNING intent, tx_hash, consumes)
    DELETE FROM exclusivity AS e USING buried AS b WHERE e.token = ANY (b.consumes) AND e.intent = b.intent
      AND NOT EXISTS (
        SELECT 1 FROM attempt AS a
        WHERE a.intent = b.intent AND a.tx_hash <> b.tx_hash AND a.dead_proof IS NULL AND e.token = ANY (a.consumes))`,
};
const LET_GO: Statement = {
  name: 'attempt_let_go',
  text: 'DELETE FROM exclusivity WHERE intent = $1 AND token = ANY ($2)',
};
/** A transaction serves one intent, also where nobody but a person knows that it does. */
const CLAIM_TRANSACTION: Statement = {
  name: 'transaction_claim',
  text: `WITH claimed AS (
      INSERT INTO exclusivity (token, intent) SELECT $1, $2
      WHERE NOT EXISTS (SELECT 1 FROM attempt WHERE chain_id = $3 AND tx_hash = $4 AND intent <> $2)
      ON CONFLICT DO NOTHING RETURNING intent)
    SELECT intent FROM claimed UNION ALL SELECT intent FROM exclusivity WHERE token = $1`,
};
const BUSY: Statement = { name: 'exclusivity_busy', text: 'SELECT token FROM exclusivity WHERE token = ANY ($1)' };
/** The same intent keeps its nonce on every try; another gets one that came back, or the next one, never below what the chain says. */
const TAKE_NONCE: Statement = {
  name: 'nonce_take',
  text: `WITH mine AS (SELECT nonce FROM nonce WHERE intent = $1),
      again AS (
        DELETE FROM free_nonce WHERE chain_id = $2 AND account = $3 AND NOT EXISTS (SELECT 1 FROM mine) AND nonce = (
          SELECT nonce FROM free_nonce WHERE chain_id = $2 AND account = $3 AND nonce >= $4::bigint
          ORDER BY nonce LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING nonce),
      taken AS (
        INSERT INTO account_nonce AS a (chain_id, account, next)
        SELECT $2, $3, $4::bigint + 1 WHERE NOT EXISTS (SELECT 1 FROM mine) AND NOT EXISTS (SELECT 1 FROM again)
        ON CONFLICT (chain_id, account) DO UPDATE SET next = greatest(a.next, $4::bigint) + 1
        RETURNING next - 1 AS nonce),
      got AS (SELECT nonce FROM again UNION ALL SELECT nonce FROM taken),
      noted AS (INSERT INTO nonce (chain_id, account, nonce, intent) SELECT $2, $3, nonce, $1 FROM got)
    SELECT nonce FROM mine UNION ALL SELECT nonce FROM got`,
};
const HAS_NONCE: Statement = { name: 'nonce_has', text: 'SELECT 1 FROM nonce WHERE intent = $1' };
/** The nonce handed out last is as if it had never been; any other is a gap behind those after it, until the next payment takes it. */
const RETURN_NONCE: Statement = {
  name: 'nonce_return',
  text: `WITH back AS (
      DELETE FROM nonce AS n WHERE intent = $1 AND NOT EXISTS (SELECT 1 FROM attempt WHERE intent = n.intent)
      RETURNING chain_id, account, nonce),
    last AS (
      UPDATE account_nonce AS a SET next = a.next - 1 FROM back AS b
      WHERE a.chain_id = b.chain_id AND a.account = b.account AND a.next = b.nonce + 1 RETURNING b.nonce)
    INSERT INTO free_nonce SELECT chain_id, account, nonce FROM back WHERE nonce NOT IN (SELECT nonce FROM last)`,
};
const BETWEEN: Statement = {
  name: 'attempts_between',
  text: `SELECT DISTINCT ON (n.nonce) ${ATTEMPT}, p.state = $5 AS is_refused
    FROM nonce AS n JOIN attempt AS a USING (intent) LEFT JOIN payment AS p ON p.id = a.intent
    WHERE n.chain_id = $1 AND n.account = $2 AND n.nonce >= $3 AND n.nonce < $4 AND a.dead_proof IS NULL
    ORDER BY n.nonce, a.seq DESC LIMIT 100`,
};
const OURS: Statement = {
  name: 'attempt_ours',
  text: 'SELECT tx_hash FROM attempt WHERE chain_id = $1 AND tx_hash = ANY($2)',
};
const ADOPTED: Statement = {
  name: 'attempt_adopted',
  text: 'SELECT adopted FROM attempt WHERE chain_id = $1 AND tx_hash = $2 AND adopted IS NOT NULL',
};
/** Bytes from the journal whose payment this database has not come to yet. */
const UNPLANNED: Statement = {
  name: 'attempt_unplanned',
  text: `SELECT intent FROM attempt AS a WHERE adopted IS NOT NULL AND starts_with(payment, $1 || ':')
      AND NOT EXISTS (SELECT 1 FROM payment AS p WHERE p.id = a.payment) ORDER BY seq LIMIT 1`,
};
const GAS_OF: Statement = {
  name: 'payment_gas_of',
  text: `SELECT ${GAS_LEFT} AS atoms FROM posting WHERE owner COLLATE "C" = $1 AND asset = $2 AND ${OF_GAS}
      AND ${sinceMade('(SELECT created_at FROM orders WHERE id = $1)')}`,
};
const APPROVAL: Statement = { name: 'approval_find', text: 'SELECT approval FROM approval WHERE intent = $1' };
const APPROVE: Statement = {
  name: 'approval_keep',
  text: `INSERT INTO approval (intent, approval, approved_by, reason, at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (intent) DO UPDATE SET (approval, approved_by, reason, at) = ($2, $3, $4, $5)`,
};
/**
 * Of an owner, a purpose and the beginning of such names: the greatest number that is taken. After a restore there may be bytes of a payment
 * that the treasury cannot cover yet: another under its name would be signed for something else.
 */
export const LAST_TAKEN = `greatest(
      (SELECT coalesce(max(number), 0) FROM payment WHERE owner = $1 AND purpose = $2),
      (SELECT coalesce(max(split_part(payment, ':', 3)::bigint), 0) FROM attempt WHERE adopted IS NOT NULL AND starts_with(payment, $3)))`;
export const takenBy = (owner: Owner, purpose: PurposeName) => [owner, purpose, `${owner}:${nameFor(purpose)}:`];
const LAST_NUMBER: Statement = { name: 'payment_last_number', text: `SELECT ${LAST_TAKEN} AS number` };
const OPEN: Statement = {
  name: 'payment_open_of',
  text: 'SELECT count(*) AS n FROM payment WHERE purpose = $2 AND owner = $1 AND NOT is_settled AND state = ANY ($3) AND ($4::text IS NULL OR asset = $4)',
};
const HOUSE_SPENT: Statement = {
  name: 'payment_house_spent',
  text: `SELECT coalesce(sum(atoms), 0) AS atoms FROM payment
    WHERE owner = 'treasury' AND purpose = $1 AND asset = $2 AND created_at > $3 AND state <> $4`,
};
const UNSETTLED: Statement = {
  name: 'payment_idle',
  text: `SELECT doc FROM payment AS p WHERE owner = 'treasury' AND NOT is_settled
      AND NOT EXISTS (SELECT 1 FROM effect WHERE owner = 'treasury' AND body ->> 'payment' = p.id) LIMIT $1`,
};

type StateName = PaymentState['state'];
/** Complete by type: whether the money of such a payment is still to leave. */
const IS_UNPAID: Readonly<Record<StateName, boolean>> = {
  due: true,
  awaiting_gas: true,
  reserved: true,
  signed: true,
  sent: true,
  confirmed: false,
  settled: false,
  refused: false,
  held: false,
};
export const UNPAID = Object.entries(IS_UNPAID).flatMap(([state, isUnpaid]) => (isUnpaid ? state : []));
export const GIVEN_UP: StateName = 'refused';
/** Nothing of it can have come anywhere: there are no bytes of it, or it was given up. */
export const NOT_OUT: readonly StateName[] = ['due', 'awaiting_gas', 'reserved', GIVEN_UP];

export function openPayments(db: Db) {
  return {
    async find(id: IntentId): Promise<Payment | undefined> {
      const [row] = await db.query(FIND, [id]);
      return row && decode<Payment>(row.doc);
    },

    /** The bytes that may still take effect, the newest first. */
    async attempts(intent: IntentId): Promise<readonly SignedTransfer[]> {
      return (await db.query(ATTEMPTS, [intent])).map(attempt);
    },

    /** The newest of those that were buried. */
    async lastDead(intent: IntentId): Promise<SignedTransfer | undefined> {
      const [row] = await db.query(LAST_DEAD, [intent]);
      return row && attempt(row);
    },

    /** Notes for which intent somebody named this transaction; false where it is another's, or was named for another before. */
    async claimTransaction(intent: IntentId, chain: ChainId, txHash: TxHash): Promise<boolean> {
      const [row] = await db.query(CLAIM_TRANSACTION, [`transaction:${chain}:${txHash}`, intent, chain, txHash]);
      return row?.intent === intent;
    },

    /** Notes the proof that these bytes can never take effect; from then on they are nobody's attempt. */
    async bury({ chainId, txHash }: SignedTransfer, proof: string): Promise<void> {
      await db.query(BURY, [chainId, txHash, proof]);
    },

    /** From here on what they were to spend is promised to nobody. */
    async letGo({ intent, consumes }: SignedTransfer): Promise<void> {
      await db.query(LET_GO, [intent, consumes]);
    },

    /** Of these things that can be spent once, those that are promised to some payment. */
    async busy(tokens: readonly string[]): Promise<ReadonlySet<string>> {
      return new Set((await db.query(BUSY, [tokens])).map((row) => row.token as string));
    },

    async hasNonce(intent: IntentId): Promise<boolean> {
      return (await db.query(HAS_NONCE, [intent])).length > 0;
    },

    async takeNonce(intent: IntentId, chain: ChainId, account: string, atLeast: number): Promise<number> {
      const [row] = await db.query(TAKE_NONCE, [intent, chain, account, atLeast]);
      return Number(row?.nonce);
    },

    async returnNonce(intent: IntentId): Promise<void> {
      await db.query(RETURN_NONCE, [intent]);
    },

    /** Living bytes of that account whose nonces lie from `first` on and before `end`, in the order of their nonces. */
    async between(chain: ChainId, account: string, first: number, end: number) {
      const rows = first < end ? await db.query(BETWEEN, [chain, account, first, end, GIVEN_UP]) : [];
      return rows.map((row) => ({ ...attempt(row), isRefused: row.is_refused === true }));
    },

    /** Which of these transactions we made ourselves. */
    async ours(chain: ChainId, hashes: readonly TxHash[]): Promise<ReadonlySet<string>> {
      return new Set((await db.query(OURS, [chain, hashes])).map((row) => row.tx_hash as string));
    },

    /** What these bytes pay, where the signer's journal told us of them; undefined where we asked for them ourselves. */
    async adopted({ chainId, txHash }: SignedTransfer): Promise<Transfer | undefined> {
      const [row] = await db.query(ADOPTED, [chainId, txHash]);
      return row && decode<Transfer>(row.adopted);
    },

    /** A payment of that owner that was signed before this database was restored, and is not planned in it yet. */
    async unplanned(owner: Owner): Promise<IntentId | undefined> {
      const [row] = await db.query(UNPLANNED, [owner]);
      return row && (row.intent as IntentId);
    },

    /** Coins that lie as gas on the deposit address of that owner; below nought where others paid for a transfer. */
    async gasOf(owner: Owner, coin: AssetId): Promise<bigint> {
      const [row] = await db.query(GAS_OF, [owner, coin]);
      return BigInt(row?.atoms as string);
    },

    /** The second yes to it; nobody here can say whether it is one. */
    async approval(intent: IntentId): Promise<string | undefined> {
      const [row] = await db.query(APPROVAL, [intent]);
      return row && (row.approval as string);
    },

    async approve(intent: IntentId, approval: string, { by, reason }: ByHand, at: Instant): Promise<void> {
      await db.query(APPROVE, [intent, approval, by, reason, at]);
    },

    async lastNumber(owner: Owner, purpose: PurposeName): Promise<number> {
      const [row] = await db.query(LAST_NUMBER, takenBy(owner, purpose));
      return Number(row?.number ?? 0);
    },

    /** Payments of that purpose whose money has not left yet; of one asset where it is named. */
    async countUnpaid(owner: Owner, purpose: PurposeName, asset?: AssetId): Promise<number> {
      const [row] = await db.query(OPEN, [owner, purpose, UNPAID, asset ?? null]);
      return Number(row?.n ?? 0);
    },

    /** What the house paid for that purpose since then, or set apart for it and did not take back. */
    async houseSpent(purpose: PurposeName, asset: AssetId, since: Instant): Promise<Atoms> {
      const [row] = await db.query(HOUSE_SPENT, [purpose, asset, since, GIVEN_UP]);
      return BigInt(row?.atoms as string) as Atoms;
    },

    /** Payments of the house that nothing works on although they are not settled. */
    async idle(limit: number): Promise<readonly Payment[]> {
      return (await db.query(UNSETTLED, [limit])).map((row) => decode<Payment>(row.doc));
    },
  };
}

export type Payments = ReturnType<typeof openPayments>;

/** A payment as the database functions take it. */
export function encodePayment(payment: Payment) {
  const { id, owner, purpose, version, amount, to, state } = payment;
  return {
    ...{ id, owner, purpose: purpose.for, number: numberOf(purpose), version, chainId: chainOfPayment(payment) },
    ...{ asset: amount.asset, atoms: amount.atoms.toString(), to, state: state.state, isSettled: isOver(payment) },
    doc: payment,
  };
}

function attempt(row: Row): SignedTransfer {
  return {
    intent: row.intent as IntentId,
    chainId: Number(row.chain_id) as ChainId,
    txHash: row.tx_hash as TxHash,
    raw: row.raw as string,
    consumes: row.consumes as string[],
    cost: BigInt(row.cost as string) as Atoms,
  };
}
