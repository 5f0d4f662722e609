import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { present } from '../kernel/assert.ts';
import type { Instant } from '../kernel/clock.ts';
import type { OrderId, SessionId } from '../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import type { Generation } from '../life/order/order.ts';
import { anonymous, type Caller, header, identify, sessionOf } from './caller.ts';
import { inTurn, namesAtTheDoor } from './creations-in-turn.ts';
import type { ApiDeps } from './deps.ts';
import { type CreatedOnce, isKnownCreation, sharedName } from './idempotency.ts';
import { type Allowance, admit, allowanceHeaders, countCreation, giveBackCreation, type Work } from './quota.ts';
import { generationOf, sendSpoken, speak } from './refusals.ts';
import { ref } from './wire-schemas.ts';

export interface Input {
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TObject;
}

type Part<I extends Input, K extends keyof Input> = I[K] extends TSchema ? Static<I[K]> : undefined;

/** A request whose parts have passed the endpoint's schema. */
export interface Ask<I extends Input> {
  readonly params: Part<I, 'params'>;
  readonly query: Part<I, 'query'>;
  readonly body: Part<I, 'body'>;
  readonly caller: Caller;
  readonly session: SessionId | undefined;
  /** The caller's name for this request, so that repeating it does nothing twice. */
  readonly idempotencyKey: string | undefined;
}

interface Definition<I extends Input, O extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${Generation}/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly input: I;
  readonly output: O;
  readonly status?: 200 | 201 | 202 | 204;
  readonly quota: Work;
  /** Whether the owner's session opens it, for the contract; the work itself checks the proof. */
  readonly proof?: 'session';
  /** Nobody gets in without a server's key, and it is asked for before the body is looked at. */
  readonly key?: 'server';
  /** Outside the contract of v2. */
  readonly isHidden?: true;
  /** The same answer for whoever prefers text/csv. */
  readonly csv?: Csv<Static<O>>;
  run(ask: Ask<I>, deps: ApiDeps): Promise<Static<O> | Replayed<Static<O>> | Text | Refusal>;
}

/** The rows as text, and headers for what stands beside them. */
export type Csv<T> = (answer: T) => { readonly text: string; readonly headers: Readonly<Record<string, string>> };

const REPLAYED = Symbol('replayed');

/** The answer to a creation that had been made before; the header Idempotent-Replayed says so (D74). */
export interface Replayed<T> {
  readonly [REPLAYED]: T;
}

export const asCreated = <T>({ isReplay }: CreatedOnce, reply: T): T | Replayed<T> =>
  isReplay ? { [REPLAYED]: reply } : reply;

const TEXT = Symbol('text');

/** An answer that was written before, and the name of its bytes. */
export interface Text {
  readonly [TEXT]: string;
  readonly etag: string;
}

export const asText = ({ json, etag }: { readonly json: string; readonly etag: string }): Text => ({
  [TEXT]: json,
  etag,
});

const isMarked = <M extends symbol>(mark: M, result: unknown): result is Record<M, unknown> =>
  typeof result === 'object' && result !== null && mark in result;
const isReplayed = (result: unknown): result is Replayed<unknown> => isMarked(REPLAYED, result);
const isText = (result: unknown): result is Text => isMarked(TEXT, result);

export type Endpoint = Omit<Definition<Input, TSchema>, 'run' | 'csv'> & {
  readonly csv?: Csv<never>;
  run(ask: unknown, deps: ApiDeps): Promise<unknown>;
};

/** One schema per part gives validation, types, serialisation and the contract. */
export function endpoint<I extends Input, O extends TSchema>(definition: Definition<I, O>): Endpoint {
  // Ajv checks each request against the schemas that `Ask<I>` is made of, before `run` sees it.
  return { ...definition, run: (ask, deps) => definition.run(ask as Ask<I>, deps) };
}

const callers = new WeakMap<FastifyRequest, Caller>();

