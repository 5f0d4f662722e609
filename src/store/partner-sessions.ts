import { type PartnerSessions, SESSION_IDLE_MS, SESSION_MS } from '../partners/session.ts';
import type { Db, Statement } from './db.ts';

const ADD_NONCE: Statement = { name: 'partner_nonce_add', text: 'INSERT INTO partner_nonce VALUES ($1, $2)' };
const SPEND_NONCE: Statement = {
  name: 'partner_nonce_spend',
  text: 'DELETE FROM partner_nonce WHERE nonce = $1 RETURNING expires_at > $2 AS good',
};
const OPEN: Statement = { name: 'partner_session_open', text: 'INSERT INTO partner_session VALUES ($1, $2, $3, $3)' };
const USE: Statement = {
  name: 'partner_session_use',
  text: `UPDATE partner_session SET seen_at = greatest(seen_at, $2)
         WHERE token_hash = $1 AND seen_at > $2 - $3::bigint AND created_at > $2 - $4::bigint RETURNING address`,
};
const CLOSE: Statement = { name: 'partner_session_close', text: 'DELETE FROM partner_session WHERE token_hash = $1' };
const SWEEP: Statement = {
  name: 'partner_session_sweep',
  text: `WITH nonces AS (DELETE FROM partner_nonce WHERE expires_at <= $1)
         DELETE FROM partner_session WHERE seen_at <= $1 - $2::bigint OR created_at <= $1 - $3::bigint`,
};

export function openPartnerSessions(db: Db): PartnerSessions {
  return {
    async addNonce(nonce, expiresAt) {
      await db.query(ADD_NONCE, [nonce, expiresAt]);
    },
    spendNonce: async (nonce, now) => (await db.query(SPEND_NONCE, [nonce, now]))[0]?.good === true,
    async open(tokenHash, address, now) {
      await db.query(OPEN, [tokenHash, address, now]);
    },
    use: async (tokenHash, now) =>
      (await db.query(USE, [tokenHash, now, SESSION_IDLE_MS, SESSION_MS]))[0]?.address as string | undefined,
    async close(tokenHash) {
      await db.query(CLOSE, [tokenHash]);
    },
    async sweep(now) {
      await db.query(SWEEP, [now, SESSION_IDLE_MS, SESSION_MS]);
    },
  };
}
