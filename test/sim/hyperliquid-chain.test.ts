import { chainConformance } from '../../src/world/chains/conformance.ts';
import { openVenueChainBench } from './hyperliquid-chain-bench.ts';

/** Its accounts are those of EVM networks, so the addresses of that family are its own. */
async function openBench(token: 'XMR1' | 'USDC') {
  const bench = await openVenueChainBench(token);
  const { chain } = bench;
  return { ...bench, chain: { ...chain, facts: { ...chain.facts, family: 'evm' as const } } };
}

const LACKS = ['reorgs', 'restarts', 'market', 'floods'] as const;

chainConformance('The venue with XMR1 on its simulator', () => openBench('XMR1'), LACKS);
chainConformance('The venue with USDC on its simulator', () => openBench('USDC'), LACKS);
