import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { patiently } from '../run/patience.ts';

const WITHIN_MS = 90_000;

/** The lines of a short run that say a number, by what they are about. Numbers are for people: nothing here depends on how large they are. */
async function shortRun(file: string): Promise<readonly (readonly [name: string, value: number])[]> {
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--test'));
  const bench = fileURLToPath(new URL(`../../bench/${file}`, import.meta.url));
  const { stdout } = await patiently('a short bench', WITHIN_MS, ({ signal }) =>
    promisify(execFile)(process.execPath, [...flags, bench, '--short'], { signal }),
  );
  const rows = [...stdout.matchAll(/^(\S.*?)\s{2,}([\d.]+)\s+([\d.]+)/gm)].map(
    ([, name, value]) => [name ?? '', Number(value)] as const,
  );
  const nothing = rows.filter(([, value]) => !(value > 0));
  assert.deepEqual(nothing, [], `a measure of nothing in:\n${stdout}`);
  return rows;
}

test('every measure and every ratio of the bench can be taken in one short round', async () => {
  const rows = await shortRun('run.ts');
  const measures = rows.filter(([name]) => !name.includes('÷'));
  assert.ok(measures.length >= 10, `${measures.length} measures`);
  assert.ok(rows.length > measures.length, 'no ratio');
});

test('what a second process of each kind adds can be measured', async () => {
  const names = (await shortRun('second.ts')).map(([name]) => name);
  assert.deepEqual(names, ['POST /v2/swaps/quote', 'POST /v2/swaps', 'worker transitions']);
});
