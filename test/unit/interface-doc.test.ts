import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Row {
  /** A section of the statements, or the number of a decision. */
  readonly of: string;
  readonly says: string;
  readonly where: string;
  readonly shownBy: string;
}

const ROWS: readonly Row[] = read('docs/interface.md')
  .split('\n')
  .filter((line) => /^\| (?:\d|D\d)/.test(line))
  .map((line) => {
    const [of = '', says = '', where = '', shownBy = '', ...more] = line.slice(1, -1).split('|');
    assert.deepEqual(more, [], line);
    return { of: of.trim(), says: says.trim(), where: where.trim(), shownBy: shownBy.trim() };
  });

/** What is named in code: a path, and after a colon what is in it. */
const named = (cell: string): readonly (readonly [path: string, inIt: string])[] =>
  [...cell.matchAll(/`((?:src|test|sdk)\/[\w./-]*)(?:: ([^`]+))?`/g)].map(([, path = '', inIt = '']) => [path, inIt]);

const SECTIONS = [
  ...['1', '2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7', '2.8', '2.9', '2.10', '2.11', '2.12', '2.13'],
  ...['3.1', '3.2', '3.3', '3.4', '3.5', '4.1', '4.2', '5.1', '5.2', '5.3', '5.4', '6', '7.1', '7.2'],
  ...['8.1', '8.2', '8.3', '8.4', '8.5', '9'],
];
const numbers = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `D${from + at}`);
const DECISIONS = [
  ...[...numbers(1, 6), ...numbers(10, 19), ...numbers(30, 54), ...numbers(60, 70)],
  ...['D71', 'D73', 'D74', 'D75', 'D77'],
];

test('every section and every decision has its rows, in order', () => {
  assert.deepEqual([...new Set(ROWS.map(({ of }) => of))], [...SECTIONS, ...DECISIONS]);
});

test('no cell is empty, and every row says where it is and what shows it', () => {
  for (const { of, says, where, shownBy } of ROWS) {
    assert.ok(says !== '', of);
    assert.ok(named(where).length > 0 || /^Not (?:yet|offered): /.test(where), `${of} ${says}: ${where}`);
    assert.ok(named(shownBy).length > 0 || shownBy.startsWith('No test: '), `${of} ${says}: ${shownBy}`);
  }
});

test('every file is there, and what is to be found in it', () => {
  for (const [path, names] of ROWS.flatMap(({ where }) => named(where))) {
    assert.ok(existsSync(join(ROOT, path)), path);
    const wanted = names === '' ? [] : names.split(', ');
    for (const name of wanted) assert.match(read(path), new RegExp(`\\b${name}\\b`), path);
  }
});

const TEST_FILES = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path}`);

/** Stories that several worlds go through are told by a file that tests import. */
function isRun(path: string): boolean {
  if (TEST_FILES.includes(path)) return true;
  const name = path.split('/').at(-1) ?? path;
  return TEST_FILES.some((file) => read(file).includes(`/${name}'`));
}

test('every test is there word for word, in a file that is run', () => {
  for (const [path, quoted] of ROWS.flatMap(({ shownBy }) => named(shownBy))) {
    assert.ok(existsSync(join(ROOT, path)) && isRun(path), path);
    const [, title] = /^"(.+)"$/.exec(quoted) ?? [];
    assert.ok(title, `${path} ${quoted}`);
    const isThere = ["'", '`', '"'].some((quote) => read(path).includes(`(${quote}${title}${quote},`));
    assert.ok(isThere, `${path}: ${title}`);
  }
});
