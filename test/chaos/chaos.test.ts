import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Box, newDir, removeDir, startBox } from '../e2e/box.ts';
import { chaos, nodesFound } from './chaos.ts';

const ORDERS = 12;
const MISHAPS = 16;
/** `npm run chaos -- --orders 12 --at-once 12 --mishaps 16 --seed …` plans the same again. */
const seed = Math.floor(Math.random() * 2 ** 32);
const dir = newDir();
let box: Box | undefined;
before(async () => {
  box = await startBox(dir, ...nodesFound());
});
after(async () => {
  await box?.end('SIGTERM');
  removeDir(dir);
});

test(`${ORDERS} customers of every kind while one thing after another fails: swapped or given back, once (seed ${seed})`, async () => {
  assert.ok(box);
  const lines: string[] = [];
  try {
    const endings = await chaos(box, {
      seed,
      orders: ORDERS,
      atOnce: ORDERS,
      mishaps: MISHAPS,
      tell: (line) => lines.push(line),
    });
    assert.equal(
      Object.values(endings).reduce((sum, n) => sum + n, 0),
      ORDERS,
    );
  } catch (error) {
    throw new Error(`after ${lines.join('; ')}`, { cause: error });
  }
});
