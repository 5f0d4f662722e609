import { test } from 'node:test';
import { haveMonero } from '../../sandbox/nodes/monero.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { conformanceBench, openMoneroBench } from '../sim/monero-bench.ts';
import { moneroClientStories } from '../sim/monero-clients.ts';
import { moneroLockStories } from '../sim/monero-lock-stories.ts';
import { moneroLostWallet } from '../sim/monero-lost-wallet.ts';
import { moneroScanStories } from '../sim/monero-scan-stories.ts';
import { moneroStories } from '../sim/monero-stories.ts';
import { startOwnMonero as start } from './monero-own-node.ts';

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
