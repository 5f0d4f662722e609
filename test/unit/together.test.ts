import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { together } from '../../src/engine/together.ts';

const SQUARES = [1, 2, 3].map((of) => ({ of, square: of * of }));

function asking() {
  const questions: (readonly number[])[] = [];
  let isBroken = (_: number): boolean => false;
  const ask = together(
    async (of: readonly number[]) => {
      questions.push(of);
      if (of.some(isBroken)) throw new Error('broken');
      return SQUARES.filter((one) => of.includes(one.of)).reverse();
    },
    ({ of }) => of,
  );
  return { ask, questions, fail: (which: typeof isBroken) => (isBroken = which) };
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

test('what cannot be answered fails alone, not whoever asked in the same turn, and nobody after them', async () => {
  const { ask, fail } = asking();
  const told = async () => (await Promise.allSettled([ask(1), ask(2), ask(3)])).map(({ status }) => status);
  fail((of) => of === 2);
  assert.deepEqual(await told(), ['fulfilled', 'rejected', 'fulfilled']);
  fail(() => true);
  assert.deepEqual(await told(), ['rejected', 'rejected', 'rejected']);
  fail(() => false);
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
