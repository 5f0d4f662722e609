import { present } from '../kernel/assert.ts';
import { type Instant, instant } from '../kernel/clock.ts';
import type { Address } from '../kernel/ids.ts';
import type { Order } from '../life/order/order.ts';
import { type Attempt, type Delivery, MOST_WEBHOOKS, type Webhook, type WebhookStatus } from '../partners/webhook.ts';
import type { WebhookBook } from '../partners/webhook-book.ts';
import { encodeCase } from './cases.ts';
import { decode } from './codec.ts';
import type { Db, Row, Statement } from './db.ts';

const LIST: Statement = {
  name: 'webhook_list',
  text: 'SELECT * FROM webhook WHERE integration_id = $1 AND deleted_at IS NULL ORDER BY created_at, id',
};
const FIND: Statement = {
  name: 'webhook_find',
  text: 'SELECT * FROM webhook WHERE integration_id = $1 AND id = $2 AND deleted_at IS NULL',
};
const ADD: Statement = { name: 'webhook_add', text: 'SELECT add_webhook($1, $2, $3, $4, $5, $6, $7) AS added' };
const CHANGE: Statement = {
  name: 'webhook_change',
  text: 'SELECT * FROM change_webhook($1, $2, $3::jsonb, $4, $5, $6)',
};
const TEST: Statement = { name: 'webhook_test', text: 'SELECT send_test_message($1, $2, $3) AS id' };
const DELIVERIES: Statement = {
  name: 'webhook_deliveries',
  text: `SELECT d.id, d.message_id, m.type, m.order_id, m.seq, d.state, d.created_at, d.attempts
    FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message_id
    WHERE d.webhook_id = $1 AND ($2::text IS NULL OR d.state = $2) AND ($3::bigint IS NULL OR (d.created_at, d.id) < ($3, $4))
    ORDER BY d.created_at DESC, d.id DESC LIMIT $5`,
};
const RESEND: Statement = {
  name: 'webhook_resend',
  text: `UPDATE webhook_delivery SET state = 'pending', due_at = $3, began_at = NULL, tries = 0
    WHERE webhook_id = $1 AND id = $2 RETURNING id`,
};
const PUT_OFF: Statement = { name: 'webhook_put_off', text: 'SELECT put_off_deliveries($1)' };
/**
 * A message waits for the one before it. Each endpoint has its share, a failing one a single message, and each integration has one; those
 * that are sent least come first.
 */
const DUE: Statement = {
  name: 'webhook_due',
  text: `WITH busy AS (
      SELECT d.webhook_id, w.integration_id FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id WHERE d.id = ANY ($2::bigint[])),
    due AS (
      SELECT d.*, w.integration_id, (SELECT count(*) FROM busy WHERE busy.integration_id = w.integration_id)
          + row_number() OVER (PARTITION BY w.integration_id ORDER BY d.due_at, d.delivery_id) AS turn
      FROM webhook w CROSS JOIN LATERAL (
        SELECT id AS delivery_id, webhook_id, message_id, tries, began_at, due_at FROM webhook_delivery AS one
        WHERE one.webhook_id = w.id AND one.state = 'pending' AND one.due_at <= $1 AND one.id <> ALL ($2::bigint[])
          AND NOT EXISTS (SELECT 1 FROM webhook_delivery AS first
                          WHERE first.webhook_id = w.id AND first.line = one.line AND first.seq < one.seq AND first.state = 'pending')
        ORDER BY one.due_at, one.id
        LIMIT greatest((CASE WHEN w.is_failing THEN 1 ELSE $3::int END) - (SELECT count(*)::int FROM busy WHERE busy.webhook_id = w.id), 0)
      ) AS d WHERE w.status = 'active' AND w.deleted_at IS NULL)
    SELECT due.delivery_id, due.message_id, due.tries, due.began_at, due.due_at, due.turn, m.body, w.*
    FROM due JOIN webhook w ON w.id = due.webhook_id JOIN webhook_message m ON m.id = due.message_id
    WHERE due.turn <= $4 ORDER BY due.turn, due.due_at, due.delivery_id LIMIT $5`,
};
const MESSAGE: Statement = {
  name: 'webhook_message',
  text: `SELECT m.*, o.deposit_index, o.deposit_address FROM webhook_message m LEFT JOIN orders o ON o.id = m.order_id WHERE m.id = $1`,
};
const KEEP_BODY: Statement = {
  name: 'webhook_keep_body',
  text: `UPDATE webhook_message SET body = coalesce(body, $2), order_doc = NULL WHERE id = $1 RETURNING body`,
};
const ATTEMPTED: Statement = {
  name: 'webhook_attempted',
  text: 'SELECT webhook_attempted($1, $2, $3::jsonb, $4, $5, $6, $7::jsonb)',
};
/** Messages go when no delivery names them any more. */
const FORGET: Statement = {
  name: 'webhook_forget',
  text: `WITH gone AS (
      DELETE FROM webhook_delivery WHERE id IN (
        SELECT id FROM webhook_delivery WHERE created_at < $1 AND state <> 'pending' ORDER BY id LIMIT $2) RETURNING id, message_id)
    DELETE FROM webhook_message m USING gone WHERE m.id = gone.message_id
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.message_id = m.id AND d.id NOT IN (SELECT id FROM gone))`,
};
const FORGET_AT_ONCE = 1_000;

