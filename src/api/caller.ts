import { isIP, type Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { inField } from '../kernel/field-refusals.ts';
import { parseSessionId, type SessionId } from '../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import { keyedHash } from '../kernel/secret.ts';
import type { Generation } from '../life/order/order.ts';
import type { ClientLimits } from '../partners/integration.ts';
import type { PartnerCaller } from '../partners/key-authentication.ts';
import { canonicalIp, isPublicIp, networkOf, toldAddress } from './client-network.ts';
import type { ApiDeps } from './deps.ts';
import { ownMemory } from './own-memory.ts';

/** Who asks, as far as the request's headers and socket tell. */
export interface Caller {
  /** Keyed hash of the client's network; the address itself goes no further than this file. */
  readonly clientHash: string;
  readonly partner: PartnerCaller | undefined;
  /** Keyed hash of the end user's own address, where the partner's server named it. */
  readonly endUserHash?: string | undefined;
  /** The limits of the end user that the partner's server speaks for. */
  readonly clientLimits: ClientLimits | undefined;
}

/** This is somebody without a key; a caller whose key is refused counts as one, too. */
export const anonymous = (request: FastifyRequest, deps: ApiDeps): Caller => ({
  clientHash: networkHashes(deps)(request.socket, request.ip),
  partner: undefined,
  clientLimits: undefined,
});

/** A connection remembers the hash of whoever spoke last on it: mostly nobody else ever does. */
function ofLastOn(hashOf: (who: string) => string): (socket: Socket, who: string) => string {
  const last = new WeakMap<Socket, { readonly who: string; readonly hash: string }>();
  return (socket, who) => {
    const known = last.get(socket);
    if (known?.who === who) return known.hash;
    const hash = hashOf(who);
    last.set(socket, { who, hash });
    return hash;
  };
}

const networkHashes = ownMemory(({ hashKey }) =>
  ofLastOn((ip) => keyedHash(hashKey, 'client', networkOf(toldAddress(ip)))),
);

/** Of a server, by its integration and its network, neither of which has a space. */
const serverHashes = ownMemory(({ hashKey }) => ofLastOn((who) => keyedHash(hashKey, 'server', ...who.split(' '))));

export async function identify(
  request: FastifyRequest,
  generation: Generation,
  deps: ApiDeps,
): Promise<Caller | Refusal> {
  const betrayed = generation === 'v2' ? keyInQuery(request) : undefined;
  if (betrayed) return betrayed;
  const key = header(request, 'x-integrator-key') ?? header(request, 'x-api-key');
  const ref = generation === 'v2' ? header(request, 'x-integrator-ref') : undefined;
  const partner =
    key === undefined && ref !== undefined ? await deps.partners.referred(ref) : await deps.partners.caller(key);
  if (isRefusal(partner)) return partner;
  const network = networkHashes(deps)(request.socket, request.ip);
  // Whoever has no key is not held to what servers at the same address have open.
  const clientHash =
    partner?.kind === 'server' ? serverHashes(deps)(request.socket, `${partner.integrationId} ${network}`) : network;
  const direct = { clientHash, partner, clientLimits: undefined };
  if (generation === 'v1') return direct;
  const client = forwardedClient(request, partner);
  if (isRefusal(client)) return client;
  if (!client || !partner) return direct;
  const endUserHash = client.address && keyedHash(deps.hashKey, 'end-user-ip', partner.integrationId, client.address);
  return {
    clientHash: keyedHash(deps.hashKey, 'end-user', partner.integrationId, client.network),
    ...{ partner, clientLimits: client.limits, endUserHash },
  };
}

interface ForwardedClient {
  readonly network: string;
  readonly address?: string;
  readonly limits: ClientLimits;
}

/**
 * The end user a partner's server speaks for (5.3). Once that is enabled, requests that name nobody share one
 * allowance.
 */
function forwardedClient(
  request: FastifyRequest,
  partner: PartnerCaller | undefined,
): ForwardedClient | undefined | Refusal {
  const named = header(request, 'x-end-user-ip');
  const forwarding = partner?.kind === 'server' && partner.forwarding?.enabled ? partner.forwarding : undefined;
  if (named === undefined) return forwarding && { network: 'unnamed', limits: forwarding.limits };
  const server = toldAddress(request.ip);
  const isApproved = forwarding?.approvedServerIps.some((ip) => canonicalIp(ip) === server);
  if (!forwarding || !isApproved) {
    return refuse('end_user_ip_not_allowed', 'This caller may not speak for end users.');
  }
  if (isIP(named) === 0 || named.includes('%') || !isPublicIp(named)) {
    const message = 'X-End-User-IP must be one public IPv4 or IPv6 address.';
    return inField('X-End-User-IP', refuse('invalid_end_user_ip', message));
  }
  return { network: networkOf(named), address: canonicalIp(named), limits: forwarding.limits };
}

const KEY = /wh_[sp]_/;
const KEY_NAMES = new Set(['key', 'apikey', 'xapikey', 'integratorkey', 'xintegratorkey']);

/** Whoever put a key into the address is told so, before anything else is looked at. */
export function keyInQuery({ query }: FastifyRequest): Refusal | undefined {
  const isKey = ([name, value]: readonly [string, string | string[]]) =>
    KEY_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, '')) || KEY.test(`${name}=${value}`);
  return Object.entries(query as Record<string, string | string[]>).some(isKey)
    ? refuse('key_in_query', 'Keys travel in headers, never in the address.')
    : undefined;
}

export function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

/** The owner's credential, where one was sent and is well formed. */
export const sessionOf = (request: FastifyRequest): SessionId | undefined =>
  parseSessionId(header(request, 'x-session-id'));

export const sessionHash = (session: SessionId, deps: ApiDeps): string => keyedHash(deps.hashKey, 'session', session);

/** The newest first: what was made before the key was replaced is known by an older one. */
export const hashKeysOf = ({ hashKey, oldHashKeys = [] }: Pick<ApiDeps, 'hashKey' | 'oldHashKeys'>) => [
  hashKey,
  ...oldHashKeys,
];

/** Every hash under which orders of the session may be kept. */
export const sessionHashes = (session: SessionId, deps: ApiDeps): readonly string[] =>
  hashKeysOf(deps).map((hashKey) => sessionHash(session, { ...deps, hashKey }));
