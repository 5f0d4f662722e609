import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSolanaWorld } from '../../sandbox/nodes/solana.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import type { ChainBench } from '../../src/world/chains/conformance.ts';
import { USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { httpOutbound, type Outbound, type OutboundCall } from '../../src/world/outbound/http.ts';
import { openSolanaBench } from '../sim/solana-bench.ts';
import { openTronBench } from '../sim/tron-bench.ts';
import { openEvmBench } from './evm-bench.ts';

/** The wall between us and the node, for blocks alone: real blocks would fill it with megabytes. */
interface Wall {
  usualBytes?: number;
  largeBytes?: number;
}

interface Network {
  readonly name: string;
  /** Whether this call asks for a block with its transactions. */
  readonly asksBlock: (call: OutboundCall) => boolean;
  /** Too little for the block that pays, and for many empty ones. */
  readonly usualBytes: number;
  open(outbound: Outbound): Promise<ChainBench>;
}

const NETWORKS: readonly Network[] = [
  {
    name: 'Tron',
    asksBlock: ({ label }) => /getblockbylimitnext|infobyblocknum/.test(label),
    usualBytes: 900,
    open: (outbound) => openTronBench(USDT_ASSET, outbound),
  },
  {
    name: 'an EVM network',
    asksBlock: ({ label, body = '' }) => label === 'eth_getBlockByNumber' && body.includes('true]'),
    usualBytes: 1_000,
    open: (outbound) => openEvmBench('USDC', { outbound }),
  },
  {
    name: 'Solana',
    asksBlock: ({ label }) => /^getBlock$|^getTransaction$/.test(label),
    usualBytes: 400,
    open: (outbound) => openSolanaBench(() => startSolanaWorld('simulated'), 'USDC', outbound),
  },
];

for (const { name, asksBlock, usualBytes, open } of NETWORKS)
  test(`${name} is read past blocks that are larger than a usual reply, and one that is larger still is named`, async () => {
    const wall: Wall = {};
    const sizes: number[] = [];
    const outbound: Outbound = async (call) => {
      const maxBytes = call.maxBytes === undefined ? wall.usualBytes : wall.largeBytes;
      if (!asksBlock(call) || maxBytes === undefined) return httpOutbound(call);
      const reply = await httpOutbound({ ...call, maxBytes });
      sizes.push(reply.body.length);
      return reply;
    };
    const bench = await open(outbound);
    try {
      const { follower, address } = await followFresh(bench.chain);
      const { txHash } = await bench.pay(address, bench.unit);
      await bench.mine(24);
      Object.assign(wall, { usualBytes, largeBytes: usualBytes });
      await assert.rejects(
        follower.catchUp(),
        /(block \d+|transaction \w+) (did )?cannot be read: .*: reply over \d+ bytes/,
      );
      Object.assign(wall, { largeBytes: 1_000_000 });
      await follower.catchUp();
      assert.equal(follower.only(txHash).atoms, bench.unit);
      assert.ok(Math.max(...sizes) > usualBytes, 'a block was larger');
    } finally {
      await bench.close();
    }
  });

test('Solana is read past a block that is larger than any reply: transaction by transaction, and all the same', async () => {
  let isFull = false;
  const outbound: Outbound = async (call) => {
    const asksAll = call.label === 'getBlock' && call.body?.includes('"accounts"');
    return httpOutbound(isFull && asksAll ? { ...call, maxBytes: 400 } : call);
  };
  const bench = await openSolanaBench(() => startSolanaWorld('simulated'), 'USDC', outbound);
  try {
    const { chain } = bench;
    const { follower, address } = await followFresh(chain);
    const { cursor } = follower;
    const { txHash } = await bench.pay(address, bench.unit);
    await bench.mine(24);
    await follower.catchUp();
    const whole = follower.only(txHash);
    const standing = await chain.standing([whole]);
    isFull = true;
    const again = new Follower(chain, [address], cursor);
    await again.catchUp();
    const inParts = again.only(txHash);
    assert.deepEqual(inParts, whole);
    assert.deepEqual(await chain.standing([inParts]), standing);
  } finally {
    await bench.close();
  }
});