interface WebhookRow extends Row {
  readonly id: string;
  readonly integration_id: string;
  readonly url: string;
  readonly events: string[] | null;
  readonly status: WebhookStatus;
  readonly retired_at: readonly string[];
  readonly created_at: string;
}

const when = (value: unknown): Instant => instant(Number(value));

export function openWebhookBook(db: Db): WebhookBook<Order> {
  const change = async (...values: readonly unknown[]): Promise<Webhook | undefined> => {
    const [row] = await db.query<WebhookRow>(CHANGE, values);
    return row && webhookOf(row);
  };
  return {
    list: async (integrationId) => (await db.query<WebhookRow>(LIST, [integrationId])).map(webhookOf),
    async find(integrationId, webhookId) {
      const [row] = await db.query<WebhookRow>(FIND, [integrationId, webhookId]);
      return row && webhookOf(row);
    },
    async add({ webhookId, integrationId, url, events }, { actor, at }) {
      const [row] = await db.query(ADD, [webhookId, integrationId, url, events ?? null, MOST_WEBHOOKS, actor, at]);
      return row?.added === true;
    },
    change: (integrationId, webhookId, wish, { actor, at }) =>
      change(integrationId, webhookId, JSON.stringify(wish), 'webhook.changed', actor, at),
    rotate: (integrationId, webhookId, { actor, at }) =>
      change(integrationId, webhookId, '{"retire":true}', 'webhook.rotated', actor, at),
    remove: async (integrationId, webhookId, { actor, at }) =>
      (await change(integrationId, webhookId, '{"delete":true}', 'webhook.deleted', actor, at)) !== undefined,
    sendTest: async ({ webhookId, integrationId }, at) =>
      present((await db.query(TEST, [webhookId, integrationId, at]))[0], 'a message').id as string,
    deliveries: async (webhookId, state, limit, before) =>
      (
        await db.query(DELIVERIES, [
          webhookId,
          state ?? null,
          before?.createdAt ?? null,
          before?.deliveryId ?? null,
          limit,
        ])
      ).map(deliveryOf),
    resend: async (webhookId, deliveryId, at) => (await db.query(RESEND, [webhookId, deliveryId, at])).length > 0,

    async due(now, { perWebhook, perIntegration, most }, busy) {
      await db.query(PUT_OFF, [now]);
      return (await db.query<WebhookRow>(DUE, [now, busy, perWebhook, perIntegration, most])).map((row) => ({
        deliveryId: String(row.delivery_id),
        webhook: webhookOf(row),
        messageId: row.message_id as string,
        tries: Number(row.tries),
        beganAt: row.began_at === null ? undefined : when(row.began_at),
        dueAt: when(row.due_at),
        body: (row.body as string | null) ?? undefined,
        turn: Number(row.turn),
      }));
    },
    async message(messageId) {
      const [row] = await db.query(MESSAGE, [messageId]);
      return (
        row && {
          messageId,
          type: row.type as string,
          at: when(row.at),
          integrationId: row.integration_id as string,
          webhookId: (row.webhook_id as string | null) ?? undefined,
          seq: row.seq === null ? undefined : Number(row.seq),
          order: row.order_doc === null ? undefined : orderOf(row),
        }
      );
    },
    keepBody: async (messageId, body) =>
      present((await db.query(KEEP_BODY, [messageId, body]))[0], 'a message').body as string,
    async attempted({ deliveryId, dueAt, webhook }, attempt, outcome) {
      const again = outcome === 'delivered' ? undefined : outcome.again;
      const state = outcome === 'delivered' ? 'delivered' : again === undefined ? 'failed' : 'pending';
      const disabled = encodeCase({ case: 'webhook_disabled', webhook: webhook.webhookId });
      const values = [
        deliveryId,
        dueAt,
        JSON.stringify(attempt),
        state,
        again ?? null,
        attempt.at,
        JSON.stringify([disabled]),
      ];
      await db.query(ATTEMPTED, values);
    },
    async forget(before) {
      await db.query(FORGET, [before, FORGET_AT_ONCE]);
    },
  };
}

/** The order as it was when the message was written; its address never changes. */
const orderOf = (row: Row): Order => ({
  ...decode<Order>(row.order_doc),
  version: Number(row.order_version),
  updatedAt: when(row.at),
  depositIndex: Number(row.deposit_index),
  depositAddress: row.deposit_address as Address,
});

const webhookOf = (row: WebhookRow): Webhook => ({
  webhookId: row.id,
  integrationId: row.integration_id,
  url: row.url,
  events: row.events ?? undefined,
  status: row.status,
  retiredAt: row.retired_at.map(when),
  createdAt: when(row.created_at),
});

const deliveryOf = (row: Row): Delivery => ({
  deliveryId: String(row.id),
  messageId: row.message_id as string,
  type: row.type as string,
  orderId: (row.order_id as string | null) ?? undefined,
  seq: row.seq === null ? undefined : Number(row.seq),
  state: row.state as Delivery['state'],
  createdAt: when(row.created_at),
  attempts: (row.attempts as readonly Attempt[]).map((attempt) => ({ ...attempt })),
});
