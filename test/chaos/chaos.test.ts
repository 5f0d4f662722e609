import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Box, newDir, removeDir, startBox } from '../e2e/box.ts';
import { chaos, nodesFound } from './chaos.ts';

const ORDERS = 20;
/** `npm run chaos -- --orders 20 --seed …` plans the same again. */
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

test(`${ORDERS} customers of every kind while everything fails in turn: swapped or given back, once (seed ${seed})`, async () => {
  assert.ok(box);
  const lines: string[] = [];
  try {
    const endings = await chaos(box, { seed, orders: ORDERS, atOnce: 8, tell: (line) => lines.push(line) });
    assert.equal(
      Object.values(endings).reduce((sum, n) => sum + n, 0),
      ORDERS,
    );
  } catch (error) {
    throw new Error(`after ${lines.join('; ')}`, { cause: error });
  }
});
