/**
 * npm run day [-- --orders N] [--at-once N] [--seed N] [--real]
 * A day of sandbox time with so many mixed orders, hostile ones among them, compressed by the clock. A seed repeats what was planned,
 * not what the processes make of it.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { newDir, removeDir, startBox } from '../e2e/box.ts';
import { nodesFound } from './chaos.ts';
import { day } from './day.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '2000' },
    'at-once': { type: 'string', default: '96' },
    seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 32)}` },
    real: { type: 'boolean', default: false },
  },
});
const dir = newDir();
const startedAt = performance.now();
const tell = (line: string) =>
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${line}`);
tell(`seed ${values.seed}`);
const box = await startBox(dir, ...(values.real ? nodesFound() : []));
try {
  const { orders, seed } = values;
  const report = await day(box, {
    seed: Number(seed),
    orders: Number(orders),
    atOnce: Number(values['at-once']),
    tell,
  });
  console.table(report.endings);
  console.table(report.kinds);
  const { solvencyReadings, waitedSeconds, levelled, minutes } = report;
  console.table({ solvencyReadings, ...waitedSeconds, levelledZec: levelled.join(' '), minutes: minutes.toFixed(1) });
  const { cases } = (await box.operator('GET', '/operator/cases')).body;
  console.log(cases);
  // Nothing went wrong around the desk, so nothing needs a person.
  assert.deepEqual(cases, []);
} finally {
  await box.end('SIGTERM');
  removeDir(dir);
}
