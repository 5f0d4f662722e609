import { test } from 'node:test';
import { startSolanaWorld } from '../../sandbox/nodes/solana.ts';
import { surfpoolMissing } from '../../sandbox/nodes/surfpool.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { openSolanaBench } from '../sim/solana-bench.ts';
import { solanaClientStories } from '../sim/solana-clients.ts';
import { solanaReadingsStory } from '../sim/solana-readings.ts';
import { solanaStories } from '../sim/solana-stories.ts';

const missing = surfpoolMissing();
const start = () => startSolanaWorld('real');

if (missing) {
  test('Solana on Surfpool', { skip: missing }, () => {});
} else {
  chainConformance('Solana with SOL on Surfpool', () => openSolanaBench(start, 'SOL'), [
    'reorgs',
    'restarts',
    'refusals',
    'market',
    'floods',
  ]);
  chainConformance('Solana with USDC on Surfpool', () => openSolanaBench(start, 'USDC'), [
    'reorgs',
    'restarts',
    'market',
    'floods',
  ]);
  solanaStories('Surfpool', start);
  solanaReadingsStory('Surfpool', start);
  solanaClientStories('Surfpool', start);
}
