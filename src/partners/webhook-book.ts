import type { Instant } from '../kernel/clock.ts';
import type { By } from './partner-records.ts';
import type { Attempt, Delivery, DueDelivery, Shares, Webhook, WebhookStatus } from './webhook.ts';

/** What a message is about. The order is stored as the store keeps orders; `order` gives it back as it was. */
export interface Message<O> {
  readonly messageId: string;
  readonly type: string;
  readonly at: Instant;
  readonly integrationId: string;
  readonly webhookId: string | undefined;
  readonly seq: number | undefined;
  readonly order: O | undefined;
}

export interface WebhookChange {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | null | undefined;
  readonly status?: WebhookStatus | undefined;
}

/** PORT. Endpoints, and what is to be sent to them. `O` is an order. */
export interface WebhookBook<O> {
  list(integrationId: string): Promise<readonly Webhook[]>;
  find(integrationId: string, webhookId: string): Promise<Webhook | undefined>;
  /** False where the integration has as many as it may. */
  add(webhook: Webhook, by: By): Promise<boolean>;
  change(integrationId: string, webhookId: string, change: WebhookChange, by: By): Promise<Webhook | undefined>;
  /** Its secret is replaced now. */
  rotate(integrationId: string, webhookId: string, by: By): Promise<Webhook | undefined>;
  remove(integrationId: string, webhookId: string, by: By): Promise<boolean>;
  /** The id of the message. */
  sendTest(webhook: Webhook, at: Instant): Promise<string>;
  /** Newest first. */
  deliveries(
    webhookId: string,
    state: Delivery['state'] | undefined,
    limit: number,
    before: Pick<Delivery, 'createdAt' | 'deliveryId'> | undefined,
  ): Promise<readonly Delivery[]>;
  /** Queued again, with a schedule of its own; false where there is no such delivery. */
  resend(webhookId: string, deliveryId: string, at: Instant): Promise<boolean>;

  /** The next of each order and endpoint that is due, without those in `busy`; first of those who have least under way. */
  due(now: Instant, shares: Shares, busy: readonly string[]): Promise<readonly DueDelivery[]>;
  message(messageId: string): Promise<Message<O> | undefined>;
  /** The body as it is kept from now on: the given one, or the one that was kept before. */
  keepBody(messageId: string, body: string): Promise<string>;
  /** `again` undefined: it is not tried any more, and the endpoint is disabled. */
  attempted(
    delivery: Pick<DueDelivery, 'deliveryId' | 'dueAt' | 'webhook'>,
    attempt: Attempt,
    outcome: 'delivered' | { readonly again: Instant | undefined },
  ): Promise<void>;
  /** Forgets what was delivered, or failed, long ago. */
  forget(before: Instant): Promise<void>;
}
