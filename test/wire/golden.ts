import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
    .replaceAll(/sw_[a-z2-7]{32}/g, name('order'))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, name('session'))
    .replaceAll(/[\w-]+\.[0-9a-f]{32}/g, name('cursor'));
}

const SHOWN = ['content-type', 'retry-after', 'x-ratelimit-resource', 'allow', 'upgrade'];

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
