import type { Opening } from '../engine/desk.ts';
import { present } from '../kernel/assert.ts';
import { type Instant, later } from '../kernel/clock.ts';
import { type Refusal, refuse, unavailable } from '../kernel/refusal.ts';
import type { Generation } from '../life/order/order.ts';
import { DEFAULT_LIMITS } from '../partners/integration.ts';
import type { PartnerCaller } from '../partners/key-authentication.ts';
import type { OpenLimit } from '../store/orders.ts';
import type { Bucket } from '../store/quota.ts';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { OPEN_ORDERS_RETRY_MS, PUBLIC_LIMITS } from './limits.ts';

/** What kind of work an endpoint is; `free` is not counted. */
export type Work = 'requests' | 'quotes' | 'creates' | 'free';
type Counted = Exclude<Work, 'free'>;

type Resource =
  | Counted
  | 'open_orders'
  | 'sockets'
  | 'key_requests'
  | 'client_requests'
  | 'client_creates'
  | 'client_open_orders';

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
  readonly takenAt: Instant;
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
  const takenAt = deps.clock.now();
  const taken = await deps.quota.take(limits, takenAt).catch((err: unknown) => {
    deps.log.error({ err }, 'limits cannot be kept');
    return undefined;
  });
  if (!taken) {
    return work === 'creates' ? unavailable('answer', 'This is not possible right now; try again later.') : undefined;
  }
  if ('exhausted' in taken) return tooMany(limitOf(taken.exhausted.bucket).resource, taken.exhausted.waitMs);
  const [least] = taken.left.toSorted((a, b) => a.remaining - b.remaining);
  return least && { limit: limitOf(least.bucket).limit, remaining: least.remaining, resetMs: least.resetMs, takenAt };
}

/** Of what was counted as a read and turns out to be a creation: what only these are counted for. */
export const countCreation = (
  caller: Caller,
  generation: Generation,
  deps: ApiDeps,
): Promise<Allowance | Refusal | undefined> => take(ofCreationsAlone(caller, generation), 'creates', deps);

function ofCreationsAlone(caller: Caller, generation: Generation): readonly Limit[] {
  const reads = new Set(limitsOf(caller, generation, 'requests').map(({ name }) => name));
  return limitsOf(caller, generation, 'creates').filter(({ name }) => !reads.has(name));
}

/**
 * What was counted as a creation and repeats one is a read (D74): it is given back what only creations are counted for. Where that fails
 * one creation fewer is possible for a minute.
 */
export async function giveBackCreation(
  caller: Caller,
  generation: Generation,
  takenAt: Instant,
  deps: ApiDeps,
): Promise<void> {
  const ofCreations = ofCreationsAlone(caller, generation).filter(({ limit }) => limit > 0);
  await deps.quota.giveBack(ofCreations, takenAt).catch((err: unknown) => {
    deps.log.error({ err }, 'limits cannot be kept');
  });
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

/**
 * Unfinished orders count until they end or grow older than the window. They are counted where the order is made, and nowhere before:
 * two that were counted first would both find room.
 */
export function openingsOf(caller: Caller, now: Instant): readonly Opening[] {
  const { clientHash, partner, clientLimits } = caller;
  const server = partner?.kind === 'server' ? partner : undefined;
  const windowMs = server ? server.limits.openOrderWindowMinutes * 60_000 : PUBLIC_LIMITS.openOrderWindowMs;
  const opening = (of: OpenLimit['of'], whose: string, most: number, resource: Resource): readonly Opening[] =>
    most > 0
      ? [
          {
            limit: { of, whose, since: later(now, -windowMs), most },
            otherwise: tooMany(resource, OPEN_ORDERS_RETRY_MS),
          },
        ]
      : [];
  return server
    ? [
        ...opening('integration', server.integrationId, server.limits.maxOpenOrders, 'open_orders'),
        ...opening('client', clientHash, clientLimits?.maxOpenOrders ?? 0, 'client_open_orders'),
      ]
    : opening('client', clientHash, PUBLIC_LIMITS.openOrders, 'open_orders');
}

export function tooMany(resource: Resource, waitMs: number): Refusal {
  return refuse('rate_limited', 'Too many requests; try again later.', {
    resource,
    retryAfter: Math.ceil(waitMs / 1000),
  });
}
