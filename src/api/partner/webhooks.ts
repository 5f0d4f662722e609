import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { present } from '../../kernel/assert.ts';
import { instant } from '../../kernel/clock.ts';
import { inField } from '../../kernel/field-refusals.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/refusal.ts';
import { randomText } from '../../partners/api-key.ts';
import type { By } from '../../partners/partner-records.ts';
import { type Delivery, MOST_WEBHOOKS, type Webhook, webhookSecret } from '../../partners/webhook.ts';
import { openCursor, sealCursor, strangeCursor } from '../cursor.ts';
import type { ApiDeps } from '../deps.ts';
import { type Endpoint, endpoint, type Input } from '../endpoint.ts';
import { ORDERS_PER_PAGE } from '../limits.ts';
import { oneOf } from '../wire-schemas.ts';
import { IntegrationParams, PageQuery } from './integrations.ts';
import { asMember, type PartnerEndpoint, partnerEndpoint } from './partner-endpoint.ts';
import {
  CreatedWebhook,
  DELIVERY_STATES,
  DeliveryPage,
  NewWebhookBody,
  Nothing,
  RotatedSecret,
  TestSent,
  WebhookList,
  WebhookPatch,
  WebhookShape,
} from './schema.ts';
import { deliveryOf, webhookOf } from './shape.ts';

/** Whose endpoints, and who asks. */
interface For {
  readonly integrationId: string;
  readonly by: By;
}

interface Ask<P extends TObject, I extends Omit<Input, 'params'>> {
  readonly params: Static<P>;
  readonly query: I['query'] extends TSchema ? Static<I['query']> : undefined;
  readonly body: I['body'] extends TSchema ? Static<I['body']> : undefined;
}

/** A call that is served twice: to members who are signed in, and to the integration's server keys. */
interface Definition<P extends TObject, I extends Omit<Input, 'params'>, O extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly suffix: '' | `/${string}`;
  readonly name: string;
  readonly summary: string;
  readonly params: P;
  readonly input: I;
  readonly output: O;
  readonly status?: 200 | 201 | 202 | 204;
  run(ask: Ask<P, I>, whose: For, deps: ApiDeps): Promise<Static<O> | Refusal>;
}

interface Pair {
  readonly byMember: PartnerEndpoint;
  readonly byKey: Endpoint;
}

function webhookCall<P extends TObject, I extends Omit<Input, 'params'>, O extends TSchema>({
  method,
  suffix,
  name,
  summary,
  params,
  input,
  output,
  status = 200,
  run,
}: Definition<P, I, O>): Pair {
  const need = method === 'GET' ? 'viewer' : 'owner';
  const all = Type.Object({ ...IntegrationParams.properties, ...params.properties });
  return {
    byMember: partnerEndpoint({
      ...{ method, name, summary, output, status, needs: 'member' },
      path: `/partner/integrations/:id/webhooks${suffix}`,
      input: { ...input, params: all },
      async run(ask, deps) {
        const given = ask as unknown as Ask<P, I> & { readonly params: { readonly id: string } };
        const access = await asMember({ params: given.params, member: ask.member }, need, deps);
        if (isRefusal(access)) return access;
        const by = { actor: ask.member, at: deps.clock.now() };
        return run(given, { integrationId: given.params.id, by }, deps);
      },
    }),
    byKey: endpoint({
      ...{ method, summary, output, status, quota: 'requests', key: 'server', isHidden: true },
      path: `/v2/integrator/webhooks${suffix}`,
      input: { ...input, params },
      async run(ask, deps) {
        const { integrationId, keyId } = present(ask.caller.partner, 'the key of an integration');
        const by = { actor: `key:${keyId}`, at: deps.clock.now() };
        return run(ask as unknown as Ask<P, I>, { integrationId, by }, deps);
      },
    }),
  };
}

const NoParams = Type.Object({});
const WebhookParams = Type.Object({ webhookId: Type.String({ pattern: '^\\w{1,64}$' }) });
const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  deliveryId: Type.String({ pattern: '^[1-9]\\d{0,17}$' }),
});
const missing = () => refuse('not_found', 'There is no such endpoint.');

const WEBHOOK_ID_BYTES = 15;

const createWebhook = webhookCall({
  method: 'POST',
  suffix: '',
  name: 'createWebhook',
  summary: 'Register an endpoint; its secret is shown this once',
  params: NoParams,
  input: { body: NewWebhookBody },
  output: CreatedWebhook,
  status: 201,
  async run({ body: { url, events } }, { integrationId, by }, deps) {
    const { webhooks, refusesWebhook } = deps.partnerRoom;
    const why = await refusesWebhook(url);
    if (why !== undefined) return inField('url', refuse('invalid_request', `url: ${why}`));
    const webhook: Webhook = {
      webhookId: `hook_${randomText(deps.randomBytes, WEBHOOK_ID_BYTES)}`,
      ...{ integrationId, url, events, status: 'active', retiredAt: [], createdAt: by.at },
    };
    if (!(await webhooks.add(webhook, by)))
      return refuse('invalid_request', `An integration has at most ${MOST_WEBHOOKS} endpoints.`);
    return { ...webhookOf(webhook), secret: webhookSecret(deps.hashKey, webhook.webhookId, 0) };
  },
});

const listWebhooks = webhookCall({
  method: 'GET',
  suffix: '',
  name: 'listWebhooks',
  summary: 'List endpoints',
  params: NoParams,
  input: {},
  output: WebhookList,
  run: async (_, { integrationId }, { partnerRoom }) => ({
    webhooks: (await partnerRoom.webhooks.list(integrationId)).map(webhookOf),
  }),
});

