import { chainConformance } from '../../src/world/chains/conformance.ts';
import { openEvmBench } from './evm-bench.ts';

chainConformance('Arbitrum with ETH', () => openEvmBench('ETH'), ['refusals']);
chainConformance('Arbitrum with USDC', () => openEvmBench('USDC'));
