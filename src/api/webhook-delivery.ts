import { isoTime } from '../kernel/clock.ts';
import type { Order } from '../life/order/order.ts';
import { type DueDelivery, liveSecrets, nextAttempt, signMessage } from '../partners/webhook.ts';
import type { Message, WebhookBook } from '../partners/webhook-book.ts';
import { hashKeysOf } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { integrationShape } from './partner/shape.ts';
import { swapOrder } from './v2/reply-shapes.ts';

/**
 * As much as one process sends at a time: a silent endpoint waits for itself alone. However many are silent, an integration that has
 * nothing under way may send one, up to a bound that only hundreds of integrations can reach together.
 */
const MOST_AT_ONCE = 64;
const MOST_INTEGRATIONS = 256;
const MOST_PER_WEBHOOK = 4;
const MOST_PER_INTEGRATION = 8;
/** How long a log of deliveries is kept. */
const KEEP_MS = 30 * 24 * 60 * 60_000;

type Posted = { readonly status: number | null; readonly error: string | null; readonly ms: number };

export interface DeliveryParts {
  readonly webhooks: WebhookBook<Order>;
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted>;
  readonly deps: ApiDeps;
}

/** Sends what is due. A round starts work and does not wait for it, so that nothing slow holds up what is not. */
export function openWebhookDelivery({ webhooks, post, deps }: DeliveryParts) {
  const { clock, log } = deps;
  const running = new Map<string, Promise<void>>();

  async function send(due: DueDelivery): Promise<void> {
    const { webhook, messageId, tries, beganAt, body } = due;
    const text = body ?? (await bodyOf(messageId));
    const at = clock.now();
    const headers = {
      ...signMessage(
        hashKeysOf(deps).flatMap((hashKey) => liveSecrets(hashKey, webhook, at)),
        messageId,
        at,
        text,
      ),
      'content-type': 'application/json',
      'user-agent': 'Wherry-Webhooks/1',
    };
    const { status, error, ms } = await post(webhook.url, headers, text);
    const again = nextAttempt(beganAt ?? at, tries + 1, clock.now());
    await webhooks.attempted(due, { at, status, ms, error }, error === null ? 'delivered' : { again });
  }

  /** Made once: every attempt and every endpoint gets the same bytes. */
  async function bodyOf(messageId: string): Promise<string> {
    const message = await webhooks.message(messageId);
    if (!message) throw new Error(`no message ${messageId}`);
    const { type, at } = message;
    return webhooks.keepBody(messageId, JSON.stringify({ type, timestamp: isoTime(at), data: await dataOf(message) }));
  }

  async function dataOf({ order, seq, webhookId, integrationId }: Message<Order>): Promise<object> {
    if (order) return { ...(await swapOrder(order, deps)), seq };
    return webhookId === undefined ? integrationShape(integrationId, deps) : { webhookId };
  }

  return {
    /** Whether there may be more at once. */
    async round(): Promise<boolean> {
      const most = MOST_INTEGRATIONS - running.size;
      const shares = { perWebhook: MOST_PER_WEBHOOK, perIntegration: MOST_PER_INTEGRATION, most };
      const due = most > 0 ? await webhooks.due(clock.now(), shares, [...running.keys()]) : [];
      for (const one of due) {
        if (one.turn > 1 && running.size >= MOST_AT_ONCE) continue;
        const work = send(one)
          .catch((err: unknown) => log.warn({ err, delivery: one.deliveryId }, 'webhook'))
          .finally(() => running.delete(one.deliveryId));
        running.set(one.deliveryId, work);
      }
      return false;
    },
    /** Everything that was begun has ended. */
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running.values());
    },
    forget: () => webhooks.forget((clock.now() - KEEP_MS) as ReturnType<typeof clock.now>),
  };
}
