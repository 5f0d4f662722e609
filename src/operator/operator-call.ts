import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../kernel/clock.ts';
import { isRefusal, type Refusal, type RefusalKind, refuse } from '../kernel/refusal.ts';
import type { OperatorActs } from '../store/operator-acts.ts';
import type { Operator } from './operators.ts';

type Part<S> = S extends TSchema ? Static<S> : undefined;
type Shape = TObject | undefined;

interface Ask<P extends Shape, B extends Shape, Q extends Shape> {
  readonly params: Part<P>;
  readonly body: Part<B>;
  readonly query: Part<Q>;
  /** Whoever acts: the name of a token that is somebody's own, or who they say they are where several share one. */
  readonly by: string;
}

interface Definition<P extends Shape, B extends Shape, Q extends Shape> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/operator/${string}`;
  readonly params?: P;
  readonly body?: B;
  readonly query?: Q;
  readonly status?: 200 | 201;
  /** Somebody answers for it: those who share a token must say who they are. */
  readonly isSigned?: boolean;
  run(ask: Ask<P, B, Q>): Promise<object | Refusal>;
}

/** Where calls are answered, and where it is kept who made them. */
export interface Room {
  readonly app: FastifyInstance;
  readonly acts: OperatorActs;
  readonly clock: Clock;
  /** Nobody comes so far who was not recognised. */
  whoAsks(request: FastifyRequest): Operator;
  onTrouble(error: unknown): void;
}

/** Misspelt members are refused: an operator must not believe in a setting that has no effect. */
export const exact = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

/** A database and a log line can hold such text: it has no control characters, no half characters, and an end. */
export const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\p{Cc}\\p{Cs}]*$' });

export const Reason = Line(500);
const Name = Line(100);

const STATUS: Partial<Record<RefusalKind, number>> = { not_found: 404, action_not_available: 409, unavailable: 503 };
const FAILED = 503;

/** A token of one's own says who acts; of those who share one, the body says which it was. */
function actorOf({ name, isShared }: Operator, named: string | undefined, isSigned: boolean): string | Refusal {
  if (!isShared)
    return named === undefined || named === name
      ? name
      : refuse('invalid_request', `This token is ${name}'s, so that "by" can name nobody else.`);
  return isSigned && named === undefined
    ? refuse('invalid_request', 'This token is shared: "by" must say who acts.')
    : (named ?? name);
}

/**
 * An operator call is a few shapes and a line of work. Whatever may change something can be given a reason and the name of
 * whoever acts, and is kept.
 */
export function call<P extends Shape = undefined, B extends Shape = undefined, Q extends Shape = undefined>(
  room: Room,
  { method, path, params, body, query, status = 200, isSigned = false, run }: Definition<P, B, Q>,
): void {
  const isAct = method !== 'GET';
  const takesReason = body !== undefined && Object.hasOwn(body.properties, 'reason');
  const named = exact({ reason: Type.Optional(Reason), ...body?.properties, by: Type.Optional(Name) });
  const schema = {
    ...(params ? { params } : {}),
    ...(isAct ? { body: named } : {}),
    ...(query ? { querystring: query } : {}),
  };
  room.app.route({
    method,
    url: path,
    schema,
    // Nothing is as good as an empty object where a call takes nothing but a reason.
    preValidation: async (request) => {
      if (isAct && !body) request.body ??= {};
    },
    handler: async (request, reply) => {
      const operator = room.whoAsks(request);
      const { reason, ...details } = (request.body ?? {}) as { readonly reason?: string; readonly by?: string };
      const { by: said, ...rest } = details;
      // Ajv has checked every part against the schemas that these types are made of.
      const ask = {
        ...{ params: request.params as Part<P>, query: request.query as Part<Q> },
        body: (body && (takesReason && reason !== undefined ? { ...rest, reason } : rest)) as Part<B>,
      };
      const work = async () => {
        const by = actorOf(operator, said, isSigned);
        const answer = isRefusal(by) ? by : await run({ ...ask, by });
        return isRefusal(answer)
          ? { status: STATUS[answer.refusal] ?? 400, refused: answer.message }
          : { status, answer };
      };
      const done = isAct
        ? await noted(
            room,
            { operator: operator.name, act: actOf(request), details, reason: reason || undefined },
            work,
          )
        : await work();
      return reply.code(done.status).send('refused' in done ? { error: done.refused } : plain(done.answer));
    },
  });
}

export const actOf = ({ method, url }: FastifyRequest): string => `${method} ${url.split('?', 1)[0]}`;

interface Noted {
  readonly operator: string;
  readonly act: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly reason: string | undefined;
}

/** Nothing is done that could not be written down before. */
export async function noted<T extends { readonly status: number; readonly refused?: string }>(
  { acts, clock, onTrouble }: Pick<Room, 'acts' | 'clock' | 'onTrouble'>,
  act: Noted,
  work: () => Promise<T>,
): Promise<T> {
  const id = await acts.begin({ at: clock.now(), ...act });
  try {
    const done = await work();
    // What is done is done, and told: a trace without its end says that it was begun.
    await acts.end(id, done.status, done.refused).catch(onTrouble);
    return done;
  } catch (error) {
    await acts.end(id, FAILED, 'it failed').catch(onTrouble);
    throw error;
  }
}

/** Bindings prove destinations to the signer and raw bytes can be sent by anybody: neither leaves in a report. */
const HIDDEN = new Set(['binding', 'charter', 'raw']);

/** JSON knows no bigint: amounts go as base-10 text, instants stay numbers where their names do not say otherwise. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !HIDDEN.has(name))
      .map(([name, member]) => [name, plain(member)]),
  );
}