const readWebhook = webhookCall({
  method: 'GET',
  suffix: '/:webhookId',
  name: 'readWebhook',
  summary: 'Read an endpoint',
  params: WebhookParams,
  input: {},
  output: WebhookShape,
  async run({ params }, { integrationId }, { partnerRoom }) {
    const found = await partnerRoom.webhooks.find(integrationId, params.webhookId);
    return found ? webhookOf(found) : missing();
  },
});

const changeWebhook = webhookCall({
  method: 'PATCH',
  suffix: '/:webhookId',
  name: 'changeWebhook',
  summary: 'Change, pause or activate an endpoint',
  params: WebhookParams,
  input: { body: WebhookPatch },
  output: WebhookShape,
  async run({ params, body }, { integrationId, by }, { partnerRoom: { webhooks, refusesWebhook } }) {
    const why = body.url === undefined ? undefined : await refusesWebhook(body.url);
    if (why !== undefined) return inField('url', refuse('invalid_request', `url: ${why}`));
    const changed = await webhooks.change(integrationId, params.webhookId, body, by);
    return changed ? webhookOf(changed) : missing();
  },
});

const deleteWebhook = webhookCall({
  method: 'DELETE',
  suffix: '/:webhookId',
  name: 'deleteWebhook',
  summary: 'Delete an endpoint',
  params: WebhookParams,
  input: {},
  output: Nothing,
  status: 204,
  async run({ params }, { integrationId, by }, { partnerRoom }) {
    return (await partnerRoom.webhooks.remove(integrationId, params.webhookId, by)) ? {} : missing();
  },
});

const rotateWebhook = webhookCall({
  method: 'POST',
  suffix: '/:webhookId/rotate',
  name: 'rotateWebhook',
  summary: 'Replace the secret; the old one signs beside it for 24 hours',
  params: WebhookParams,
  input: {},
  output: RotatedSecret,
  async run({ params }, { integrationId, by }, { partnerRoom, hashKey }) {
    const rotated = await partnerRoom.webhooks.rotate(integrationId, params.webhookId, by);
    return rotated ? { secret: webhookSecret(hashKey, rotated.webhookId, rotated.retiredAt.length) } : missing();
  },
});

const notActive = () => refuse('action_not_available', 'The endpoint is not active.');

const testWebhook = webhookCall({
  method: 'POST',
  suffix: '/:webhookId/test',
  name: 'testWebhook',
  summary: 'Send webhook.test',
  params: WebhookParams,
  input: {},
  output: TestSent,
  status: 202,
  async run({ params }, { integrationId, by }, { partnerRoom: { webhooks } }) {
    const found = await webhooks.find(integrationId, params.webhookId);
    if (!found) return missing();
    return found.status === 'active' ? { messageId: await webhooks.sendTest(found, by.at) } : notActive();
  },
});

const listDeliveries = webhookCall({
  method: 'GET',
  suffix: '/:webhookId/deliveries',
  name: 'listDeliveries',
  summary: 'What was sent, newest first',
  params: WebhookParams,
  input: { query: Type.Object({ state: Type.Optional(oneOf(...DELIVERY_STATES)), ...PageQuery }) },
  output: DeliveryPage,
  async run({ params, query }, { integrationId }, { partnerRoom: { webhooks }, hashKey }) {
    const found = await webhooks.find(integrationId, params.webhookId);
    if (!found) return missing();
    const { cursor, limit = ORDERS_PER_PAGE, state } = query;
    const list = `deliveries:${found.webhookId}`;
    const text = cursor === undefined ? undefined : openCursor(hashKey, list, cursor);
    const before = text === undefined ? undefined : readPlace(text);
    if (cursor !== undefined && before === undefined) return strangeCursor();
    const all = await webhooks.deliveries(found.webhookId, state, limit + 1, before);
    const page = all.slice(0, limit);
    const last = all.length > limit ? page.at(-1) : undefined;
    return {
      deliveries: page.map(deliveryOf),
      nextCursor: last ? sealCursor(hashKey, list, `${last.createdAt} ${last.deliveryId}`) : null,
    };
  },
});

function readPlace(text: string): Pick<Delivery, 'createdAt' | 'deliveryId'> | undefined {
  const [, createdAt = '', deliveryId] = /^(\d+) (\d+)$/.exec(text) ?? [];
  return deliveryId === undefined ? undefined : { createdAt: instant(Number.parseInt(createdAt, 10)), deliveryId };
}

const resendDelivery = webhookCall({
  method: 'POST',
  suffix: '/:webhookId/deliveries/:deliveryId/resend',
  name: 'resendDelivery',
  summary: 'Send a message again',
  params: DeliveryParams,
  input: {},
  output: Nothing,
  status: 202,
  async run({ params }, { integrationId, by }, { partnerRoom: { webhooks } }) {
    const found = await webhooks.find(integrationId, params.webhookId);
    if (!found) return missing();
    if (found.status !== 'active') return notActive();
    const isQueued = await webhooks.resend(found.webhookId, params.deliveryId, by.at);
    return isQueued ? {} : refuse('not_found', 'There is no such delivery.');
  },
});

const PAIRS = [
  createWebhook,
  listWebhooks,
  readWebhook,
  changeWebhook,
  deleteWebhook,
  rotateWebhook,
  testWebhook,
  listDeliveries,
  resendDelivery,
];
export const WEBHOOKS_BY_MEMBER = PAIRS.map(({ byMember }) => byMember);
export const WEBHOOKS_BY_KEY = PAIRS.map(({ byKey }) => byKey);
