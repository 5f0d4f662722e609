import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Row {
  readonly nr: string;
  readonly says: string;
  readonly heldBy: string;
  readonly shownBy: string;
}

const DOCUMENT = read('docs/SAFETY.md');
const ROWS: readonly Row[] = DOCUMENT.split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [nr = '', says = '', heldBy = '', shownBy = '', ...more] = line.slice(1, -1).split('|');
    assert.deepEqual(more, [], line);
    return { nr: nr.trim(), says: says.trim(), heldBy: heldBy.trim(), shownBy: shownBy.trim() };
  });

/** What is named: a path, and after a colon what is in it. */
const named = (cell: string): readonly (readonly [path: string, inIt: string])[] =>
  [...cell.matchAll(/`((?:src|test|sandbox|migrations)\/[\w./-]*)(?:: ([^`]+))?`/g)].map(([, path = '', inIt = '']) => [
    path,
    inIt,
  ]);

/** The chapters of the design, and how many sentences each has at least. */
const CHAPTERS = [11, 9, 15, 7, 17, 16, 22, 16];

test('no sentence of the design is left out, and the rows of each chapter are numbered through', () => {
  const byChapter = CHAPTERS.map((_, at) => ROWS.filter(({ nr }) => nr.startsWith(`${at + 1}.`)));
  assert.equal(ROWS.length, byChapter.flat().length);
  for (const [at, rows] of byChapter.entries()) {
    assert.deepEqual(
      rows.map(({ nr }) => nr),
      rows.map((_, index) => `${at + 1}.${index + 1}`),
    );
    assert.ok(rows.length >= (CHAPTERS[at] ?? 0), `chapter ${at + 1} has ${rows.length} rows`);
  }
  const invariants = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 15, 16, 17, 18, 20, 21, 22, 24, 25].map((nr) => `I${nr}:`);
  for (const name of [...invariants, 'L1:', 'L2:'])
    assert.ok(
      ROWS.some(({ says }) => says.startsWith(name)),
      name,
    );
});

test('every sentence says what holds it and what shows it, or plainly that nothing does yet', () => {
  for (const { nr, says, heldBy, shownBy } of ROWS) {
    assert.ok(says.endsWith('.'), nr);
    assert.ok(named(heldBy).length > 0 || heldBy.startsWith('Not yet: '), `${nr} ${heldBy}`);
    assert.ok(named(shownBy).length > 0 || shownBy.startsWith('No test: '), `${nr} ${shownBy}`);
  }
});

test('what holds a sentence is there, by its name', () => {
  for (const [path, names] of ROWS.flatMap(({ heldBy }) => named(heldBy))) {
    assert.ok(existsSync(join(ROOT, path)), path);
    const wanted = names === '' ? [] : names.split(', ');
    for (const name of wanted) assert.match(read(path), new RegExp(`\\b${name}\\b`), path);
  }
});

const TEST_FILES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path}`);

/** Stories that several worlds go through, and suites that every chain passes, are told by files that tests import. */
function isRun(path: string): boolean {
  if (TEST_FILES.includes(path)) return true;
  const name = path.includes('/conformance/') ? 'conformance.ts' : (path.split('/').at(-1) ?? path);
  return TEST_FILES.some((file) => read(file).includes(`/${name}'`));
}

test('every test that is named is there word for word, in a file that is run', () => {
  for (const [path, quoted] of ROWS.flatMap(({ shownBy }) => named(shownBy))) {
    assert.ok(existsSync(join(ROOT, path)) && isRun(path), path);
    const [, title] = /^"(.+)"$/.exec(quoted) ?? [];
    assert.ok(title, `${path} ${quoted}`);
    const isThere = ["'", '`', '"'].some((quote) => read(path).includes(`(${quote}${title}${quote},`));
    assert.ok(isThere, `${path}: ${title}`);
  }
});
