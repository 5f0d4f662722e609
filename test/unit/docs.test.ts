import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type TSchema, TypeGuard } from '@sinclair/typebox';
import { ConfigSchema } from '../../src/app/config.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const DOCUMENTS = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** Code blocks are for the reader's shell, not for us. */
const prose = (path: string): string => read(path).replaceAll(/```[\s\S]*?```/g, '');

for (const path of DOCUMENTS) {
  test(`${path} leads only to what exists`, () => {
    const links = [...prose(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) => join(dirname(path), to));
    const named = [...prose(path).matchAll(/`([\w.@-]+(?:\/[\w.@-]+)+\/?)`/g)]
      .map(([, name = '']) => name)
      .filter(isPath);
    const missing = [...links, ...named].filter((to) => ![to, `src/${to}`].some((at) => existsSync(join(ROOT, at))));
    assert.deepEqual(missing, []);
  });
}

const PLACES = ['src', 'docs', 'test', 'sandbox', 'migrations', 'scripts', 'bench'];

/** Begins with a folder of ours, or ends like a file of code: not every word with a slash is a path. A run makes `.wherry`. */
function isPath(name: string): boolean {
  if (name.startsWith('.wherry/')) return false;
  return PLACES.some((place) => name.startsWith(`${place}/`)) || /\.(?:ts|sql|sh|json)$/.test(name);
}

test('the README says the two commands word for word', () => {
  for (const command of ['npm ci && npm start', 'npm ci && npm test']) {
    assert.ok(read('README.md').includes(`\`\`\`sh\n${command}\n`), command);
  }
});

/** Every key down to what holds a value; what stands under free names is explained by the key above it. */
function keysOf(schema: TSchema, path: string): readonly string[] {
  if (TypeGuard.IsArray(schema)) return keysOf(schema.items, `${path}[]`);
  if (!TypeGuard.IsObject(schema)) return [path];
  return Object.entries(schema.properties).flatMap(([name, part]) =>
    keysOf(part, path === '' ? name : `${path}.${name}`),
  );
}

test('the table of settings names every key, and no other', () => {
  const [, table = ''] = /\| Key +\| What it is +\|\n([\s\S]*?)\n\n/.exec(read('docs/OPERATING.md')) ?? [];
  const firstCells = table.split('\n').slice(1);
  const named = firstCells.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, key]) => key),
  );
  const keys = keysOf(ConfigSchema, '').map((key) => key.replace(/^(chains\.evm\[\]\.finality)\..*/, '$1'));
  assert.deepEqual(named.toSorted(), [...new Set(keys)].toSorted());
});
