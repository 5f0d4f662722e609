import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { patiently } from '../run/patience.ts';

const BENCH = fileURLToPath(new URL('../../bench/run.ts', import.meta.url));
const WITHIN_MS = 90_000;

/** Numbers are for people: nothing here depends on how large they are. */
test('every measure and every ratio of the bench can be taken in one short round', async () => {
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--test'));
  const { stdout } = await patiently('a short bench', WITHIN_MS, ({ signal }) =>
    promisify(execFile)(process.execPath, [...flags, BENCH, '--short'], { signal }),
  );
  const rows = [...stdout.matchAll(/^(\S.*?)\s{2,}([\d.]+)\s+([\d.]+)/gm)].map(([, name, value]) => [
    name,
    Number(value),
  ]);
  const measures = rows.filter(([name]) => !String(name).includes('÷'));
  assert.ok(measures.length >= 10, stdout);
  assert.ok(rows.length > measures.length, stdout);
  assert.deepEqual(
    rows.filter(([, value]) => !(Number(value) > 0)),
    [],
    'a measure of nothing',
  );
});
