import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type BitcoinWorldOptions, haveBitcoin, startBitcoinWorld } from '../../sandbox/nodes/bitcoin.ts';
import type { BitcoinWorld } from '../../sandbox/nodes/bitcoin-world.ts';
import { LITECOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
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
