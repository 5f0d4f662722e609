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

describe('planted bugs are found', () => {
  for (const bug of BUGS)
    test(`a desk that ${bug.name} is found out by "${bug.foundBy}"`, async () => {
      const { findings } = await play(planOf(bug.seed), bug);
      assert.ok(
        findings.some(({ check }) => check === bug.foundBy),
        `seed ${bug.seed} found ${findings.map(({ check }) => check).join(', ') || 'nothing'}`,
      );
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
