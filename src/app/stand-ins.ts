import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Environment } from './config.ts';
import { partAt, withPart } from './pointer.ts';
import { isElsewhere } from './settings.ts';
import { SECRETS } from './wiring/secrets.ts';

/** Texts that fit the shapes of settings: nobody reads them, they stand where a role will find another. */
const SAMPLES: readonly string[] = [
  ...['http://127.0.0.1:1', 'http://127.0.0.1:1/{tx}', '127.0.0.1', 'postgres://x', `${'a'.repeat(56)}.onion`],
  ...['1', '0600', '00'.repeat(32), '00000000-0000-4000-8000-000000000000', 'x', 'x'.repeat(24), 'x:'.padEnd(24, 'x')],
  ...[`0x${'0'.repeat(32)}`, `T${'1'.repeat(33)}`],
];

/** A text that this setting could be; undefined where it is none. */
export function standInFor(schema: TSchema | undefined): string | undefined {
  if (schema === undefined) return undefined;
  const named = [schema, ...((schema.anyOf ?? []) as readonly TSchema[])].map(({ const: literal }) => literal);
  const texts = named.filter((one): one is string => typeof one === 'string');
  return [...texts, ...SAMPLES].find((one) => Value.Check(schema, one));
}

/** The secrets that are in the environment of a role, and not in this one. */
export const secretsAway = (settings: unknown, env: Environment): readonly string[] =>
  Object.keys(SECRETS).filter((path) => {
    const held = partAt(settings, path);
    return isElsewhere(held) && 'env' in held && env[held.env] === undefined;
  });

/**
 * Settings as they can be checked before their roles run. What is in the environment here is checked itself; of what will be there
 * only that it is said where it is. A secret is left out: no other text could stand for a key.
 */
export function withStandIns(settings: unknown, schema: TSchema, env: Environment): unknown {
  const known = secretsAway(settings, env).reduce((rest, path) => withPart(rest, path, undefined), settings);
  return standing(known, schema, env);
}

function standing(value: unknown, schema: TSchema | undefined, env: Environment): unknown {
  if (isElsewhere(value)) return 'env' in value ? (env[value.env] ?? standInFor(schema) ?? value) : value;
  if (Array.isArray(value)) return value.map((one) => standing(one, schema?.items, env));
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, standing(part, partOf(schema, name), env)] as const);
  return Object.fromEntries(parts);
}

/** The shape of a part: by its name, or as every part of a record has it. */
function partOf(schema: TSchema | undefined, name: string): TSchema | undefined {
  const [ofRecord] = Object.values((schema?.patternProperties ?? {}) as Readonly<Record<string, TSchema>>);
  return schema?.properties?.[name] ?? ofRecord;
}
