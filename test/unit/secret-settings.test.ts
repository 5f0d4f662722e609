import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from '@sinclair/typebox';
import { ConfigSchema } from '../../src/app/config.ts';
import { standInFor } from '../../src/app/stand-ins.ts';
import { SECRETS } from '../../src/app/wiring/secrets.ts';

interface Text {
  /** `[]` is each of a list, `{}` each of a record. */
  readonly path: string;
  readonly schema: TSchema;
}

/** Every setting that may be a text. */
function textsIn(schema: TSchema, path = ''): readonly Text[] {
  const parts = (of: unknown, name: (one: string) => string) =>
    Object.entries((of ?? {}) as Readonly<Record<string, TSchema>>).flatMap(([one, part]) => textsIn(part, name(one)));
  const either = ((schema.anyOf ?? []) as readonly TSchema[]).some(({ type }) => type === 'string');
  return [
    ...(schema.type === 'string' || either ? [{ path, schema }] : []),
    ...parts(schema.properties, (one) => `${path}/${one}`),
    ...parts(schema.patternProperties, () => `${path}/{}`),
    ...(schema.items ? textsIn(schema.items, `${path}[]`) : []),
  ];
}
const TEXTS = textsIn(ConfigSchema);

const LOOKS_SECRET = /key|password|passphrase|secret|token|jwt|login/i;
/** What looks so and may be read by anybody. */
const OPEN: readonly string[] = [
  ...[
    '/operator/people[]/tokenHashes[]',
    '/venue/baseTokenId',
    '/venue/bridges/trx/tokenId',
    '/venue/bridges/zec/tokenId',
  ],
];

test('whatever looks like a secret is one that only the roles which need it are told', () => {
  assert.ok(TEXTS.length > 100);
  const looks = TEXTS.map(({ path }) => path).filter((path) => LOOKS_SECRET.test(path.split('/').at(-1) ?? ''));
  assert.ok(looks.includes('/signer/passphrase') && looks.includes('/providers/bridge/key'));
  const forgotten = looks.filter((path) => !Object.hasOwn(SECRETS, path) && !OPEN.includes(path));
  assert.deepEqual(forgotten, [], 'name it in src/app/wiring/secrets.ts, or here if anybody may read it');
  assert.deepEqual(SECRETS['/providers/bridge/key'], ['engine']);
});

test('every secret is a setting', () => {
  const known = new Set(TEXTS.map(({ path }) => path.replace(/\[\]$/, '')));
  assert.deepEqual(
    Object.keys(SECRETS).filter((path) => !known.has(path)),
    [],
  );
});

test('for every text that may be kept in the environment there is one that stands for it until its role starts', () => {
  assert.deepEqual(
    TEXTS.filter(({ schema }) => standInFor(schema) === undefined).map(({ path }) => path),
    [],
  );
});