/** A creation with a name that no order had when it was counted. */
interface NewName {
  readonly name: OrderId;
  /** When it was counted as a creation. One that may repeat another was counted as a read, and is counted once its turn has come. */
  readonly counted: Instant | 'later' | undefined;
  leave(): void;
}

const newNames = new WeakMap<FastifyRequest, NewName>();

/** Says who asked; it is known only after `enter`. */
export const callerOf = (request: FastifyRequest): Caller => present(callers.get(request), 'caller of a request');

/**
 * Every request passes here before its body is read: key and limits are checked, so that malformed requests count as well.
 * A bad key counts against the network, or keys could be guessed without end. A creation that had been made before counts
 * as a read (D74).
 */
export async function enter(
  request: FastifyRequest,
  generation: Generation,
  work: Work,
  deps: ApiDeps,
): Promise<Allowance | Refusal | undefined> {
  const found = await identify(request, generation, deps);
  const caller = isRefusal(found) ? anonymous(request, deps) : found;
  callers.set(request, caller);
  const named = { key: header(request, 'idempotency-key'), generation, caller };
  const name = work === 'creates' && !isRefusal(found) ? sharedName(named, deps) : undefined;
  if (name !== undefined)
    return (await isKnownCreation(named, deps))
      ? admit(caller, generation, 'requests', deps)
      : enterAnew(request, name, generation, deps);
  const admitted = await admit(caller, generation, work, deps);
  return isRefusal(found) && !isRefusal(admitted) ? found : admitted;
}

/** Whoever may create nothing more may still repeat what is being created, which is known once that one has had its turn. */
async function enterAnew(request: FastifyRequest, name: OrderId, generation: Generation, deps: ApiDeps) {
  const names = namesAtTheDoor(deps);
  const mayRepeat = names.isFull(name);
  const leave = names.take(name);
  const caller = callerOf(request);
  const admitted = mayRepeat ? undefined : await admit(caller, generation, 'creates', deps);
  const isLater = mayRepeat || (isRefusal(admitted) && admitted.refusal === 'rate_limited');
  newNames.set(request, {
    name,
    leave,
    counted: isLater ? 'later' : isRefusal(admitted) ? undefined : admitted?.takenAt,
  });
  if (!isLater) return admitted;
  const asRead = await admit(caller, generation, 'requests', deps);
  // What is left of its reads says nothing of what it asked for.
  return isRefusal(asRead) ? (admitted ?? asRead) : undefined;
}

export function mount(app: FastifyInstance, one: Endpoint, deps: ApiDeps): void {
  const generation = generationOf(one.path);
  const { params, query, body } = one.input;
  const status = one.status ?? 200;
  app.route({
    method: one.method,
    url: one.path,
    schema: {
      summary: one.summary,
      ...(one.description ? { description: one.description } : {}),
      hide: generation === 'v1' || one.isHidden === true,
      ...(one.proof ? { security: [{ session: [] }] } : {}),
      ...(params ? { params } : {}),
      ...(query ? { querystring: query } : {}),
      ...(body ? { body } : {}),
      response: { [status]: one.output.$id ? ref(one.output) : one.output },
    },
    onRequest: async (request, reply) => {
      const admitted = await enter(request, generation, one.quota, deps);
      const leave = newNames.get(request)?.leave;
      if (leave) reply.raw.once('close', leave);
      const refused = isRefusal(admitted) ? admitted : withoutKey(one, callerOf(request));
      if (refused) return sendSpoken(reply, speak(refused, generation));
      if (admitted && !isRefusal(admitted)) reply.headers(allowanceHeaders(admitted));
    },
    preValidation: reading(one.input),
    handler: (request, reply) => answer(one, generation, request, reply, deps),
  });
}

function withoutKey({ key }: Endpoint, { partner }: Caller): Refusal | undefined {
  if (key && !partner) return refuse('missing_key', 'Missing or invalid API key');
  return key === 'server' && partner?.kind !== 'server'
    ? refuse('server_key_required', 'This needs a server key.')
    : undefined;
}

