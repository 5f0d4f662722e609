import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../kernel/clock.ts';
import { isRefusal, type Refusal, type RefusalKind } from '../kernel/refusal.ts';
import type { OperatorActs } from '../store/operator-acts.ts';
import type { Operator } from './operators.ts';

type Part<S> = S extends TSchema ? Static<S> : undefined;
type Shape = TObject | undefined;

interface Ask<P extends Shape, B extends Shape, Q extends Shape> {
  readonly params: Part<P>;
  readonly body: Part<B>;
  readonly query: Part<Q>;
  readonly operator: Operator;
}

interface Definition<P extends Shape, B extends Shape, Q extends Shape> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/operator/${string}`;
  readonly params?: P;
  readonly body?: B;
  readonly query?: Q;
  readonly status?: 200 | 201;
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

const STATUS: Partial<Record<RefusalKind, number>> = { not_found: 404, action_not_available: 409, unavailable: 503 };
const FAILED = 503;

/** An operator call is a few shapes and a line of work. Whatever may change something can be given a reason, and is kept. */
export function call<P extends Shape = undefined, B extends Shape = undefined, Q extends Shape = undefined>(
  room: Room,
  { method, path, params, body, query, status = 200, run }: Definition<P, B, Q>,
): void {
  const isAct = method !== 'GET';
  const takesReason = body !== undefined && Object.hasOwn(body.properties, 'reason');
  const reasoned = exact({ ...body?.properties, reason: Type.Optional(Reason) });
  const schema = {
    ...(params ? { params } : {}),
    ...(isAct ? { body: takesReason ? body : reasoned } : {}),
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
      const { reason, ...rest } = (request.body ?? {}) as { readonly reason?: string };
      // Ajv has checked every part against the schemas that these types are made of.
      const ask = {
        ...{ params: request.params as Part<P>, query: request.query as Part<Q>, operator },
        body: (takesReason ? request.body : body && rest) as Part<B>,
      };
      const work = async () => {
        const answer = await run(ask);
        return isRefusal(answer)
          ? { status: STATUS[answer.refusal] ?? 400, refused: answer.message }
          : { status, answer };
      };
      const done = isAct
        ? await noted(room, { operator: operator.name, act: actOf(request), details: rest, reason }, work)
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
