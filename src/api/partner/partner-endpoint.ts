import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { present } from '../../kernel/assert.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/refusal.ts';
import { settledAt } from '../../partners/address-change.ts';
import type { Integration } from '../../partners/integration.ts';
import type { By, Member, Role } from '../../partners/partner-records.ts';
import { hashOfSession } from '../../partners/session.ts';
import { anonymous, header } from '../caller.ts';
import type { ApiDeps } from '../deps.ts';
import { type Csv, type Input, readQuery, sendAnswer } from '../endpoint.ts';
import { PARTNER_LIMITS } from '../limits.ts';
import { take } from '../quota.ts';
import { sendSpoken, speak } from '../refusals.ts';

export const COOKIE = 'wherry_partner';

type Part<I extends Input, K extends keyof Input> = I[K] extends TSchema ? Static<I[K]> : undefined;

/** A partner's request whose parts have passed the schema. */
export interface PartnerAsk<I extends Input> {
  readonly params: Part<I, 'params'>;
  readonly query: Part<I, 'query'>;
  readonly body: Part<I, 'body'>;
  /** Who is signed in; empty where nobody needs to be. */
  readonly member: string;
  /** The hash of the session, where there is one. */
  readonly session: string | undefined;
  readonly setCookie: (value: string) => void;
}

interface Definition<I extends Input, O extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/partner/${string}`;
  readonly name: string;
  readonly summary: string;
  readonly input: I;
  readonly output: O;
  readonly status?: 200 | 201 | 202 | 204;
  readonly needs: 'nobody' | 'member';
  /** Counts as signing in does. */
  readonly isSignIn?: true;
  readonly csv?: Csv<Static<O>>;
  run(ask: PartnerAsk<I>, deps: ApiDeps): Promise<Static<O> | Refusal>;
}

export type PartnerEndpoint = Omit<Definition<Input, TSchema>, 'run' | 'csv'> & {
  readonly csv?: Csv<never>;
  run(ask: unknown, deps: ApiDeps): Promise<unknown>;
};

export function partnerEndpoint<I extends Input, O extends TSchema>(definition: Definition<I, O>): PartnerEndpoint {
  // Ajv checks each request against the schemas that the ask is made of, before `run` sees it.
  return { ...definition, run: (ask, deps) => definition.run(ask as PartnerAsk<I>, deps) };
}

interface SignedIn {
  readonly member: string;
  readonly session: string | undefined;
}

const entered = new WeakMap<FastifyRequest, SignedIn>();

export function mountPartner(app: FastifyInstance, one: PartnerEndpoint, deps: ApiDeps): void {
  const { params, query, body } = one.input;
  const status = one.status ?? 200;
  app.route({
    method: one.method,
    url: one.path,
    schema: {
      hide: true,
      ...(params ? { params } : {}),
      ...(query ? { querystring: query } : {}),
      ...(body ? { body } : {}),
      response: { [status]: one.output },
    },
    onRequest: async (request, reply) => {
      const refused = await enter(request, one, deps);
      return refused && sendSpoken(reply, speak(refused, 'v2'));
    },
    preValidation: async (request) => {
      if (query) request.query = readQuery(query as TObject, request.query as Record<string, unknown>);
    },
    handler: (request, reply) => answer(one, request, reply, deps),
  });
}

/** Another site's page must not act for whoever is signed in here; then limits, then the session. */
async function enter(request: FastifyRequest, one: PartnerEndpoint, deps: ApiDeps): Promise<Refusal | undefined> {
  const origin = header(request, 'origin');
  if (one.method !== 'GET' && origin !== undefined && origin !== deps.partnerRoom.place.origin)
    return refuse('forbidden', 'This may be asked from the desk’s own pages only.');
  const { clientHash } = anonymous(request, deps);
  const work = one.isSignIn ? 'creates' : 'requests';
  const bucket = { name: `partner:net:${clientHash}:${work}`, limit: PARTNER_LIMITS[work], resource: work } as const;
  const limited = await take([bucket], work, deps);
  if (isRefusal(limited)) return limited;
  const token = cookieOf(header(request, 'cookie'));
  const session = token === undefined ? undefined : hashOfSession(deps.hashKey, token);
  const member = session && (await deps.partnerRoom.sessions.use(session, deps.clock.now()));
  entered.set(request, { member: member ?? '', session: member ? session : undefined });
  return one.needs === 'member' && !member ? refuse('not_signed_in', 'Please sign in.') : undefined;
}

/** What we issued, or nothing. */
const cookieOf = (text = ''): string | undefined =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([a-z2-7]{52})(?:;|$)`).exec(text)?.[1];

async function answer(
  one: PartnerEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: ApiDeps,
): Promise<FastifyReply> {
  const { params, query, body } = request;
  const setCookie = (value: string) => void reply.header('set-cookie', value);
  const result = await one.run({ params, query, body, ...present(entered.get(request), 'a caller'), setCookie }, deps);
  return isRefusal(result) ? sendSpoken(reply, speak(result, 'v2')) : sendAnswer(one, result, request, reply);
}

export interface Access {
  readonly integration: Integration;
  readonly members: readonly Member[];
}

/** Names of ours are of these letters; nothing else is looked up. */
export const isId = (text: string): boolean => /^\w{1,64}$/.test(text);

/** What is not a member's looks as if it were not there. */
export async function asMember(
  { params, member }: { readonly params: { readonly id: string }; readonly member: string },
  need: Role,
  { partnerRoom: { book }, clock }: ApiDeps,
): Promise<Access | Refusal> {
  const id = isId(params.id) ? params.id : '';
  const [found, members] = await Promise.all([book.find(id), book.members(id)]);
  const role = members.find(({ address }) => address === member)?.role;
  if (!found || !role) return refuse('not_found', 'There is no such integration.');
  if (need === 'owner' && role !== 'owner') return refuse('forbidden', 'Only an owner may change this.');
  return { integration: settledAt(found, clock.now()), members };
}

export const byMember = ({ member }: { readonly member: string }, { clock }: ApiDeps): By => ({
  actor: member,
  at: clock.now(),
});
