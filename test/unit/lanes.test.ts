import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLanes } from '../../src/kernel/lanes.ts';

test('what shares a key goes one after another, whatever becomes of it, and nothing is remembered of it', async () => {
  const tails = new Map<string, Promise<void>>();
  const inLane = openLanes(tails);
  const done: string[] = [];
  const work = (name: string, outcome: () => void) => async () => {
    done.push(`${name} begins`);
    await Promise.resolve();
    outcome();
    done.push(`${name} ends`);
    return name;
  };
  const fail = () => {
    throw new Error('broken');
  };
  const results = [
    inLane(['a'], work('first', fail)).catch(() => 'failed'),
    inLane(
      ['a', 'b'],
      work('second', () => {}),
    ),
    inLane(
      ['b'],
      work('third', () => {}),
    ),
  ];
  assert.equal(tails.size, 2);
  assert.deepEqual(await Promise.all(results), ['failed', 'second', 'third']);
  assert.deepEqual(done, ['first begins', 'second begins', 'second ends', 'third begins', 'third ends']);
  assert.equal(tails.size, 0);
});
