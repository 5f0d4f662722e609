import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { isRefusal, type Refusal, type RefusalKind } from '../kernel/refusal.ts';

type Part<S> = S extends TSchema ? Static<S> : undefined;

interface Definition<P extends TObject | undefined, B extends TObject | undefined> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/operator/${string}`;
  readonly params?: P;
  readonly body?: B;
  readonly status?: 200 | 201;
  run(ask: { readonly params: Part<P>; readonly body: Part<B> }): Promise<object | Refusal>;
}

/** Misspelt members are refused: an operator must not believe in a setting that has no effect. */
export const exact = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

/** A database and a log line can hold such text: it has no control characters, no half characters, and an end. */
export const Line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\p{Cc}\\p{Cs}]*$' });

const STATUS: Partial<Record<RefusalKind, number>> = { not_found: 404, action_not_available: 409, unavailable: 503 };

/** An operator call is a few shapes and a line of work. */
export function call<P extends TObject | undefined, B extends TObject | undefined>(
  app: FastifyInstance,
  { method, path, params, body, status = 200, run }: Definition<P, B>,
): void {
  app.route({
    method,
    url: path,
    schema: { ...(params ? { params } : {}), ...(body ? { body } : {}) },
    handler: async (request, reply) => {
      // Ajv has checked both parts against the schemas that these types are made of.
      const ask = { params: request.params as Part<P>, body: request.body as Part<B> };
      const answer = await run(ask);
      if (isRefusal(answer)) return reply.code(STATUS[answer.refusal] ?? 400).send({ error: answer.message });
      return reply.code(status).send(plain(answer));
    },
  });
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
