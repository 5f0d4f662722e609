import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { MAX_ADDRESS_CHARS } from '../kernel/limits.ts';
import { MISSING, type Missing } from '../kernel/refusal.ts';
import { V2_CODES } from './refusals.ts';

/** Amounts are whole smallest units in canonical digits, no more of them than the database holds. */
export const Atomic = Type.String({ pattern: '^(0|[1-9]\\d{0,77})$', examples: ['1000000'] });
export const UsdText = Type.String({ examples: ['12.34'], description: 'Display valuation only.' });
export const Timestamp = Type.String({ format: 'date-time' });
export const ChainNumber = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, examples: [42161] });
export const TokenText = Type.String({ minLength: 1, maxLength: MAX_ADDRESS_CHARS, examples: ['XMR'] });
export const AddressText = Type.String({ minLength: 1, maxLength: MAX_ADDRESS_CHARS });
/** The bound is so wide that a wrong session is told what is wrong with it rather than that it is long. */
export const SessionText = Type.String({ maxLength: 64, examples: ['4b3e8f0a-6d5c-4c1e-9a51-0f6f6e9f2b11'] });

/** The schema or null, without the cost of a union when it is written out. */
export const orNull = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
  });

export const oneOf = <T extends string>(...values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values] });

/** A schema that the contract shows under its own name. */
export const ref = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });

export const ErrorV2 = Type.Object(
  {
    error: Type.String({ description: 'A sentence for a person.' }),
    code: oneOf(...V2_CODES),
    details: Type.Optional(
      Type.Object(
        {
          errors: Type.Optional(
            Type.Array(Type.Object({ field: Type.String(), code: oneOf(...V2_CODES), message: Type.String() }), {
              description: 'Every field that is wrong, at once.',
            }),
          ),
          missing: Type.Optional(
            Type.Unsafe<Missing>({ ...oneOf(...MISSING), description: 'What is unavailable for the moment.' }),
          ),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { $id: 'Error', description: 'The refusal; the header X-Request-Id names the request.' },
);

type Definite<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same object without the keys that have no value. */
export function definite<T extends object>(value: T): Definite<T> {
  const kept: Record<string, unknown> = {};
  for (const key in value) if (value[key] !== undefined) kept[key] = value[key];
  return kept as Definite<T>;
}
