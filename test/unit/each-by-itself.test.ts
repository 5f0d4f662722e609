import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneByOne } from '../../src/kernel/each-by-itself.ts';

test('one that fails keeps no other from its turn, and is heard of afterwards', async () => {
  const done: string[] = [];
  const work = async (name: string) => {
    done.push(`${name} begins`);
    await Promise.resolve();
    if (name === 'second') throw new Error('second fails');
    done.push(`${name} ends`);
  };
  await assert.rejects(oneByOne(['first', 'second', 'third'], work), /second fails/);
  assert.deepEqual(done, ['first begins', 'first ends', 'second begins', 'third begins', 'third ends']);
});
