import { present } from '../kernel/assert.ts';
import { later } from '../kernel/clock.ts';
import { type Refusal, refuse, unavailable } from '../kernel/refusal.ts';
import type { Generation } from '../life/order/order.ts';
import { DEFAULT_LIMITS } from '../partners/integration.ts';
import type { PartnerCaller } from '../partners/key-authentication.ts';
import type { Bucket } from '../store/quota.ts';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { OPEN_ORDERS_RETRY_MS, PUBLIC_LIMITS } from './limits.ts';

/** What kind of work an endpoint is; `free` is not counted. */
export type Work = 'requests' | 'quotes' | 'creates' | 'free';
type Counted = Exclude<Work, 'free'>;

type Resource = Counted | 'open_orders' | 'key_requests' | 'client_requests' | 'client_creates' | 'client_open_orders';

interface Limit extends Bucket {
  readonly resource: Resource;
}

/**
 * What the caller may still do of the kind of work that this request was; of several limits the one with least left.
 */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** Passes every limit that applies, or none: a refused request uses nothing up. undefined where nothing is limited. */
export async function admit(
  caller: Caller,
  generation: Generation,
  work: Work,
  deps: ApiDeps,
): Promise<Allowance | Refusal | undefined> {
  if (work === 'free') return undefined;
  return take(limitsOf(caller, generation, work), work, deps);
}

/** Where the limits cannot be kept, nothing new is made; reading goes on. */
export async function take(
  all: readonly Limit[],
  work: Counted,
  deps: ApiDeps,
): Promise<Allowance | Refusal | undefined> {
  const limits = all.filter(({ limit }) => limit > 0);
  if (limits.length === 0) return undefined;
  const limitOf = (bucket: string): Limit =>
    present(
      limits.find(({ name }) => name === bucket),
      `limit ${bucket}`,
    );
  const taken = await deps.quota.take(limits, deps.clock.now()).catch((err: unknown) => {
    deps.log.error({ err }, 'limits cannot be kept');
    return undefined;
  });
  if (!taken) {
    return work === 'creates' ? unavailable('answer', 'This is not possible right now; try again later.') : undefined;
  }
  if ('exhausted' in taken) return tooMany(limitOf(taken.exhausted.bucket).resource, taken.exhausted.waitMs);
  const [least] = taken.left.toSorted((a, b) => a.remaining - b.remaining);
  return least && { limit: limitOf(least.bucket).limit, remaining: least.remaining, resetMs: least.resetMs };
}

/** What every answer to a counted request tells of its limit. */
export const allowanceHeaders = ({ limit, remaining, resetMs }: Allowance): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
});

/**
 * A server key answers for its company: a request counts against the company, the key, the kind of work, and the end user
 * where the company names its users. Everyone else, browsers with a public key included, counts by network. v1 has its
 * published numbers, per key where there is one, unless the company was granted others.
 */
function limitsOf(caller: Caller, generation: Generation, work: Counted): readonly Limit[] {
  const { clientHash, partner } = caller;
  const published = (who: string): Limit => ({
    name: `${generation}:${who}:${work}`,
    limit: PUBLIC_LIMITS[work],
    resource: work,
  });
  if (partner?.kind !== 'server') return [published(`net:${clientHash}`)];
  return [
    ...(generation === 'v1' && !isGranted(partner, work) ? [published(`key:${partner.keyId}`)] : []),
    ...companyLimits(partner, work),
    ...clientLimits(caller, work),
  ];
}

const COMPANY_LIMIT = {
  requests: 'requestLimitPerMin',
  quotes: 'quoteLimitPerMin',
  creates: 'createLimitPerMin',
} as const;

const isGranted = ({ limits }: PartnerCaller, work: Counted): boolean =>
  limits[COMPANY_LIMIT[work]] !== DEFAULT_LIMITS[COMPANY_LIMIT[work]];

function companyLimits({ integrationId, keyId, limits }: PartnerCaller, work: Counted): readonly Limit[] {
  const company = (resource: Counted, limit: number): Limit => ({
    name: `company:${integrationId}:${resource}`,
    limit,
    resource,
  });
  return [
    { name: `key:${keyId}`, limit: limits.keyRequestLimitPerMin, resource: 'key_requests' },
    company('requests', limits.requestLimitPerMin),
    ...(work === 'quotes' ? [company('quotes', limits.quoteLimitPerMin)] : []),
    ...(work === 'creates' ? [company('creates', limits.createLimitPerMin)] : []),
  ];
}

function clientLimits({ clientHash, clientLimits: limits }: Caller, work: Counted): readonly Limit[] {
  if (!limits) return [];
  const requests: Limit = {
    name: `client:${clientHash}:requests`,
    limit: limits.requestLimitPerMin,
    resource: 'client_requests',
  };
  const creates: Limit = {
    name: `client:${clientHash}:creates`,
    limit: limits.createLimitPerMin,
    resource: 'client_creates',
  };
  return work === 'creates' ? [requests, creates] : [requests];
}

/** Unfinished orders count until they end or grow older than the window. */
export async function mayOpenOrder(caller: Caller, { desk, clock }: ApiDeps): Promise<Refusal | undefined> {
  const { clientHash, partner } = caller;
  const server = partner?.kind === 'server' ? partner : undefined;
  const windowMs = server ? server.limits.openOrderWindowMinutes * 60_000 : PUBLIC_LIMITS.openOrderWindowMs;
  const since = later(clock.now(), -windowMs);
  const isFull = async (most: number, whose: Parameters<typeof desk.openOrders>[0]): Promise<boolean> =>
    most > 0 && (await desk.openOrders(whose, since, most)) >= most;

  if (!server) {
    const full = await isFull(PUBLIC_LIMITS.openOrders, { clientHash });
    return full ? tooMany('open_orders', OPEN_ORDERS_RETRY_MS) : undefined;
  }
  if (await isFull(server.limits.maxOpenOrders, { integrationId: server.integrationId })) {
    return tooMany('open_orders', OPEN_ORDERS_RETRY_MS);
  }
  const full = await isFull(caller.clientLimits?.maxOpenOrders ?? 0, { clientHash });
  return full ? tooMany('client_open_orders', OPEN_ORDERS_RETRY_MS) : undefined;
}

export function tooMany(resource: Resource, waitMs: number): Refusal {
  return refuse('rate_limited', 'Too many requests; try again later.', {
    resource,
    retryAfter: Math.ceil(waitMs / 1000),
  });
}
