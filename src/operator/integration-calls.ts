import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type Clock, isoTime } from '../kernel/clock.ts';
import { FEE_FIELDS } from '../kernel/fee-field.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import type { Secret } from '../kernel/secret.ts';
import { hashOfKey, newIntegrationId, newKey, type Random } from '../partners/api-key.ts';
import type { FeeAddressParsers } from '../partners/fee-address.ts';
import { checkChange, DEFAULT_LIMITS, type Integration, type IntegrationChange } from '../partners/integration.ts';
import {
  type By,
  MOST_KEYS,
  type NewIntegration,
  operatorActor,
  type PartnerRecords,
} from '../partners/partner-records.ts';
import { call, exact, Line, type Room } from './operator-call.ts';

const MAX_ADDRESS_CHARS = 128;
const MAX_SERVERS = 100;
/** What one answer holds; an operator who has more looks into the database. */
const MOST_SHOWN = 1_000;

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const AddressText = Line(MAX_ADDRESS_CHARS);
/** Zero disables a limit. */
const Limit = Type.Integer({ minimum: 0, maximum: 1_000_000 });

const ClientLimitsChange = exact({
  requestLimitPerMin: Type.Optional(Limit),
  createLimitPerMin: Type.Optional(Limit),
  maxOpenOrders: Type.Optional(Limit),
});
const LimitsChange = exact({
  ...ClientLimitsChange.properties,
  quoteLimitPerMin: Type.Optional(Limit),
  keyRequestLimitPerMin: Type.Optional(Limit),
  openOrderWindowMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 60 * 24 * 365 })),
});
const ForwardingChange = exact({
  enabled: Type.Boolean(),
  /** Whoever switches it off need not repeat them. */
  approvedServerIps: Type.Optional(Type.Array(Line(45), { maxItems: MAX_SERVERS })),
  limits: Type.Optional(ClientLimitsChange),
});

const needed = { name: Line(200), feePercent: Type.Number(), feeAddress: AddressText };
const optional = {
  suspended: Type.Optional(Type.Boolean()),
  /** What waits for an operator's word becomes active with it. */
  approved: Type.Optional(Type.Boolean()),
  feeAddressSol: Type.Optional(orNull(AddressText)),
  feeAddressBtc: Type.Optional(orNull(AddressText)),
  limits: Type.Optional(LimitsChange),
  forwarding: Type.Optional(orNull(ForwardingChange)),
};
const Creation = exact({ ...needed, ...optional });
const Change = exact({
  name: Type.Optional(needed.name),
  feePercent: Type.Optional(needed.feePercent),
  feeAddress: Type.Optional(needed.feeAddress),
  ...optional,
});
const IntegrationParams = exact({ id: Line(64) });
const KeyParams = exact({ keyId: Line(64) });
const NewKey = exact({ kind: Type.Union([Type.Literal('server'), Type.Literal('public')]) });

export interface IntegrationCallsDeps {
  readonly partners: PartnerRecords;
  readonly feeAddresses: FeeAddressParsers;
  readonly hashKey: Secret<Uint8Array>;
  readonly random: Random;
  readonly clock: Clock;
}

/** What is switched off keeps whatever is not said anew. */
function withForwarding(
  { forwarding, ...rest }: Static<typeof Change>,
  before: Integration | undefined,
): IntegrationChange | Refusal {
  if (!forwarding) return forwarding === null ? { ...rest, forwarding } : rest;
  const { enabled, limits } = forwarding;
  const approvedServerIps =
    forwarding.approvedServerIps ?? (enabled ? undefined : before?.forwarding?.approvedServerIps);
  if (enabled && !approvedServerIps)
    return refuse('invalid_request', 'approvedServerIps must say which servers may name the user they speak for.');
  const kept = limits ?? (enabled ? undefined : before?.forwarding?.limits);
  const change = { enabled, approvedServerIps: approvedServerIps ?? [], ...(kept ? { limits: kept } : {}) };
  return { ...rest, forwarding: change };
}

const byOperator = (by: string, clock: Clock): By => ({ actor: operatorActor(by), at: clock.now() });
const shown = (integration: Integration) => ({ ...integration, defaults: DEFAULT_LIMITS });

const NO_INTEGRATION = refuse('not_found', 'There is no such integration.');

export function integrationCalls(room: Room, deps: IntegrationCallsDeps): void {
  const { partners, feeAddresses, hashKey, random, clock } = deps;

  call(room, {
    method: 'POST',
    path: '/operator/integrations',
    body: Creation,
    status: 201,
    async run({ body, by }) {
      const change = withForwarding(body, undefined);
      const checked = isRefusal(change) ? change : await checkChange(change, feeAddresses);
      if (isRefusal(checked)) return checked;
      const integrationId = newIntegrationId(random);
      // The schema demands what a new integration needs, and the check keeps it.
      await partners.add(integrationId, checked as NewIntegration, undefined, byOperator(by, clock));
      return { integrationId };
    },
  });

  call(room, {
    method: 'GET',
    path: '/operator/integrations',
    run: async () => ({ integrations: (await partners.all(MOST_SHOWN)).map(shown) }),
  });

  call(room, {
    method: 'GET',
    path: '/operator/integrations/:id',
    params: IntegrationParams,
    async run({ params }) {
      const found = await partners.find(params.id);
      return found ? { ...shown(found), members: await partners.members(params.id) } : NO_INTEGRATION;
    },
  });

  call(room, {
    method: 'GET',
    path: '/operator/integrations/:id/audit',
    params: IntegrationParams,
    async run({ params }) {
      const found = await partners.find(params.id);
      if (!found) return NO_INTEGRATION;
      const entries = await partners.audit(params.id, MOST_SHOWN);
      return { entries: entries.map(({ number: _, at, ...entry }) => ({ at: isoTime(at), ...entry })) };
    },
  });

  call(room, {
    method: 'PATCH',
    path: '/operator/integrations/:id',
    params: IntegrationParams,
    body: Change,
    async run({ params, body, by }) {
      const before = body.forwarding ? await partners.find(params.id) : undefined;
      const change = withForwarding(body, before);
      const checked = isRefusal(change) ? change : await checkChange(change, feeAddresses);
      if (isRefusal(checked)) return checked;
      // An operator's word holds at once, over whatever waits.
      const takeBack = FEE_FIELDS.filter((field) => checked[field] !== undefined);
      const changed = await partners.change(params.id, { atOnce: checked, wait: {}, takeBack }, byOperator(by, clock));
      return changed ? shown(changed) : NO_INTEGRATION;
    },
  });

  call(room, {
    method: 'POST',
    path: '/operator/integrations/:id/keys',
    params: IntegrationParams,
    body: NewKey,
    status: 201,
    async run({ params, body, by }) {
      const key = newKey(body.kind, random);
      const added = await partners.addKey(params.id, key, hashOfKey(hashKey, key.text), byOperator(by, clock));
      if (added === 'full') return refuse('invalid_request', `An integration has at most ${MOST_KEYS} keys.`);
      return added === 'added' ? { keyId: key.keyId, key: key.text } : NO_INTEGRATION;
    },
  });

  call(room, {
    method: 'DELETE',
    path: '/operator/keys/:keyId',
    params: KeyParams,
    async run({ params: { keyId }, by }) {
      const revoked = await partners.revokeKey(keyId, undefined, byOperator(by, clock));
      return revoked ? { keyId, revoked } : refuse('not_found', 'There is no such key.');
    },
  });
}
