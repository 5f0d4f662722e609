import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../sandbox/root.ts';

/** Documents whose tables say of each sentence which code holds it and which test shows it; the code is asked whether that is so. */

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Rows of four cells that begin like this. */
export interface ProofRow {
  readonly of: string;
  readonly says: string;
  readonly heldBy: string;
  readonly shownBy: string;
}

export const proofRows = (document: string, begins: RegExp): readonly ProofRow[] =>
  read(document)
    .split('\n')
    .filter((line) => begins.test(line))
    .map((line) => {
      const [of = '', says = '', heldBy = '', shownBy = '', ...more] = line.slice(1, -1).split('|');
      assert.deepEqual(more, [], line);
      return { of: of.trim(), says: says.trim(), heldBy: heldBy.trim(), shownBy: shownBy.trim() };
    });

/** What is named: a path, and after a colon what is in it. */
export const named = (cell: string): readonly (readonly [path: string, inIt: string])[] =>
  [...cell.matchAll(/`((?:src|test|sdk|web|sandbox|migrations)\/[\w./-]*)(?:: ([^`]+))?`/g)].map(
    ([, path = '', inIt = '']) => [path, inIt],
  );

export function expectHeld(rows: readonly ProofRow[]): void {
  for (const [path, names] of rows.flatMap(({ heldBy }) => named(heldBy))) {
    assert.ok(existsSync(join(ROOT, path)), path);
    const wanted = names === '' ? [] : names.split(', ');
    for (const name of wanted) assert.match(read(path), new RegExp(`\\b${name}\\b`), path);
  }
}

const TEST_FILES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path}`);

/** Stories that several worlds go through, and suites that every chain passes, are told by files that tests import. */
function isRun(path: string): boolean {
  if (TEST_FILES.includes(path)) return true;
  const name = path.includes('/conformance/') ? 'conformance.ts' : (path.split('/').at(-1) ?? path);
  return TEST_FILES.some((file) => read(file).includes(`/${name}'`));
}

/** Word for word, in a file that is run. */
export function expectShown(rows: readonly ProofRow[]): void {
  for (const [path, quoted] of rows.flatMap(({ shownBy }) => named(shownBy))) {
    assert.ok(existsSync(join(ROOT, path)) && isRun(path), path);
    const [, title] = /^"(.+)"$/.exec(quoted) ?? [];
    assert.ok(title, `${path} ${quoted}`);
    // A test of its own, or an entry of a table of which every one is told as a test.
    const spellings = ["'", '`', '"'].flatMap((q) => [
      `(${q}${title}${q},`,
      `\n  ${q}${title}${q}: `,
      `(\n    ${q}${title}${q},`,
    ]);
    const isThere = spellings.some((one) => read(path).includes(one));
    assert.ok(isThere, `${path}: ${title}`);
  }
}
