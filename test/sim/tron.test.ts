import { chainConformance } from '../../src/world/chains/conformance.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { openTronBench } from './tron-bench.ts';

chainConformance('Tron’s coin on the simulator', () => openTronBench(TRX_ASSET), ['restarts', 'market', 'floods']);
chainConformance('USDT on the simulator of Tron', () => openTronBench(USDT_ASSET), ['restarts', 'market']);
