/**
 * npm run sdk
 * Writes what is made from something else: the examples of the contract from the kept answers of the tests, and the types of
 * the client from the contract. The tests compare both with what is committed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATIONS } from '../src/api/operations.ts';
import { V2_CODES } from '../src/api/refusals.ts';
import { bench } from '../test/wire/bench.ts';
import { goldenReplies } from '../test/wire/golden.ts';
import { type Contract, clientTypes } from './sdk/client-types.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const EXAMPLES_FILE = 'src/api/generated/examples.ts';
export const TYPES_FILE = 'sdk/src/generated/contract.ts';

/** One example for every reply that an operation names, and one for every code that a kept answer carries. */
export function examples(): string {
  const golden = goldenReplies('v2');
  const named = Object.values(OPERATIONS).flatMap(({ replies }) => replies);
  const replies = named.map((name) => [name, golden.get(name)?.body]);
  const coded = V2_CODES.map((code) => {
    const spelt = golden.get(`create-${code}`) ?? golden.get(code.replaceAll('_', '-'));
    return [code, (spelt ?? [...golden.values()].find(({ body }) => body.code === code))?.body];
  });
  const table = (name: string, entries: unknown[][]) =>
    `export const ${name}: Readonly<Record<string, unknown>> = ${JSON.stringify(Object.fromEntries(entries))};`;
  const lines = [
    '// Written by `npm run sdk` from test/wire/golden.',
    '',
    table('REPLIES', replies),
    '',
    table('REFUSALS', coded),
  ];
  return formatted(EXAMPLES_FILE, lines.join('\n'));
}

export const types = (contract: Contract): string => formatted(TYPES_FILE, clientTypes(contract));

/** As the API serves it; over fakes, since no part of it depends on the world. */
export async function contract(): Promise<Contract> {
  const { api, get } = await bench();
  const served = (await get('/v2/openapi.json')).json();
  await api.close();
  return served;
}

function formatted(path: string, text: string): string {
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  return execFileSync(biome, ['format', `--stdin-file-path=${path}`], { cwd: ROOT, input: text, encoding: 'utf8' });
}

function write(path: string, text: string): void {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`${path}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  write(EXAMPLES_FILE, examples());
  write(TYPES_FILE, types(await contract()));
}
