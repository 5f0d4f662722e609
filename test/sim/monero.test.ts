import { startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { conformanceBench, HOT_KEYS, openMoneroBench } from './monero-bench.ts';
import { moneroStories } from './monero-stories.ts';

const start = () => startMoneroSimulator({ hotAddress: HOT_KEYS.address });

chainConformance('Monero on the simulator', async () => conformanceBench(await openMoneroBench(await start())));
moneroStories('the simulator', start);
