import { type OrderRow, WherryError } from '../../sdk/src/index.ts';
import type { FeeField } from '../../src/kernel/fee-field.ts';

/** The calls of partners (`/partner/openapi.json`) and what they answer, as far as the pages show it. */

export type Role = 'owner' | 'viewer';
export type KeyKind = 'server' | 'public';

export interface Me {
  readonly address: string;
  readonly integrations: readonly { readonly integrationId: string; readonly name: string; readonly role: Role }[];
}

export interface Limits {
  readonly requestLimitPerMin: number;
  readonly createLimitPerMin: number;
  readonly quoteLimitPerMin: number;
  readonly keyRequestLimitPerMin: number;
  readonly maxOpenOrders: number;
  readonly openOrderWindowMinutes: number;
}

type FeeAddresses = Readonly<Record<'feeAddress', string>> &
  Readonly<Record<Exclude<FeeField, 'feeAddress'>, string | null>>;

export interface Integration extends FeeAddresses {
  readonly integrationId: string;
  readonly name: string;
  readonly status: 'active' | 'pending' | 'suspended';
  readonly feePercent: number;
  readonly pendingChange: Readonly<
    Partial<Record<FeeField, { readonly value: string | null; readonly effectiveAt: string }>>
  > | null;
  readonly limits: Limits;
  readonly members: readonly { readonly address: string; readonly role: Role }[];
  readonly createdAt: string;
}

/** What is written; fields that are left out stay as they are. */
export type IntegrationChange = Partial<
  Pick<Integration, 'name' | 'feePercent' | 'feeAddress' | 'feeAddressSol' | 'feeAddressBtc'>
>;

export interface Key {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly name: string | null;
  readonly prefix: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

export interface Stats {
  readonly windowDays: number;
  readonly orders: number;
  readonly completed: number;
  readonly refunded: number;
  readonly failed: number;
  readonly expired: number;
  readonly open: number;
  readonly volumeUsd: string;
  readonly feesUsd: { readonly projected: string; readonly paid: string; readonly skipped: string };
  readonly fees: readonly {
    readonly chainId: number;
    readonly token: string;
    readonly symbol: string;
    readonly projected: string;
    readonly paid: string;
  }[];
  readonly medianSeconds: number | null;
  readonly pairs: readonly {
    readonly fromSymbol: string;
    readonly toSymbol: string;
    readonly orders: number;
    readonly volumeUsd: string;
  }[];
  readonly days: readonly Day[];
}

export interface Day {
  readonly date: string;
  readonly orders: number;
  readonly completed: number;
  readonly volumeUsd: string;
  readonly feesUsd: string;
}

type ThreeLimits = Pick<Limits, 'requestLimitPerMin' | 'createLimitPerMin' | 'maxOpenOrders'>;

export interface Report {
  readonly stats: Stats;
  readonly access: {
    readonly limits: ThreeLimits;
    readonly defaults: ThreeLimits;
    readonly quoteLimitPerMin: number;
    readonly openOrderWindowMinutes: number;
    readonly openOrders: number;
    readonly keyRequestLimitPerMin: number;
    readonly clientIpForwarding: { readonly enabled: boolean; readonly header: string; readonly limits: ThreeLimits };
    readonly attribution: {
      readonly windowDays: number;
      readonly totalOrders: number;
      readonly attributedOrders: number;
      readonly distinctIps: number;
    };
  };
}

export const FEE_STATUSES = ['none', 'projected', 'paid', 'skipped'] as const;
export type FeeStatus = (typeof FEE_STATUSES)[number];

export interface ReportedOrder extends OrderRow {
  readonly feeStatus: FeeStatus;
  readonly feeSkipReason: 'too_small' | 'no_address' | 'refunded' | null;
  readonly feePercent: number;
  readonly feeAmount: string | null;
  readonly feeToken: string | null;
  readonly feeChainId: number | null;
  readonly feeSymbol: string | null;
  readonly feeUsd: string;
  readonly feeTxHash: string | null;
  readonly keyName: string | null;
  readonly keyId: string | null;
}

export type OrderFilter = Readonly<Partial<Record<'status' | 'feeStatus' | 'from' | 'to' | 'cursor', string>>>;

export interface Webhook {
  readonly webhookId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: 'active' | 'paused' | 'disabled';
  readonly createdAt: string;
}

/** The kinds of event an endpoint can ask for. */
export const EVENTS = [
  ...['order.created', 'order.deposit_seen', 'order.deposit_confirmed', 'order.notice', 'order.action_required'],
  ...['order.completed', 'order.refunded', 'order.failed', 'order.expired', 'fee.paid', 'fee.skipped'],
  ...['integration.changed', 'webhook.test'],
] as const;

export interface Delivery {
  readonly deliveryId: string;
  readonly messageId: string;
  readonly type: string;
  readonly orderId: string | null;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly createdAt: string;
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly ms: number;
    readonly error: string | null;
  }[];
}

export interface AuditEntry {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly details: Readonly<Record<string, unknown>>;
}

type Paged<K extends string, T> = Readonly<Record<K, readonly T[]>> & { readonly nextCursor: string | null };

/** The session of a member, as it came and as its page keeps it. */
export interface MemberSession {
  readonly token: string;
  readonly maxAge: string;
}

