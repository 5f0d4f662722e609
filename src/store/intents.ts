import type { Atoms } from '../kernel/amount.ts';
import { amount } from '../kernel/amount.ts';
import type { Address, AssetId, ChainId, IntentId, TxHash } from '../kernel/ids.ts';
import type { Intent, Owner } from '../life/order/effect.ts';
import type { Account, SignedTransfer } from '../world/chains/chain.ts';
import type { Db, Row, Statement } from './db.ts';

const FIND: Statement = {
  name: 'intent_find',
  text: `SELECT id, owner, kind, leg, from_account, asset, atoms, to_address, to_deposit, binding, state, nonce
    FROM intent WHERE id = $1`,
};
const ATTEMPT: Statement = {
  name: 'attempt_newest',
  text: `SELECT intent_id, chain_id, tx_hash, raw, consumes, cost FROM attempt
    WHERE intent_id = $1 AND dead_proof IS NULL ORDER BY created_at DESC LIMIT 1`,
};
const LAST_DEAD: Statement = {
  name: 'attempt_last_dead',
  text: `SELECT tx_hash FROM attempt WHERE intent_id = $1 AND dead_proof IS NOT NULL ORDER BY created_at DESC LIMIT 1`,
};
/** What dead bytes were to spend may serve anybody again, unless a living attempt of the same intent spends it, too. */
const BURY: Statement = {
  name: 'attempt_bury',
  text: `WITH buried AS (
      UPDATE attempt SET dead_proof = $3 WHERE chain_id = $1 AND tx_hash = $2 AND dead_proof IS NULL
      RETURNING intent_id, tx_hash, consumes)
    DELETE FROM exclusivity AS e USING buried AS b WHERE e.token = ANY (b.consumes) AND e.intent_id = b.intent_id
      AND NOT EXISTS (
        SELECT 1 FROM attempt AS a
        WHERE a.intent_id = b.intent_id AND a.tx_hash <> b.tx_hash AND a.dead_proof IS NULL AND e.token = ANY (a.consumes))`,
};
const BUSY: Statement = { name: 'exclusivity_busy', text: 'SELECT token FROM exclusivity WHERE token = ANY ($1)' };
/** The same intent keeps its nonce on every try; another gets the next one, never below what the chain says. */
const TAKE_NONCE: Statement = {
  name: 'intent_take_nonce',
  text: `WITH mine AS (SELECT nonce FROM intent WHERE id = $1 AND nonce IS NOT NULL),
      taken AS (
        INSERT INTO account_nonce AS a (chain_id, account, next)
        SELECT $2, $3, $4::bigint + 1 WHERE NOT EXISTS (SELECT 1 FROM mine)
        ON CONFLICT (chain_id, account) DO UPDATE SET next = greatest(a.next, $4::bigint) + 1
        RETURNING next - 1 AS nonce),
      noted AS (UPDATE intent SET nonce = taken.nonce, account = $3 FROM taken WHERE id = $1)
    SELECT nonce FROM mine UNION ALL SELECT nonce FROM taken`,
};
/** Only the nonce handed out last can go back, so no gap can arise behind a later one. */
const RETURN_NONCE: Statement = {
  name: 'intent_return_nonce',
  text: `WITH freed AS (
      UPDATE account_nonce AS a SET next = a.next - 1 FROM intent AS i
      WHERE i.id = $1 AND a.chain_id = i.chain_id AND a.account = i.account AND a.next = i.nonce + 1
        AND NOT EXISTS (SELECT 1 FROM attempt WHERE intent_id = i.id)
      RETURNING i.id)
    UPDATE intent SET nonce = NULL, account = NULL FROM freed WHERE intent.id = freed.id`,
};
const OURS: Statement = {
  name: 'attempt_ours',
  text: 'SELECT tx_hash FROM attempt WHERE chain_id = $1 AND tx_hash = ANY($2)',
};
const LAST_LEG: Statement = {
  name: 'intent_last_leg',
  text: 'SELECT coalesce(max(leg), 0) AS leg FROM intent WHERE owner = $1 AND kind = $2',
};
const OPEN: Statement = {
  name: 'intent_open_of',
  text: `SELECT count(*) AS n FROM intent WHERE owner = $1 AND kind = $2 AND state NOT IN ('final', 'void', 'held')`,
};

export function openIntents(db: Db) {
  return {
    async find(id: IntentId): Promise<Intent | undefined> {
      const [row] = await db.query(FIND, [id]);
      return row && intent(row);
    },

    /** The bytes that may still take effect. */
    async attempt(id: IntentId): Promise<SignedTransfer | undefined> {
      const [row] = await db.query(ATTEMPT, [id]);
      return row && attempt(row);
    },

    /** The newest of those that were buried. */
    async lastDead(id: IntentId): Promise<TxHash | undefined> {
      const [row] = await db.query(LAST_DEAD, [id]);
      return row && (row.tx_hash as TxHash);
    },

    /** Notes the proof that these bytes can never take effect; from then on they are nobody's attempt. */
    async bury({ chainId, txHash }: SignedTransfer, proof: string): Promise<void> {
      await db.query(BURY, [chainId, txHash, proof]);
    },

    /** Of these things that can be spent once, those that are promised to some payment. */
    async busy(consumes: readonly string[]): Promise<ReadonlySet<string>> {
      return new Set((await db.query(BUSY, [consumes])).map((row) => row.token as string));
    },

    async takeNonce(id: IntentId, chain: ChainId, account: string, atLeast: number): Promise<number> {
      const [row] = await db.query(TAKE_NONCE, [id, chain, account, atLeast]);
      return Number(row?.nonce);
    },

    async returnNonce(id: IntentId): Promise<void> {
      await db.query(RETURN_NONCE, [id]);
    },

    /** Which of these transactions we made ourselves. */
    async ours(chain: ChainId, hashes: readonly TxHash[]): Promise<ReadonlySet<string>> {
      return new Set((await db.query(OURS, [chain, hashes])).map((row) => row.tx_hash as string));
    },

    async lastLeg(owner: Owner, kind: Intent['kind']): Promise<number> {
      const [row] = await db.query(LAST_LEG, [owner, kind]);
      return Number(row?.leg ?? 0);
    },

    async countOpen(owner: Owner, kind: Intent['kind']): Promise<number> {
      const [row] = await db.query(OPEN, [owner, kind]);
      return Number(row?.n ?? 0);
    },
  };
}

export type Intents = ReturnType<typeof openIntents>;

function intent(row: Row): Intent {
  return {
    id: row.id as IntentId,
    owner: row.owner as Owner,
    kind: row.kind as Intent['kind'],
    leg: Number(row.leg),
    from: row.from_account as Account,
    amount: amount(row.asset as AssetId, BigInt(row.atoms as string)),
    to: row.to_address as Address,
    toDeposit: row.to_deposit === null ? undefined : Number(row.to_deposit),
    binding: (row.binding as string | null) ?? undefined,
    state: row.state as Intent['state'],
    nonce: row.nonce === null ? undefined : Number(row.nonce),
  };
}

function attempt(row: Row): SignedTransfer {
  return {
    intent: row.intent_id as IntentId,
    chainId: Number(row.chain_id) as ChainId,
    txHash: row.tx_hash as TxHash,
    raw: row.raw as string,
    consumes: row.consumes as string[],
    cost: BigInt(row.cost as string) as Atoms,
  };
}
