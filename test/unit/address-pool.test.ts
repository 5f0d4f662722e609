import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '../../src/kernel/ids.ts';
import { fillPool } from '../../src/life/deposit/addresses.ts';
import type { Chain } from '../../src/world/chains/chain.ts';

test('the first few addresses of an empty pool are there before all are made', async () => {
  const issued: Address[] = [];
  let taken = 0;
  const made: [number, number][] = [];
  const chain = {
    facts: { family: 'somewhere' },
    depositAddresses: async (first: number, count: number) => {
      made.push([first, count]);
      return Array.from({ length: count }, (_, n) => `address ${first + n}` as Address);
    },
  } as unknown as Chain;
  const books = {
    pool: async () => ({ free: issued.length - taken, next: issued.length }),
    issue: async (_: string, first: number, addresses: readonly Address[]) => {
      assert.equal(first, issued.length);
      issued.push(...addresses);
    },
  };
  const fill = () => fillPool(chain, books, 100);
  assert.deepEqual([await fill(), await fill(), await fill(), await fill()], [true, true, false, false]);
  assert.deepEqual(made, [
    [0, 8],
    [8, 64],
    [72, 28],
  ]);
  taken = 3;
  assert.equal(await fill(), false);
  assert.deepEqual(made.at(-1), [100, 3]);
});
