import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { together } from '../../src/engine/together.ts';

const SQUARES = [1, 2, 3].map((of) => ({ of, square: of * of }));

function asking() {
  const questions: (readonly number[])[] = [];
  let isDown = false;
  const ask = together(
    async (of: readonly number[]) => {
      questions.push(of);
      if (isDown) throw new Error('down');
      return SQUARES.filter((one) => of.includes(one.of)).reverse();
    },
    ({ of }) => of,
  );
  return { ask, questions, fail: (fails: boolean) => (isDown = fails) };
}

test('who asks in one turn is answered by one question, and who asks later by the next', async () => {
  const { ask, questions } = asking();
  const first = Promise.all([ask(1), Promise.resolve().then(() => ask(3)), ask(4), ask(1)]);
  await turn();
  const second = ask(2);
  const squares = (await first).map((one) => one?.square);
  assert.deepEqual([...squares, (await second)?.square], [1, 9, undefined, 1, 4]);
  assert.deepEqual(
    questions.map((of) => of.length),
    [4, 1],
  );
});

test('a failure is told to all who asked with it, and to nobody after them', async () => {
  const { ask, fail } = asking();
  fail(true);
  const told = await Promise.allSettled([ask(1), ask(2)]);
  assert.deepEqual(
    told.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  fail(false);
  assert.equal((await ask(2))?.square, 4);
});

test('no question is without end', async () => {
  const { ask, questions } = asking();
  await Promise.all(Array.from({ length: 300 }, (_, of) => ask(of)));
  assert.deepEqual(
    questions.map((of) => of.length),
    [256, 44],
  );
});
