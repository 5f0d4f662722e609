import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainId } from '../../src/kernel/ids.ts';
import { EvmNode } from '../../src/world/chains/evm/node.ts';
import { SolanaNode } from '../../src/world/chains/solana/node.ts';
import { TronNode } from '../../src/world/chains/tron/node.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';

/** A node that answers by method, as JSON-RPC does. */
const rpc =
  (answers: Readonly<Record<string, unknown>>): Outbound =>
  async ({ body }) => {
    const { id, method } = JSON.parse(body ?? '{}') as { id: number; method: string };
    return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }) };
  };

test('the time of the newest block is told in milliseconds, whatever its chain counts in', async () => {
  const evm = new EvmNode(chainId(1), 'http://node', rpc({ eth_getBlockByNumber: { timestamp: '0x65920080' } }));
  assert.equal(await evm.newestTime(), Date.UTC(2024, 0, 1));
  const solana = new SolanaNode('http://node', rpc({ getSlot: 7, getBlock: { blockTime: 1_704_067_200 } }));
  assert.equal(await solana.newestTime(), Date.UTC(2024, 0, 1));
  const header = { number: 7, timestamp: 1_704_067_200_123, parentHash: 'ab'.repeat(32) };
  const block = { blockID: 'cd'.repeat(32), block_header: { raw_data: header } };
  const tron = new TronNode('http://node', undefined, async () => ({ status: 200, body: JSON.stringify(block) }));
  assert.equal((await tron.newest('wallet')).time, Date.UTC(2024, 0, 1) + 123);
});

test('a node that does not say is a fault, and no time', async () => {
  const evm = new EvmNode(chainId(1), 'http://node', rpc({ eth_getBlockByNumber: null }));
  await assert.rejects(evm.newestTime(), { name: 'Fault' });
  const solana = new SolanaNode('http://node', rpc({ getSlot: 7, getBlock: { blockTime: null } }));
  await assert.rejects(solana.newestTime(), { name: 'Fault' });
});
