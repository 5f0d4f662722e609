import { startSolanaWorld } from '../../sandbox/nodes/solana.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { openSolanaBench } from './solana-bench.ts';
import { solanaStories } from './solana-stories.ts';

const start = () => startSolanaWorld('simulated');

chainConformance('Solana with SOL on the simulator', () => openSolanaBench(start, 'SOL'), [
  'reorgs',
  'restarts',
  'refusals',
]);
chainConformance('Solana with USDC on the simulator', () => openSolanaBench(start, 'USDC'), ['reorgs', 'restarts']);
solanaStories('the simulator', start);
