import { createHmac } from 'node:crypto';
import { type Instant, later } from '../kernel/clock.ts';
import { keyedHash, type Secret } from '../kernel/secret.ts';

/** Signed as https://www.standardwebhooks.com describes it. */

export const EVENT_TYPES = [
  'order.created',
  'order.deposit_seen',
  'order.deposit_confirmed',
  'order.notice',
  'order.action_required',
  'order.completed',
  'order.refunded',
  'order.failed',
  'order.expired',
  'fee.paid',
  'fee.skipped',
  'integration.changed',
  'webhook.test',
] as const;

/** Disabled: nothing was taken for days. What happens to a paused or disabled endpoint's events is that they are dropped. */
export type WebhookStatus = 'active' | 'paused' | 'disabled';

export interface Webhook {
  readonly webhookId: string;
  readonly integrationId: string;
  readonly url: string;
  /** undefined: every type. */
  readonly events: readonly string[] | undefined;
  readonly status: WebhookStatus;
  /** When each earlier secret was replaced, oldest first. */
  readonly retiredAt: readonly Instant[];
  readonly createdAt: Instant;
}

export const MOST_WEBHOOKS = 20;
/** A replaced secret signs beside the new one for this long. */
const OVERLAP_MS = 24 * 60 * 60_000;

/** The secret of a number; made from the desk's own secret, so that none is stored. */
export function webhookSecret(hashKey: Secret<Uint8Array>, webhookId: string, number: number): string {
  const bytes = Buffer.from(keyedHash(hashKey, 'webhook-secret', webhookId, String(number)), 'hex');
  return `whsec_${bytes.toString('base64')}`;
}

/** The newest first, and those whose time is not over; a handful, however often somebody rotates. */
export function liveSecrets(
  hashKey: Secret<Uint8Array>,
  { webhookId, retiredAt }: Pick<Webhook, 'webhookId' | 'retiredAt'>,
  now: Instant,
): readonly string[] {
  const old = retiredAt.flatMap((at, number) => (later(at, OVERLAP_MS) > now ? [number] : []));
  const numbers = [...old, retiredAt.length].slice(-MOST_SECRETS).reverse();
  return numbers.map((number) => webhookSecret(hashKey, webhookId, number));
}
const MOST_SECRETS = 5;

export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

export function signMessage(secrets: readonly string[], id: string, at: Instant, body: string): SignedHeaders {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
/** Pauses before the second attempt, the third, and so on; the last is repeated until the three days are over. */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
const GIVE_UP_MS = 72 * HOUR;

/** When to try again after so many attempts that failed; undefined when three days are over. */
export function nextAttempt(began: Instant, tries: number, now: Instant): Instant | undefined {
  const due = later(now, PAUSES[Math.min(tries, PAUSES.length) - 1] ?? 0);
  return due <= later(began, GIVE_UP_MS) ? due : undefined;
}

export interface Attempt {
  readonly at: Instant;
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly ms: number;
  readonly error: string | null;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly type: string;
  readonly orderId: string | undefined;
  readonly seq: number | undefined;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly createdAt: Instant;
  readonly attempts: readonly Attempt[];
}

/** What is to be sent now. */
export interface DueDelivery {
  readonly deliveryId: string;
  readonly webhook: Webhook;
  readonly messageId: string;
  readonly tries: number;
  readonly beganAt: Instant | undefined;
  /** Another one once its receiver asks for it again. */
  readonly dueAt: Instant;
  /** undefined until it was made. */
  readonly body: string | undefined;
  /** How many the integration has under way with this one. */
  readonly turn: number;
}

/** Of what is sent at one time: how many to one endpoint, to those of one integration, and in all. */
export interface Shares {
  readonly perWebhook: number;
  readonly perIntegration: number;
  readonly most: number;
}
