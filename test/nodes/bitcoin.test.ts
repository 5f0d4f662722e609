import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type BitcoinWorldOptions, haveBitcoin, startBitcoinWorld } from '../../sandbox/nodes/bitcoin.ts';
import { atomsOf } from '../../sandbox/nodes/bitcoin-wallet.ts';
import type { BitcoinWorld } from '../../sandbox/nodes/bitcoin-world.ts';
import { present } from '../../src/kernel/assert.ts';
import { LITECOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { familyOf } from '../e2e/processes.ts';
import { conformanceBench, openBitcoinBench } from '../sim/bitcoin-bench.ts';
import { bitcoinClientStories } from '../sim/bitcoin-clients.ts';
import { depositStories } from '../sim/bitcoin-deposit-stories.ts';
import { payoutStories } from '../sim/bitcoin-payout-stories.ts';
import { reorgStories } from '../sim/bitcoin-reorg-stories.ts';

async function startOn(options: Omit<BitcoinWorldOptions, 'dir'>): Promise<BitcoinWorld> {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-bitcoin-'));
  const world = await startBitcoinWorld({ ...options, dir });
  const close = async () => {
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...world, close };
}

const start = () => startOn({});

if (haveBitcoin()) {
  chainConformance('Bitcoin on a real node', async () => conformanceBench(await openBitcoinBench(await start())), [
    'refusals',
    'floods',
  ]);
  depositStories('a real node', start);
  payoutStories('a real node', start);
  bitcoinClientStories('a real node', start);
  reorgStories('a real node', start);

  test('the customer of a real node pays little more than it asks for, or it would have the desk pay as much', async () => {
    const world = await start();
    try {
      const to = await world.freshDestination();
      for (const payments of [1, 20]) {
        const txid = await world.payAll(...Array.from({ length: payments }, () => ({ to, atoms: 50_000n })));
        const { fees, vsize } = (await world.rpc('getmempoolentry', [txid])) as {
          fees: { base: number };
          vsize: number;
        };
        const rate = Number(atomsOf(fees.base)) / vsize;
        assert.ok(rate >= 10 && rate <= 20, `${rate} for a virtual byte`);
      }
    } finally {
      await world.close();
    }
  });

  test('a real node that is killed outright has the blocks that were made, and what waited for one', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'wherry-bitcoin-'));
    const world = await startBitcoinWorld({ dir });
    try {
      const [mined, waiting] = [await world.freshDestination(), await world.freshDestination()];
      await world.pay({ token: 'BTC', to: mined, atoms: 50_000n });
      await world.mine(2);
      const height = await world.rpc('getblockcount');
      const { txHash } = await world.pay({ token: 'BTC', to: waiting, atoms: 60_000n });
      const node = familyOf(process.pid).find(({ command }) => command.includes(dir));
      process.kill(present(node, 'the node').pid, 'SIGKILL');
      const pool = () => world.rpc('getrawmempool').catch(() => undefined);
      let known = await pool();
      while (!Array.isArray(known) || !known.includes(txHash)) {
        await pause(20);
        known = await pool();
      }
      assert.equal(await world.rpc('getblockcount'), height);
      await world.mine(1);
      assert.equal((await world.received('BTC', mined)).total, 50_000n);
      assert.equal((await world.received('BTC', waiting)).total, 60_000n);
    } finally {
      await world.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
} else {
  test('Bitcoin on a real node', { skip: 'neither bitcoind nor litecoind is on the PATH' }, () => undefined);
}

if (haveBitcoin(LITECOIN_REGTEST)) {
  chainConformance(
    'Litecoin on a real node',
    async () => conformanceBench(await openBitcoinBench(await startOn({ network: LITECOIN_REGTEST }))),
    ['refusals', 'floods'],
  );
} else {
  test('Litecoin on a real node', { skip: 'litecoind is not on the PATH' }, () => undefined);
}
