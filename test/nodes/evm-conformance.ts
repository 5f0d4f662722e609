import { chainConformance, type Lack } from '../../src/world/chains/conformance.ts';
import { ARBITRUM, BNB, ETHEREUM, OPTIMISM, openEvmBench } from './evm-bench.ts';

/** The same for the real node and for the one that stands in for it. */
export function evmConformance(kind: 'real' | 'simulated'): void {
  const on = kind === 'real' ? 'anvil' : 'the simulator';
  const hold = (name: string, symbol: string, chainId: number, leavesOut: readonly Lack[] = []) =>
    chainConformance(`${name} on ${on}`, () => openEvmBench(symbol, { chainId, kind }), leavesOut);
  hold('Arbitrum with ETH', 'ETH', ARBITRUM, ['refusals', 'floods']);
  hold('Arbitrum with USDC', 'USDC', ARBITRUM);
  hold('Optimism with ETH', 'ETH', OPTIMISM, ['refusals', 'floods']);
  hold('Optimism with WBTC', 'WBTC', OPTIMISM);
  hold('BNB Chain with USDC of 18 decimals', 'USDC', BNB);
  hold('Ethereum with USDT, which answers nothing', 'USDT', ETHEREUM);
}
