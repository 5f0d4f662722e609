import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { haveMonero, startMoneroWorld } from '../../sandbox/nodes/monero.ts';
import type { MoneroWorld } from '../../sandbox/nodes/monero-world.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { conformanceBench, HOT_KEYS, openMoneroBench } from '../sim/monero-bench.ts';
import { moneroClientStories } from '../sim/monero-clients.ts';
import { moneroLockStories } from '../sim/monero-lock-stories.ts';
import { moneroLostWallet } from '../sim/monero-lost-wallet.ts';
import { moneroScanStories } from '../sim/monero-scan-stories.ts';
import { moneroStories } from '../sim/monero-stories.ts';

/** The first blocks are found once for both suites. */
const cacheDir = mkdtempSync(join(tmpdir(), 'wherry-monero-cache-'));
process.once('exit', () => rmSync(cacheDir, { recursive: true, force: true }));

async function start(): Promise<MoneroWorld> {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-monero-'));
  const world = await startMoneroWorld({ dir: join(dir, 'world'), hotAddress: HOT_KEYS.address, cacheDir });
  const close = async () => {
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...world, close };
}

if (haveMonero()) {
  chainConformance('Monero on its own node', async () => conformanceBench(await openMoneroBench(await start())), [
    'restarts',
    'refusals',
    'market',
    'floods',
  ]);
  moneroLockStories('its own node', start);
  moneroScanStories('its own node', start);
  moneroStories('its own node', start);
  moneroClientStories('its own node', start);
  moneroLostWallet('its own node', start);
} else {
  test('Monero on its own node', { skip: 'monerod and monero-wallet-rpc are not on the PATH' }, () => undefined);
}
