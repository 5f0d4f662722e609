import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import type { Unfinal } from '../../src/life/transfer/not-final-yet.ts';
import { hotReader, type Reading } from '../../src/life/transfer/readings.ts';
import type { Chain } from '../../src/world/chains/chain.ts';

const [COIN, TOKEN] = ['1:coin', '1:token'] as AssetId[] as [AssetId, AssetId];

function openRoom() {
  const held = new Map<AssetId, bigint>([COIN, TOKEN].map((asset) => [asset, 5n]));
  const expected = new Map<AssetId, bigint>(held);
  const coming = new Map<AssetId, Unfinal>();
  const asked: AssetId[] = [];
  const saved: [AssetId, Reading][] = [];
  const of = (book: Map<AssetId, bigint>, asset: AssetId): Atoms => atoms(book.get(asset) ?? 0n);
  const chain = {
    facts: { assets: [COIN, TOKEN].map((id) => ({ id, native: id === COIN })) },
    hotAddress: 'hot',
    terms: async () => ({ usual: atoms(7n) }),
    async balance(_: 'hot', asset: AssetId) {
      asked.push(asset);
      return { spendable: of(held, asset), locked: atoms(0n) };
    },
  } as unknown as Chain;
  const read = hotReader(chain, {
    expectedOnHot: async (asset) => of(expected, asset),
    unfinal: async (asset) => coming.get(asset) ?? { mined: 0n, pool: 0n },
    saveReading: async (asset, reading) => void saved.push([asset, reading]),
  });
  /** What a round asked the chain for. */
  const round = async (isAll: boolean): Promise<readonly AssetId[]> => {
    await read(isAll);
    return asked.splice(0);
  };
  return { held, expected, coming, saved, round };
}

test('what agreed is left alone until all is looked at again', async () => {
  const { round } = openRoom();
  assert.deepEqual(await round(true), [COIN, TOKEN]);
  assert.deepEqual(await round(false), []);
  assert.deepEqual(await round(true), [COIN, TOKEN]);
});

test('what the ledger has moved is read in the next round', async () => {
  const { round, expected, held, saved } = openRoom();
  await round(true);
  expected.set(TOKEN, 3n);
  held.set(TOKEN, 3n);
  assert.deepEqual(await round(false), [TOKEN]);
  assert.deepEqual(saved.at(-1), [TOKEN, { spendable: 3n, locked: 0n, expected: 3n, unfinal: 0n, cost: undefined }]);
  assert.deepEqual(await round(false), []);
});

test('what differs is read in every round, until it agrees', async () => {
  const { round, held, saved } = openRoom();
  held.set(COIN, 4n);
  await round(true);
  assert.deepEqual([await round(false), await round(false)], [[COIN], [COIN]]);
  held.set(COIN, 5n);
  assert.deepEqual([await round(false), await round(false)], [[COIN], []]);
  assert.equal(saved.at(-1)?.[1].spendable, 5n);
});

test('the cost of a transfer is noted with the coin, when all is looked at', async () => {
  const { round, saved, held } = openRoom();
  held.set(COIN, 4n);
  await round(true);
  await round(false);
  assert.deepEqual(
    saved.map(([asset, { cost }]) => [asset, cost]),
    [
      [COIN, 7n],
      [TOKEN, undefined],
      [COIN, undefined],
    ],
  );
});

test('what came and is not final is no drift, and hides none', async () => {
  const { round, held, coming, saved } = openRoom();
  const drift = async (holds: bigint, unfinal: Unfinal): Promise<bigint> => {
    held.set(COIN, holds);
    coming.set(COIN, unfinal);
    await round(true);
    const {
      spendable,
      locked,
      expected,
      unfinal: coins,
    } = present(
      saved.findLast(([asset]) => asset === COIN),
      'coin',
    )[1];
    return spendable + locked - expected - coins;
  };
  assert.equal(await drift(8n, { mined: 3n, pool: 0n }), 0n, 'a deposit of three has four of ten confirmations');
  assert.equal(await drift(5n, { mined: 3n, pool: 0n }), -3n, 'it came, and as much was stolen');
  assert.equal(await drift(9n, { mined: 3n, pool: 0n }), 1n, 'somebody sent one that no scanner saw');
  assert.equal(await drift(7n, { mined: 0n, pool: 2n }), 0n, 'this wallet counts what is in the pool');
  assert.equal(await drift(5n, { mined: 0n, pool: 2n }), 0n, 'and this one does not');
  assert.equal(await drift(4n, { mined: 0n, pool: 2n }), -1n);
});
