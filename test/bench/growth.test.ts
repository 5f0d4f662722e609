import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { beyond, growthOf, type Measured, measure } from '../../bench/growth/compare.ts';
import { UNMEASURED } from '../../bench/growth/unmeasured.ts';

const STORE = fileURLToPath(new URL('../../src/store/', import.meta.url));
const NOW = 1_800_000_000_000;

let few: Measured;
let many: Measured;
before(async () => {
  few = await measure({ open: 1_000, finished: 500, now: NOW });
  many = await measure({ open: 6_000, finished: 2_000, now: NOW });
});

test('no statement that is asked again and again reads more where there are six times as many orders', () => {
  const grown = beyond(growthOf([few, many]));
  assert.deepEqual(
    grown.map(({ name, buffers }) => `${name}: ${buffers.join(' → ')} pages`),
    [],
  );
});

test('every statement of the store is measured, or said to be found by its key', () => {
  const names = readdirSync(STORE).flatMap((file) =>
    [...readFileSync(`${STORE}${file}`, 'utf8').matchAll(/\bname: '([a-z_]+)',? *(?:\n *)?text:/g)].map(
      ([, name]) => name ?? '',
    ),
  );
  assert.ok(names.length > 100, `${names.length}`);
  const measured = new Set(few.figures.keys());
  assert.deepEqual(
    names.filter((name) => !measured.has(name) && !UNMEASURED.has(name)),
    [],
    'neither',
  );
  assert.deepEqual(
    [...UNMEASURED].filter((name) => measured.has(name) || !names.includes(name)),
    [],
    'measured, or gone',
  );
});