export const MEMBER_COOKIE = 'wherry_partner';
/** Nobody waits longer for a page. */
const TIMEOUT_MS = 30_000;

/** The partner calls as whoever holds this session makes them: with the limits and refusals of every other caller. */
export function partnerDesk(send: typeof fetch, token: string | undefined) {
  const reply = async (method: string, path: string, body?: unknown, accept = 'application/json') => {
    const response = await send(`http://desk/partner${path}`, {
      method,
      headers: {
        accept,
        ...(token ? { cookie: `${MEMBER_COOKIE}=${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return response;
    throw new WherryError(response, await response.json().catch(() => undefined));
  };
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
    (await reply(method, path, body)).json() as Promise<T>;
  const act = async (method: string, path: string, body?: unknown): Promise<void> => {
    await reply(method, path, body);
  };
  const at = (id: string, ...parts: readonly string[]) =>
    `/integrations/${[id, ...parts].map(encodeURIComponent).join('/')}`;
  const query = (fields: Readonly<Record<string, string | undefined>>) => {
    const named = Object.entries(fields).filter((pair): pair is [string, string] => !!pair[1]);
    return named.length === 0 ? '' : `?${new URLSearchParams(named)}`;
  };

  return {
    nonce: () => ask<{ nonce: string; expiresAt: string }>('POST', '/sign-in/nonce'),
    async signIn(message: string, signature: string): Promise<MemberSession | undefined> {
      const { headers } = await reply('POST', '/sign-in', { message, signature });
      const cookie = headers.get('set-cookie') ?? '';
      const [, given, maxAge] = new RegExp(`^${MEMBER_COOKIE}=(\\w+);.*Max-Age=(\\d+)`).exec(cookie) ?? [];
      return given && maxAge ? { token: given, maxAge } : undefined;
    },
    signOut: () => act('POST', '/sign-out'),
    me: () => ask<Me>('GET', '/me'),
    create: (body: IntegrationChange) => ask<Integration>('POST', '/integrations', body),
    read: (id: string) => ask<Integration>('GET', at(id)),
    change: (id: string, body: IntegrationChange) => ask<Integration>('PATCH', at(id), body),
    setMember: (id: string, address: string, role: Role) => act('PUT', at(id, 'members', address), { role }),
    removeMember: (id: string, address: string) => act('DELETE', at(id, 'members', address)),
    keys: async (id: string) => (await ask<{ readonly keys: readonly Key[] }>('GET', at(id, 'keys'))).keys,
    createKey: (id: string, body: { readonly kind: KeyKind; readonly name?: string }) =>
      ask<Key & { readonly key: string }>('POST', at(id, 'keys'), body),
    revokeKey: (id: string, keyId: string) => act('DELETE', at(id, 'keys', keyId)),
    report: (id: string) => ask<Report>('GET', at(id, 'report')),
    orders: (id: string, filter: OrderFilter) =>
      ask<Paged<'orders', ReportedOrder>>('GET', `${at(id, 'orders')}${query({ ...filter, limit: `${PER_PAGE}` })}`),
    async ordersCsv(id: string, filter: OrderFilter) {
      const response = await reply('GET', `${at(id, 'orders')}${query(filter)}`, undefined, 'text/csv');
      return { text: await response.text(), next: response.headers.get('x-next-cursor') ?? undefined };
    },
    audit: (id: string, cursor: string | undefined) =>
      ask<Paged<'entries', AuditEntry>>('GET', `${at(id, 'audit')}${query({ cursor, limit: `${PER_PAGE}` })}`),
    webhooks: async (id: string) =>
      (await ask<{ readonly webhooks: readonly Webhook[] }>('GET', at(id, 'webhooks'))).webhooks,
    webhook: (id: string, hook: string) => ask<Webhook>('GET', at(id, 'webhooks', hook)),
    createWebhook: (id: string, body: { readonly url: string; readonly events?: readonly string[] }) =>
      ask<Webhook & { readonly secret: string }>('POST', at(id, 'webhooks'), body),
    changeWebhook: (
      id: string,
      hook: string,
      body: {
        readonly url?: string;
        readonly events?: readonly string[] | null;
        readonly status?: 'active' | 'paused';
      },
    ) => ask<Webhook>('PATCH', at(id, 'webhooks', hook), body),
    deleteWebhook: (id: string, hook: string) => act('DELETE', at(id, 'webhooks', hook)),
    rotate: (id: string, hook: string) => ask<{ readonly secret: string }>('POST', at(id, 'webhooks', hook, 'rotate')),
    sendTest: (id: string, hook: string) => act('POST', at(id, 'webhooks', hook, 'test')),
    deliveries: (id: string, hook: string, filter: { readonly state?: string; readonly cursor?: string }) =>
      ask<Paged<'deliveries', Delivery>>(
        'GET',
        `${at(id, 'webhooks', hook, 'deliveries')}${query({ ...filter, limit: `${DELIVERIES_PER_PAGE}` })}`,
      ),
    resend: (id: string, hook: string, delivery: string) =>
      act('POST', at(id, 'webhooks', hook, 'deliveries', delivery, 'resend')),
  };
}

/** As many rows as a page of at most 30 KB holds. */
const PER_PAGE = 15;
const DELIVERIES_PER_PAGE = 8;

export type PartnerDesk = ReturnType<typeof partnerDesk>;
