import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectHeld, expectShown, named, proofRows } from './proof-tables.ts';

/** By a section of the statements, the number of a decision, or a chapter of the partner calls or of the pages. */
const ROWS = proofRows('docs/interface.md', /^\| (?:\d|D\d|P\d|W\d)/);

const SECTIONS = [
  ...['1', '2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7', '2.8', '2.9', '2.10', '2.11', '2.12', '2.13'],
  ...['3.1', '3.2', '3.3', '3.4', '3.5', '4.1', '4.2', '5.1', '5.2', '5.3', '5.4', '6', '7.1', '7.2'],
  ...['8.1', '8.2', '8.3', '8.4', '8.5', '9'],
];
const numbers = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `D${from + at}`);
const DECISIONS = [...numbers(1, 6), ...numbers(10, 19), ...numbers(30, 54), ...numbers(60, 80)];

const PARTNER_CALLS = ['P1', 'P2', 'P3', 'P4'];
const PAGES = ['W1', 'W2', 'W3', 'W4', 'W5', 'W6', 'W7', 'W8', 'W9'];

test('every section, every decision and every chapter of the partner calls and of the pages has its rows, in order', () => {
  assert.deepEqual([...new Set(ROWS.map(({ of }) => of))], [...SECTIONS, ...DECISIONS, ...PARTNER_CALLS, ...PAGES]);
});

test('no cell is empty, and every row says where it is and what shows it', () => {
  for (const { of, says, heldBy, shownBy } of ROWS) {
    assert.ok(says !== '', of);
    assert.ok(named(heldBy).length > 0 || /^Not (?:yet|offered): /.test(heldBy), `${of} ${says}: ${heldBy}`);
    assert.ok(named(shownBy).length > 0 || shownBy.startsWith('No test: '), `${of} ${says}: ${shownBy}`);
  }
});

test('every file is there, and what is to be found in it', () => expectHeld(ROWS));

test('every test is there word for word, in a file that is run', () => expectShown(ROWS));
