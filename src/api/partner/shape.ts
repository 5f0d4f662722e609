import type { Static } from '@sinclair/typebox';
import { present } from '../../kernel/assert.ts';
import { isoTime } from '../../kernel/clock.ts';
import { FEE_FIELDS } from '../../kernel/fee-field.ts';
import { settledAt } from '../../partners/address-change.ts';
import type { Integration } from '../../partners/integration.ts';
import type { Member } from '../../partners/partner-records.ts';
import { type Delivery, EVENT_TYPES, type Webhook } from '../../partners/webhook.ts';
import type { ApiDeps } from '../deps.ts';
import type { DeliveryPage, IntegrationShape, WebhookShape } from './schema.ts';

export function profileOf(integration: Integration) {
  return {
    integrationId: integration.integrationId,
    name: integration.name,
    status: integration.status,
    feePercent: integration.feePercent,
    feeAddress: integration.feeAddress,
    feeAddressSol: integration.feeAddressSol ?? null,
    feeAddressBtc: integration.feeAddressBtc ?? null,
  };
}

export function integrationOf(integration: Integration, members: readonly Member[]): Static<typeof IntegrationShape> {
  const { pending } = integration;
  const waiting = FEE_FIELDS.flatMap((field) => {
    const change = pending[field];
    return change ? [[field, { value: change.value, effectiveAt: isoTime(change.effectiveAt) }] as const] : [];
  });
  return {
    ...profileOf(integration),
    pendingChange: waiting.length === 0 ? null : Object.fromEntries(waiting),
    limits: integration.limits,
    members: members.map(({ address, role }) => ({ address, role })),
    createdAt: isoTime(integration.createdAt),
  };
}

/** As its members see it now. */
export async function integrationShape(integrationId: string, { partnerRoom: { book }, clock }: ApiDeps) {
  const [found, members] = await Promise.all([book.find(integrationId), book.members(integrationId)]);
  return integrationOf(settledAt(present(found, 'an integration'), clock.now()), members);
}

export const webhookOf = ({ webhookId, url, events, status, createdAt }: Webhook): Static<typeof WebhookShape> => ({
  webhookId,
  url,
  events: [...(events ?? EVENT_TYPES)],
  status,
  createdAt: isoTime(createdAt),
});

export const deliveryOf = (delivery: Delivery): Static<typeof DeliveryPage>['deliveries'][number] => ({
  ...delivery,
  orderId: delivery.orderId ?? null,
  seq: delivery.seq ?? null,
  createdAt: isoTime(delivery.createdAt),
  attempts: delivery.attempts.map((attempt) => ({ ...attempt, at: isoTime(attempt.at) })),
});