async function answer(
  one: Endpoint,
  generation: Generation,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: ApiDeps,
): Promise<FastifyReply> {
  const ask = {
    params: request.params,
    query: request.query,
    body: request.body,
    caller: callerOf(request),
    session: sessionOf(request),
    idempotencyKey: header(request, 'idempotency-key'),
  };
  const newName = newNames.get(request);
  const result = await (newName
    ? inTurn(newName.name, deps, () => created(one, newName, ask, generation, deps))
    : one.run(ask, deps));
  if (isRefusal(result)) return sendSpoken(reply, speak(result, generation));
  if (isText(result)) return sendText(result, request, reply);
  if (!isReplayed(result)) return sendAnswer(one, result, request, reply);
  return reply
    .code(one.status ?? 200)
    .header('idempotent-replayed', 'true')
    .send(result[REPLAYED]);
}

/** The order may have been made while this one was counted or waited: then it is a repeat, which counts as a read (D74). */
async function created(
  one: Endpoint,
  { counted }: NewName,
  ask: { readonly caller: Caller; readonly idempotencyKey: string | undefined },
  generation: Generation,
  deps: ApiDeps,
): Promise<unknown> {
  const named = { key: ask.idempotencyKey, generation, caller: ask.caller };
  if (counted === 'later' && (await isKnownCreation(named, deps))) return one.run(ask, deps);
  const taken = counted === 'later' ? await countCreation(ask.caller, generation, deps) : undefined;
  if (isRefusal(taken)) return taken;
  const countedAt = counted === 'later' ? taken?.takenAt : counted;
  const result = await one.run(ask, deps);
  const isRepeat = isReplayed(result) || (isRefusal(result) && result.refusal === 'idempotency_mismatch');
  if (isRepeat && countedAt !== undefined) await giveBackCreation(ask.caller, generation, countedAt, deps);
  return result;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Whoever has these bytes already is told so (RFC 9110, 13.1.2). */
function sendText({ [TEXT]: text, etag }: Text, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('etag', etag);
  const held = header(request, 'if-none-match');
  return held !== undefined && names(held, etag)
    ? reply.code(304).send()
    : reply.header('content-type', JSON_TYPE).send(text);
}

/** A list of names, some of them perhaps weak, or `*` for any. */
const names = (list: string, etag: string): boolean =>
  list.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));

/** Empty where there is nothing to say. */
export function sendAnswer(
  { status = 200, csv }: Pick<Endpoint, 'status' | 'csv'>,
  result: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (status === 204) return reply.code(status).send();
  if (!csv || !prefersCsv(header(request, 'accept'))) return reply.code(status).send(result);
  // The answer was made for this endpoint's schema, which is what `csv` reads.
  const { text, headers } = csv(result as never);
  return reply.code(status).headers(headers).type('text/csv; charset=utf-8').send(text);
}

/** Whoever names it before JSON, or alone. */
function prefersCsv(accept = ''): boolean {
  const wanted = accept.split(',').filter((one) => !/;\s*q=0(?:\.0*)?\s*$/i.test(one));
  const placeOf = (type: RegExp) => wanted.findIndex((one) => type.test(one));
  const [csv, json] = [placeOf(/text\/csv/i), placeOf(/application\/json/i)];
  return csv !== -1 && (json === -1 || csv < json);
}

const reading =
  ({ query, body }: Input) =>
  (request: FastifyRequest, _: FastifyReply, done: () => void): void => {
    if (query) request.query = readQuery(query, request.query as Record<string, unknown>);
    // Who sends nothing is told which field is wanted first, as with an empty object.
    if (body) request.body ??= {};
    done();
  };

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,15})$/;

/**
 * Query strings are text: what the schema calls an integer is read as one, if it is spelt as one. The rest is dropped.
 */
export function readQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const named = Object.entries(schema.properties).filter(([name]) => query[name] !== undefined);
  return Object.fromEntries(
    named.map(([name, { type }]) => {
      const value = query[name];
      const isNumber = type === 'integer' && typeof value === 'string' && WHOLE_NUMBER.test(value);
      return [name, isNumber ? Number(value) : value];
    }),
  );
}
