import { type TSchema, Type } from '@sinclair/typebox';
import { EVENT_TYPES } from '../../partners/webhook.ts';
import { OrderRow } from '../v2/schema.ts';
import { Atomic, ChainNumber, oneOf, orNull, Timestamp, UsdText } from '../wire-schemas.ts';

export const exact = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

/** Text that a page and a log line can hold: no control characters, no half characters, and not without end. */
export const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\p{Cc}\\p{Cs}]*$' });

/** For whoever only wants to know that it was done. */
export const Nothing = Type.Object({});

const Count = Type.Integer({ minimum: 0 });
const RoleName = oneOf('owner', 'viewer');
export const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'An Ethereum account.' });
const FeeAddress = Line(128);

export const SignedIn = exact({
  address: Type.String(),
  integrations: Type.Array(exact({ integrationId: Type.String(), name: Type.String(), role: RoleName })),
});

const Pending = exact({ value: orNull(Type.String()), effectiveAt: Timestamp });

export const LimitsShape = exact({
  requestLimitPerMin: Count,
  createLimitPerMin: Count,
  quoteLimitPerMin: Count,
  keyRequestLimitPerMin: Count,
  maxOpenOrders: Count,
  openOrderWindowMinutes: Count,
});

const Profile = {
  integrationId: Type.String(),
  name: Type.String(),
  status: oneOf('active', 'pending', 'suspended'),
  feePercent: Type.Number(),
  feeAddress: Type.String(),
  feeAddressSol: orNull(Type.String()),
  feeAddressBtc: orNull(Type.String()),
};

export const IntegrationShape = exact({
  ...Profile,
  pendingChange: orNull(
    exact({
      feeAddress: Type.Optional(Pending),
      feeAddressSol: Type.Optional(Pending),
      feeAddressBtc: Type.Optional(Pending),
    }),
  ),
  limits: LimitsShape,
  members: Type.Array(exact({ address: Type.String(), role: RoleName })),
  createdAt: Timestamp,
});

export const NewIntegrationBody = exact({
  name: Line(200),
  feePercent: Type.Number(),
  feeAddress: FeeAddress,
  feeAddressSol: Type.Optional(orNull(FeeAddress)),
  feeAddressBtc: Type.Optional(orNull(FeeAddress)),
});
export const IntegrationPatch = exact({
  name: Type.Optional(Line(200)),
  feePercent: Type.Optional(Type.Number()),
  feeAddress: Type.Optional(FeeAddress),
  feeAddressSol: Type.Optional(orNull(FeeAddress)),
  feeAddressBtc: Type.Optional(orNull(FeeAddress)),
});
export const MemberBody = exact({ role: RoleName });

const KeyShared = {
  keyId: Type.String(),
  kind: oneOf('server', 'public'),
  name: orNull(Type.String()),
  prefix: Type.String(),
};
export const NewKeyBody = exact({ kind: oneOf('server', 'public'), name: Type.Optional(Line(100)) });
export const CreatedKey = exact({
  ...KeyShared,
  key: Type.String({ description: 'Shown this once.' }),
  createdAt: Timestamp,
});
export const KeyList = exact({
  keys: Type.Array(
    exact({ ...KeyShared, createdAt: Timestamp, lastUsedAt: orNull(Timestamp), revokedAt: orNull(Timestamp) }),
  ),
});

export const AuditPage = exact({
  entries: Type.Array(
    exact({
      at: Timestamp,
      actor: Type.String({ description: 'A member’s address, `key:<keyId>`, `operator` or `service`.' }),
      action: Type.String(),
      details: Type.Object({}, { additionalProperties: true }),
    }),
  ),
  nextCursor: orNull(Type.String()),
});

const ThreeLimits = exact({ requestLimitPerMin: Count, createLimitPerMin: Count, maxOpenOrders: Count });

