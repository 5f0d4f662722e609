import type { SwapOrder } from './generated/contract.ts';

/** What happened to an order, or to its fee. `seq` rises per order. */
export interface OrderEvent {
  readonly type: `order.${string}` | `fee.${string}`;
  readonly timestamp: string;
  readonly data: SwapOrder & { readonly seq: number };
}

export interface OtherEvent {
  readonly type: 'integration.changed' | 'webhook.test';
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type WebhookEvent = OrderEvent | OtherEvent;

export interface VerifyOptions {
  /** How old or how far ahead a message may be; 300 without it. */
  readonly toleranceSeconds?: number;
  /** Milliseconds; the computer's clock without it. */
  readonly now?: number;
}

/** Somebody else sent this, or it is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/**
 * The event in a request, once it is proven to come from the desk (https://www.standardwebhooks.com). `body` is the raw text
 * as it arrived: parsed and written again it is another text. After a rotation pass the old secret as well.
 */
export async function verifyWebhook(
  secrets: string | readonly string[],
  headers: Headers,
  body: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    read(headers, name),
  );
  if (!id || !timestamp || !signatures || !/^\d{1,12}$/.test(timestamp))
    throw new WebhookError('The webhook headers are missing.');
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('The message is too old, or from the future.');
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice('v1,'.length)] : []));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    for (const signature of given) if (await isGood(secret, signature, signed)) return JSON.parse(body) as WebhookEvent;
  }
  throw new WebhookError('No signature fits.');
}

function read(headers: Headers, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** The comparison is the cryptographic library's own, which takes as long for a wrong signature as for a right one. */
async function isGood(secret: string, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const [key, mac] = [bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret), bytesOf(signature)];
  if (!key || !mac) return false;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify']);
  return crypto.subtle.verify(algorithm, imported, mac, signed);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
