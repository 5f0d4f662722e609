import { createTestClient, type Hex, http, parseAbi, publicActions, walletActions } from 'viem';
import type { HomeChain } from './bridge.ts';

export interface ArbitrumSide extends Pick<HomeChain, 'pollMs' | 'withdrawalDelayMs'> {
  readonly rpcUrl: string;
  readonly usdc: Hex;
  readonly bridge: Hex;
}

const GAS_MONEY = 10n ** 18n;

const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
]);

/** A local Arbitrum, on a node that lets anybody pay in the name of the bridge's contract. */
export function arbitrumHome({ rpcUrl, usdc, bridge, ...paces }: ArbitrumSide): HomeChain {
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl, { retryCount: 0 }) })
    .extend(publicActions)
    .extend(walletActions);
  return {
    ...paces,
    tip: async () => Number(await chain.getBlockNumber({ cacheTime: 0 })),
    async came(first, last) {
      const logs = await chain.getLogs({
        ...{ address: usdc, event: ABI[0], args: { to: bridge }, strict: true },
        ...{ fromBlock: BigInt(first), toBlock: BigInt(last) },
      });
      return logs.map(({ args, transactionHash, logIndex }) => ({
        ...{ key: `${transactionHash}:${logIndex}`, from: args.from.toLowerCase(), micros: args.value },
      }));
    },
    async pay(to, micros) {
      const held = await chain.readContract({ address: usdc, abi: ABI, functionName: 'balanceOf', args: [bridge] });
      if (held < micros) return undefined;
      await chain.setBalance({ address: bridge, value: GAS_MONEY });
      await chain.impersonateAccount({ address: bridge });
      return chain.writeContract({
        ...{ address: usdc, abi: ABI, functionName: 'transfer', args: [to as Hex, micros] },
        ...{ account: bridge, chain: null },
      });
    },
  };
}
