import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { LightMyRequestResponse } from 'fastify';

const FOLDER = new URL('./golden/', import.meta.url);
/** `npx tsx test/wire/v1.test.ts --write-golden` writes what is answered now; read the difference before keeping it. */
const isWriting = process.argv.includes('--write-golden');

/** Answers that are the same at every run: what is made by chance gets a name by the order in which it appears. */
function steady(text: string): string {
  const names = new Map<string, string>();
  const name = (kind: string) => (found: string) => {
    const known = names.get(found) ?? `<${kind} ${names.size + 1}>`;
    names.set(found, known);
    return known;
  };
  return text
    .replaceAll(/(?:sw|dep|wd)_[a-z2-7]{32}/g, name('order'))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, name('session'))
    .replaceAll(/(?<=<order \d+>\.)[a-z2-7]{16}/g, name('mac'))
    .replaceAll(/[\w-]+\.[0-9a-f]{32}/g, name('cursor'));
}

/** What stands in an example of the contract where an answer is made by chance. */
const LIFELIKE: Readonly<Record<string, string>> = {
  order: 'sw_7qjx4k2m5n3p6r7s2t4u5v6w7x2y3z4a',
  session: '4b3e8f0a-6d5c-4c1e-9a51-0f6f6e9f2b11',
  mac: '3k5m7q2r4t6v2x4z',
  cursor: 'Mg.5d41402abc4b2a76b9719d911017c592',
};

export interface Golden {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Every kept answer of a generation by its name, as an example shows it. */
export function goldenReplies(generation: 'v1' | 'v2'): ReadonlyMap<string, Golden> {
  const files = readdirSync(FOLDER).filter((file) => file.startsWith(`${generation}-`));
  return new Map(
    files.sort().map((file) => {
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      const lifelike = text.replaceAll(/<(\w+) \d+>/g, (found, kind) => LIFELIKE[kind] ?? found);
      return [file.slice(generation.length + 1, -'.json'.length), JSON.parse(lifelike)];
    }),
  );
}

const SHOWN = ['content-type', 'retry-after', 'x-ratelimit-resource', 'idempotent-replayed', 'allow', 'upgrade'];

/** The whole answer, compared exactly with the one that is kept. */
export function matchesGolden(name: string, response: LightMyRequestResponse): void {
  const headers = Object.fromEntries(
    SHOWN.filter((key) => key in response.headers).map((key) => [key, response.headers[key]]),
  );
  const body: unknown = response.body === '' ? null : JSON.parse(response.body);
  const text = `${steady(JSON.stringify({ status: response.statusCode, headers, body }, null, 2))}\n`;
  const file = new URL(`${name}.json`, FOLDER);
  if (isWriting) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, text);
  }
  assert.equal(text, readFileSync(file, 'utf8'));
  assert.match(String(response.headers['x-request-id']), /^[0-9a-f]{24}$/);
}
