import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const PAGE = read('docs/GLOSSARY.md');
const ROWS = [...PAGE.matchAll(/^\| ([a-z ]+?) +\| (.+?) +\| `([\w./-]+)` +\|$/gm)].map(
  ([, word = '', meaning = '', file = '']) => ({ word, meaning, file }),
);

/** `market view` is found as MarketView and as market-view, too. */
const usesWord = (text: string, word: string): boolean =>
  new RegExp(`\\b${word.replaceAll(' ', '[ -]?')}(?:s|es)?\\b`, 'i').test(text);

test('the glossary has some forty words, each once, in order, with a meaning', () => {
  const words = ROWS.map(({ word }) => word);
  assert.ok(words.length >= 40 && words.length <= 50, `${words.length} words`);
  assert.equal(words.length, PAGE.split('\n').filter((line) => line.startsWith('| ')).length - 2);
  assert.deepEqual(words, [...new Set(words)].sort());
  for (const { word, meaning } of ROWS) assert.match(meaning, /\w+ \w+/, word);
});

for (const { word, file } of ROWS) {
  test(`glossary: ${word} is a word of ${file}`, () => {
    assert.ok(existsSync(join(ROOT, file)), file);
    assert.ok(usesWord(read(file), word), `${file} does not say ${word}`);
  });
}

test('a word that a file does not use is noticed', () => {
  assert.equal(usesWord('the slot of an account', 'nonce'), false);
  assert.equal(usesWord('export interface MarketView', 'market view'), true);
  assert.equal(usesWord('legal', 'leg'), false);
});

test('every mark in the code is of a section or a decision that the page of the interface has', () => {
  const known = new Set([...read('docs/interface.md').matchAll(/^\| (D?[\d.]+) +\|/gm)].map(([, of = '']) => of));
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const marks = sources.flatMap((path) =>
    [...read(`src/${path}`).matchAll(/\((D\d+|\d\.\d+)\)/g)].map(([, mark = '']) => ({ path, mark })),
  );
  assert.ok(marks.length > 30, 'the code has marks');
  for (const { path, mark } of marks) assert.ok(known.has(mark), `src/${path}: (${mark})`);
});
