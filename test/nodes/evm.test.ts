import { chainConformance } from '../../src/world/chains/conformance.ts';
import { BNB, OPTIMISM, openEvmBench } from './evm-bench.ts';

chainConformance('Arbitrum with ETH', () => openEvmBench('ETH'), ['refusals', 'floods']);
chainConformance('Arbitrum with USDC', () => openEvmBench('USDC'));
chainConformance('Optimism with ETH', () => openEvmBench('ETH', { chainId: OPTIMISM }), ['refusals', 'floods']);
chainConformance('Optimism with WBTC', () => openEvmBench('WBTC', { chainId: OPTIMISM }));
chainConformance('BNB Chain with USDC of 18 decimals', () => openEvmBench('USDC', { chainId: BNB }));
chainConformance('Ethereum with USDT, which answers nothing', () => openEvmBench('USDT', { chainId: 1 }));
