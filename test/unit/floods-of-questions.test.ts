import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '../../src/kernel/ids.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { BITCOIN } from '../../src/world/chains/bitcoin/networks.ts';
import type { BitcoinNode } from '../../src/world/chains/bitcoin/node.ts';
import { PoolWatch } from '../../src/world/chains/bitcoin/pool.ts';
import type { EvmNode } from '../../src/world/chains/evm/node.ts';
import { scanBlocks } from '../../src/world/chains/evm/scan.ts';
import { ENDS } from '../life/market.ts';

/** Nodes turn away whoever asks too much at once, and a page that is never answered is never saved. */
const CROWD = 300;
const MOST_AT_ONCE = 8;

/** How many questions are open at the same moment at most. */
function counting() {
  const open = { now: 0, most: 0, asked: 0 };
  const ask = async <T>(answer: T): Promise<T> => {
    open.asked += 1;
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    await new Promise(setImmediate);
    open.now -= 1;
    return answer;
  };
  return { open, ask };
}

test('who sends hundreds of payments in one block has a node of an EVM network asked about a few at once', async () => {
  const { open, ask } = counting();
  const facts = ENDS.buy.chain;
  const ours = '0x00000000000000000000000000000000000000AA' as Address;
  const from = '0x00000000000000000000000000000000000000bB' as Address;
  const blockAt = (height: number) => ({ height, hash: `0x${height}` });
  const transactions = Array.from({ length: CROWD }, (_, at) => {
    const hash = txHash(`0x${at.toString(16).padStart(64, '0')}`);
    return { hash, from, to: ours, value: 1n, nonce: at, isMined: true };
  });
  const node = {
    at: `chain:${facts.id}`,
    heads: async () => ({ tip: 2, safe: 2, finalized: 2 }),
    hashAt: async (height: number) => blockAt(height).hash,
    block: async (height: number) => ({ ...blockAt(height), parentHash: '0x1', hasLogs: false, transactions }),
    address: (value: unknown) => value as Address,
    receipt: () => ask({ block: blockAt(2), ok: true, cost: 1n }),
    isPlainAccount: () => ask(true),
  } as unknown as EvmNode;
  const cursor = { height: 1, recent: [blockAt(1)] };
  const watched = async () => new Set([ours]);
  const page = await scanBlocks(node, { facts, hotAddress: from }, cursor, watched, async () => []);
  assert.equal(page.sightings.length, CROWD);
  assert.deepEqual([open.asked, open.most], [2 * CROWD, MOST_AT_ONCE]);
});

test('who has hundreds of payments to us wait in a pool that is too large to list has them asked for a few at once', async () => {
  const { open, ask } = counting();
  const script = `0014${'ab'.repeat(20)}`;
  const payments = new Map(
    Array.from({ length: CROWD }, (_, at) => {
      const txid = at.toString(16).padStart(64, '0');
      return [txid, { txid, version: 2, inputs: [], outputs: [{ atoms: 100_000n, script }], lockTime: 0 }];
    }),
  );
  let size = CROWD;
  const node = {
    poolSize: async () => size,
    pool: async () => [...payments.keys()],
    feeRates: async () => ({ estimate: undefined, least: 1n }),
    transaction: (txid: string) => ask({ tx: payments.get(txid), blockHash: undefined }),
  } as unknown as BitcoinNode;
  const watch = new PoolWatch({ node, network: BITCOIN, hot: 'hot' as Address });
  const watched = async (some: readonly Address[]) => new Set(some);
  assert.equal((await watch.look(watched)).length, CROWD);
  size = 1_000_000;
  assert.equal((await watch.look(watched)).length, CROWD);
  assert.deepEqual([open.asked, open.most], [2 * CROWD, MOST_AT_ONCE]);
});
