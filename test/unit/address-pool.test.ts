import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { type Family, fillPool } from '../../src/life/deposit/addresses.ts';

test('the first few addresses of an empty pool are there before all are made', async () => {
  const issued: Address[] = [];
  let taken = 0;
  const made: [number, number][] = [];
  const chain = {
    depositAddresses: async (first: number, count: number) => {
      made.push([first, count]);
      return Array.from({ length: count }, (_, n) => `address ${first + n}` as Address);
    },
  };
  // Nobody has heard of it yet.
  const away = { depositAddresses: () => Promise.reject(new Fault('transient', 'chain:10', 'not open')) };
  const books = {
    pool: async () => ({ free: issued.length - taken, next: issued.length }),
    issue: async (_: string, first: number, addresses: readonly Address[]) => {
      assert.equal(first, issued.length);
      issued.push(...addresses);
    },
  };
  const fill = (...chains: Family['chains']) => fillPool({ family: 'somewhere', chains }, books, 100);
  assert.deepEqual(
    [await fill(chain), await fill(away, chain), await fill(chain, away), await fill(away)],
    [true, true, false, false],
  );
  assert.deepEqual(made, [
    [0, 8],
    [8, 64],
    [72, 28],
  ]);
  taken = 3;
  await assert.rejects(fill(away), /not open/);
  assert.equal(await fill(chain), false);
  assert.deepEqual(made.at(-1), [100, 3]);
});
