import type { Instant } from '../kernel/clock.ts';
import { keyedHash, type Secret } from '../kernel/secret.ts';
import { type Random, randomText } from './api-key.ts';

/** A member's session ends half an hour after its last use, and after half a day in any case. */
export const SESSION_IDLE_MS = 30 * 60_000;
export const SESSION_MS = 12 * 60 * 60_000;
const TOKEN_BYTES = 32;

export const newSessionToken = (random: Random): string => randomText(random, TOKEN_BYTES);

/** What is stored of a session. */
export const hashOfSession = (hashKey: Secret<Uint8Array>, token: string): string =>
  keyedHash(hashKey, 'partner-session', token);

/** PORT. Nonces and sessions. What is over is as good as gone. */
export interface PartnerSessions {
  addNonce(nonce: string, expiresAt: Instant): Promise<void>;
  /** True once for each nonce that is good now. */
  spendNonce(nonce: string, now: Instant): Promise<boolean>;
  open(tokenHash: string, address: string, now: Instant): Promise<void>;
  /** The member's address, and the session counts as used; undefined where there is none, or it is over. */
  use(tokenHash: string, now: Instant): Promise<string | undefined>;
  close(tokenHash: string): Promise<void>;
  /** Forgets what is over. */
  sweep(now: Instant): Promise<void>;
}
