import { chainConformance } from '../../src/world/chains/conformance.ts';
import { conformanceBench, startBench } from './zcash-bench.ts';

chainConformance('Zcash on the simulator', async () => conformanceBench(await startBench()), [
  'restarts',
  'refusals',
  'market',
  'floods',
]);