export const Report = exact({
  integrator: exact({ ...Profile, createdAt: Timestamp }),
  stats: exact({
    windowDays: Count,
    orders: Count,
    completed: Count,
    refunded: Count,
    failed: Count,
    expired: Count,
    open: Type.Integer(),
    volumeUsd: UsdText,
    feesUsd: exact({ projected: UsdText, paid: UsdText, skipped: UsdText }),
    fees: Type.Array(
      exact({ chainId: ChainNumber, token: Type.String(), symbol: Type.String(), projected: Atomic, paid: Atomic }),
    ),
    medianSeconds: orNull(Count),
    pairs: Type.Array(exact({ fromSymbol: Type.String(), toSymbol: Type.String(), orders: Count, volumeUsd: UsdText })),
    days: Type.Array(
      exact({ date: Type.String(), orders: Count, completed: Count, volumeUsd: UsdText, feesUsd: UsdText }),
    ),
  }),
  access: exact({
    limits: ThreeLimits,
    defaults: ThreeLimits,
    quoteLimitPerMin: Count,
    openOrderWindowMinutes: Count,
    openOrders: Count,
    keyRequestLimitPerMin: Count,
    clientIpForwarding: exact({ enabled: Type.Boolean(), header: Type.String(), limits: ThreeLimits }),
    attribution: exact({ windowDays: Count, totalOrders: Count, attributedOrders: Count, distinctIps: Count }),
  }),
});

export const FEE_STATUSES = ['none', 'projected', 'paid', 'skipped'] as const;

/** D46; the fields of D45 are those of the list of a session. */
export const ReportedOrder = exact({
  ...OrderRow.properties,
  feeStatus: oneOf(...FEE_STATUSES),
  feeSkipReason: orNull(oneOf('too_small', 'no_address', 'refunded')),
  feePercent: Type.Number(),
  feeAmount: orNull(Atomic),
  feeToken: orNull(Type.String()),
  feeChainId: orNull(ChainNumber),
  feeSymbol: orNull(Type.String()),
  feeUsd: UsdText,
  feeTxHash: orNull(Type.String()),
  keyId: orNull(Type.String()),
  keyName: orNull(Type.String()),
  generation: oneOf('v1', 'v2'),
  depositTxHash: orNull(Type.String()),
  payoutTxHash: orNull(Type.String()),
});
export const ReportedOrders = exact({ orders: Type.Array(ReportedOrder), nextCursor: orNull(Type.String()) });

export const WebhookShape = exact({
  webhookId: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  status: oneOf('active', 'paused', 'disabled'),
  createdAt: Timestamp,
});
const Events = Type.Array(oneOf(...EVENT_TYPES), { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true });
const WebhookUrl = Type.String({ maxLength: 2_048, pattern: '^[\\x21-\\x7e]+$' });
export const NewWebhookBody = exact({ url: WebhookUrl, events: Type.Optional(Events) });
export const WebhookPatch = exact({
  url: Type.Optional(WebhookUrl),
  events: Type.Optional(orNull(Events)),
  status: Type.Optional(oneOf('active', 'paused')),
});
export const CreatedWebhook = exact({ ...WebhookShape.properties, secret: Type.String() });
export const WebhookList = exact({ webhooks: Type.Array(WebhookShape) });
export const RotatedSecret = exact({ secret: Type.String() });
export const TestSent = exact({ messageId: Type.String() });
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export const DeliveryPage = exact({
  deliveries: Type.Array(
    exact({
      deliveryId: Type.String(),
      messageId: Type.String(),
      type: Type.String(),
      orderId: orNull(Type.String()),
      seq: orNull(Type.Integer()),
      state: oneOf(...DELIVERY_STATES),
      createdAt: Timestamp,
      attempts: Type.Array(
        exact({ at: Timestamp, status: orNull(Type.Integer()), ms: Count, error: orNull(Type.String()) }),
      ),
    }),
  ),
  nextCursor: orNull(Type.String()),
});

/** What the contract shows under its own name. */
export const PARTNER_SCHEMAS: Readonly<Record<string, TSchema>> = {
  Integration: IntegrationShape,
  IntegratorReport: Report,
  Webhook: WebhookShape,
};
