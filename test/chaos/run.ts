/**
 * npm run chaos [-- --orders N] [--at-once N] [--mishaps N] [--seed N] [--simulated]
 * Customers on a whole sandbox while everything around them fails in turn, then the verdict of the chains. Real nodes, where this
 * computer has them; a seed repeats what was planned, not what the processes make of it.
 */
import { parseArgs } from 'node:util';
import { newDir, removeDir, startBox } from '../e2e/box.ts';
import { chaos, nodesFound } from './chaos.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '100' },
    'at-once': { type: 'string', default: '8' },
    mishaps: { type: 'string' },
    seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 32)}` },
    simulated: { type: 'boolean', default: false },
  },
});
const dir = newDir();
const startedAt = performance.now();
const tell = (line: string) =>
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${line}`);
tell(`seed ${values.seed}`);
const box = await startBox(dir, ...(values.simulated ? [] : nodesFound()));
try {
  const { orders, seed, mishaps } = values;
  const plan = { seed: Number(seed), orders: Number(orders), atOnce: Number(values['at-once']), tell };
  console.log(await chaos(box, mishaps === undefined ? plan : { ...plan, mishaps: Number(mishaps) }));
  console.log((await box.operator('GET', '/operator/cases')).body.cases);
} finally {
  await box.end('SIGTERM');
  removeDir(dir);
}
