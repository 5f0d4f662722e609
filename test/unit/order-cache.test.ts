import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheOrders } from '../../src/engine/order-cache.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import type { Placed } from '../../src/store/orders.ts';

const ID = 'sw_one' as OrderId;
const placed = (version: number): Placed => ({ order: { id: ID, version } }) as unknown as Placed;
const versionOf = async (found: Promise<Placed | undefined>) => (await found)?.order.version;

test('an order is read once between two changes, however often it is asked for', async () => {
  let version = 1;
  let reads = 0;
  const cache = cacheOrders(async () => {
    reads += 1;
    return placed(version);
  });
  const asked = await Promise.all([cache.find(ID), cache.find(ID), cache.find(ID)]);
  assert.deepEqual(
    asked.map((one) => one?.order.version),
    [1, 1, 1],
  );
  assert.equal(await versionOf(cache.find(ID)), 1);
  assert.equal(reads, 1);
  version = 2;
  cache.forget(ID);
  assert.equal(await versionOf(cache.find(ID)), 2);
  assert.equal(reads, 2);
});

test('what was read while it changed is not kept', async () => {
  const answers: ((placed: Placed) => void)[] = [];
  const cache = cacheOrders(() => new Promise((resolve) => answers.push(resolve)));
  const before = cache.find(ID);
  cache.forget(ID);
  const after = cache.find(ID);
  answers[1]?.(placed(2));
  assert.equal(await versionOf(after), 2);
  answers[0]?.(placed(1));
  assert.equal(await versionOf(before), 1);
  assert.equal(await versionOf(cache.find(ID)), 2);
});

test('a missing order and a failed read are asked for again, and the oldest gives way', async () => {
  let reads = 0;
  const cache = cacheOrders(async (id) => {
    reads += 1;
    if (reads === 1) throw new Error('no database');
    return reads === 2 ? undefined : ({ order: { id, version: reads } } as unknown as Placed);
  }, 1);
  await assert.rejects(cache.find(ID));
  assert.equal(await cache.find(ID), undefined);
  assert.equal(await versionOf(cache.find(ID)), 3);
  assert.equal(await versionOf(cache.find('sw_two' as OrderId)), 4);
  assert.equal(await versionOf(cache.find(ID)), 5);
  cache.forgetAll();
  assert.equal(await versionOf(cache.find(ID)), 6);
});
