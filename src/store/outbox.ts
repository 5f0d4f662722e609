import { type Instant, later } from '../kernel/clock.ts';
import type { Effect } from '../life/order/effect.ts';
import type { Job } from '../life/order/handling.ts';
import type { Owner } from '../life/payment/payment.ts';
import { decode, encode } from './codec.ts';
import type { Db, DbSession, Statement } from './db.ts';

/** First half of the advisory lock that a live worker holds; the second half is its id. */
const WORKERS = 7424;

const ALIVE: Statement = { name: 'worker_alive', text: 'SELECT pg_advisory_lock($1::int, $2::int)' };
const CLAIM: Statement = { name: 'effect_claim', text: 'SELECT * FROM claim_effects($1, $2, $3, $4)' };
/** Claims of workers whose connection is gone, and of this worker's own that it no longer works on. */
const FREE: Statement = {
  name: 'effect_free',
  text: `UPDATE effect SET claimed_by = NULL
    WHERE claimed_by IS NOT NULL AND ((claimed_by = $2 AND key <> ALL ($3))
      OR claimed_by IN (
        SELECT worker FROM (SELECT DISTINCT claimed_by AS worker FROM effect WHERE claimed_by <> $2) AS others
        WHERE pg_try_advisory_xact_lock($1::int, worker::int)))
    RETURNING key`,
};
const PUT_BACK: Statement = {
  name: 'effect_put_back',
  text: `UPDATE effect SET claimed_by = NULL, due_at = $3, trouble = $4, held_by = $6,
      troubled_since = CASE WHEN $4::text IS NULL THEN NULL ELSE coalesce(troubled_since, $5) END
    WHERE key = $1 AND claimed_by = $2`,
};
const COMPLETE: Statement = { name: 'effect_complete', text: 'DELETE FROM effect WHERE key = $1 AND claimed_by = $2' };
const WAKE: Statement = {
  name: 'effect_wake',
  text: 'UPDATE effect SET due_at = $1 WHERE trouble IS NOT NULL AND claimed_by IS NULL AND due_at > $1',
};
const WAKE_OWNER: Statement = {
  name: 'effect_wake_owner',
  text: `WITH woken AS (
      UPDATE effect SET due_at = least(due_at, $2) WHERE owner = $1 AND trouble IS NOT NULL AND claimed_by IS NULL RETURNING key),
    told AS (SELECT pg_notify('wherry_effect', '') FROM woken LIMIT 1)
    SELECT key FROM woken LEFT JOIN told ON true`,
};
const ADD: Statement = { name: 'effect_add', text: 'SELECT add_effects($1, $2::jsonb)' };

export function openOutbox(db: Db) {
  return {
    /** Marks a worker as living for as long as the session's connection does. */
    async join(session: DbSession, worker: number): Promise<void> {
      await session.query(ALIVE, [WORKERS, worker]);
    },

    /** Some `most` of what is due, and of what is in trouble no more than so many. */
    async claim(worker: number, now: Instant, most: number, mostTroubled = most): Promise<readonly Job[]> {
      const rows = await db.query(CLAIM, [worker, now, most, mostTroubled]);
      return rows.map((row) => ({
        key: row.key as string,
        owner: row.owner as Owner,
        effect: decode<Job['effect']>(row.body),
        tries: Number(row.tries),
        troubledSince: row.troubled_since === null ? undefined : (Number(row.troubled_since) as Instant),
      }));
    },

    /** Makes due again what nobody works on any more. */
    async freeLost(worker: number, working: readonly string[]): Promise<number> {
      return (await db.query(FREE, [WORKERS, worker, working])).length;
    },

    /** To be tried again when it is due; with what went wrong, or who holds it, if that is why. */
    async putBack(
      key: string,
      worker: number,
      due: Instant,
      trouble?: { readonly what: string; readonly at: Instant },
      heldBy?: string,
    ): Promise<void> {
      await db.query(PUT_BACK, [key, worker, due, trouble?.what ?? null, trouble?.at ?? null, heldBy ?? null]);
    },

    async complete(key: string, worker: number): Promise<void> {
      await db.query(COMPLETE, [key, worker]);
    },

    /** Everything in trouble is due again. */
    async wakeTroubled(now: Instant): Promise<void> {
      await db.query(WAKE, [now]);
    },

    /** The same for one owner; how many instructions there were. */
    async wakeTroubledOf(owner: Owner, now: Instant): Promise<number> {
      return (await db.query(WAKE_OWNER, [owner, now])).length;
    },

    async add(owner: Owner, effects: readonly KeyedEffect[], at: Instant): Promise<void> {
      await db.query(ADD, [owner, encode(effects.map((one) => encodeEffect(one, at)))]);
    },
  };
}

export type Outbox = ReturnType<typeof openOutbox>;

export interface KeyedEffect {
  readonly key: string;
  readonly effect: Effect;
}

/** What nobody waits for lets pass what comes within this, and no longer: a lane may never be empty. */
const LETS_PASS_MS = 30_000;

/** An instruction as the database functions take it. */
export function encodeEffect({ key, effect }: KeyedEffect, at: Instant) {
  const due = 'due' in effect && effect.due !== undefined ? effect.due : at;
  const about = { key, kind: effect.effect, body: effect, due };
  if (!('lane' in effect)) return { ...about, lane: null, turn: null };
  return { ...about, lane: effect.lane, turn: effect.letsPass ? later(due, LETS_PASS_MS) : due };
}
