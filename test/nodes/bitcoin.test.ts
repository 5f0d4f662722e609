import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { haveBitcoin, startBitcoinWorld } from '../../sandbox/nodes/bitcoin.ts';
import type { BitcoinWorld } from '../../sandbox/nodes/bitcoin-world.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { conformanceBench, openBitcoinBench } from '../sim/bitcoin-bench.ts';
import { depositStories } from '../sim/bitcoin-deposit-stories.ts';
import { payoutStories } from '../sim/bitcoin-payout-stories.ts';

async function start(): Promise<BitcoinWorld> {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-bitcoin-'));
  const world = await startBitcoinWorld({ dir });
  const close = async () => {
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...world, close };
}

if (haveBitcoin()) {
  chainConformance('Bitcoin on a real node', async () => conformanceBench(await openBitcoinBench(await start())), [
    'refusals',
  ]);
  depositStories('a real node', start);
  payoutStories('a real node', start);
} else {
  test('Bitcoin on a real node', { skip: 'neither bitcoind nor litecoind is on the PATH' }, () => undefined);
}
