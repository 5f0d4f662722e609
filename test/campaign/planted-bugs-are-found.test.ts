import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CHECKS } from './audit.ts';
import { BUGS } from './bugs.ts';
import { planOf } from './plan.ts';
import { play } from './play.ts';

const DOC = readFileSync(new URL('../../docs/CAMPAIGN.md', import.meta.url), 'utf8');
/** Rows of the table under that heading, as their cells. */
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (DOC.split(`## ${heading}\n`)[1] ?? '')
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| -'))
    .slice(1)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ) ?? [];

/** What a seed plays changes with the desk; where a bug is not found in the seed of the table, the first so many that can show it are tried. */
const TRIED = 24;
const SEEDS = Array.from({ length: 300 }, (_, at) => at + 1);

describe('planted bugs are found', () => {
  for (const bug of BUGS)
    test(`a desk that ${bug.name} is found out by "${bug.foundBy}"`, async () => {
      const able = SEEDS.filter((seed) => bug.needs?.(planOf(seed)) ?? true).slice(0, TRIED);
      for (const seed of [bug.seed, ...able]) {
        const { findings } = await play(planOf(seed), bug);
        if (findings.some(({ check }) => check === bug.foundBy)) return;
      }
      assert.fail(`not found in seed ${bug.seed}, nor in the first ${TRIED} that can show it`);
    });
});

test('the table of planted bugs is the list of them', () => {
  assert.deepEqual(
    rowsUnder('Planted bugs'),
    BUGS.map(({ name, from, foundBy, seed }) => [name, from, foundBy, `${seed}`]),
  );
});

test('the table of checks is the list of them', () => {
  assert.deepEqual(
    rowsUnder('What is checked'),
    CHECKS.map(({ name, of }) => [name, of]),
  );
});
