import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectHeld, expectShown, named, proofRows, read } from './proof-tables.ts';

const ROWS = proofRows('docs/SAFETY.md', /^\| \d/);

/** The chapters of the design, and how many sentences each has at least. */
const CHAPTERS = [11, 9, 15, 7, 17, 16, 22, 16, 22];

test('no sentence of the design is left out, and the rows of each chapter are numbered through', () => {
  const byChapter = CHAPTERS.map((_, at) => ROWS.filter(({ of }) => of.startsWith(`${at + 1}.`)));
  assert.equal(ROWS.length, byChapter.flat().length);
  for (const [at, rows] of byChapter.entries()) {
    assert.deepEqual(
      rows.map(({ of }) => of),
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
  for (const { of, says, heldBy, shownBy } of ROWS) {
    assert.ok(says.endsWith('.'), of);
    assert.ok(named(heldBy).length > 0 || heldBy.startsWith('Not yet: '), `${of} ${heldBy}`);
    assert.ok(named(shownBy).length > 0 || shownBy.startsWith('No test: '), `${of} ${shownBy}`);
  }
});

test('what holds a sentence is there, by its name', () => expectHeld(ROWS));

test('every test that is named is there word for word, in a file that is run', () => expectShown(ROWS));

const WON = 'so it was won"';
/** Ways in that took money, or hid what was owed. */
const TOOK_MONEY = [...Array.from({ length: 13 }, (_, at) => at + 1), 17, 18].map((nr) => `9.${nr}`);

test('every way in is a story under its number, and where it took money it is won again without the defence', () => {
  for (const { of, shownBy } of ROWS.filter((row) => row.of.startsWith('9.'))) {
    const stories = named(shownBy);
    const isNumbered = ([path, title]: (typeof stories)[number]) =>
      title.startsWith(`"${of}: `) || read(path).includes(`describe('${of}: `);
    assert.ok(stories.some(isNumbered), of);
    if (!TOOK_MONEY.includes(of)) continue;
    const won = stories.filter(([, title]) => title.endsWith(WON));
    assert.ok(won.length > 0 && won.length < stories.length, `${of} has a story, and is won without its defence`);
    assert.ok(won.every(isNumbered), of);
  }
});
