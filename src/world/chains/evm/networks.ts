import { present } from '../../../kernel/assert.ts';
import { type Address, chainId, tokenOf } from '../../../kernel/ids.ts';
import type { Asset, ChainFacts, Heads, Tier } from '../chain.ts';
import { evmAsset, parseEvmAddress } from './codec.ts';

/** A number of confirmations, or a tag of the node; `about` is the depth at which the tag usually arrives. */
export type Finality = { readonly depth: number } | { readonly tag: 'safe' | 'finalized'; readonly about: number };

export type FinalityPolicy = Readonly<Record<Tier, Finality>>;

export interface EvmNetwork {
  readonly facts: ChainFacts;
  readonly finality: FinalityPolicy;
}

interface NetworkLine {
  readonly id: number;
  readonly name: string;
  readonly coin: string;
  readonly coinName: string;
  /** USDC by its issuer, never a bridged copy of it. */
  readonly usdc: string;
  readonly finality: FinalityPolicy;
  readonly depositSeconds: number;
  readonly payoutSeconds: number;
}

const MIN_SWAP_USD = 20;
const ADDRESS_EXAMPLE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

/**
 * A new network is one more entry. Its fees must be gas × price alone: networks that charge for data beside it (OP stack)
 * need more than that.
 */
const LINES: readonly NetworkLine[] = [
  {
    id: 42161,
    name: 'Arbitrum',
    coin: 'ETH',
    coinName: 'Ether',
    usdc: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    finality: { small: { tag: 'safe', about: 2400 }, large: { tag: 'finalized', about: 4800 } },
    depositSeconds: 600,
    payoutSeconds: 5,
  },
  {
    id: 1,
    name: 'Ethereum',
    coin: 'ETH',
    coinName: 'Ether',
    usdc: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    finality: { small: { depth: 12 }, large: { tag: 'finalized', about: 80 } },
    depositSeconds: 160,
    payoutSeconds: 24,
  },
];

export const EVM_NETWORKS: readonly EvmNetwork[] = LINES.map(network);

export function evmNetwork(id: number): EvmNetwork {
  return present(
    EVM_NETWORKS.find(({ facts }) => facts.id === id),
    `EVM network ${id}`,
  );
}

/** The same network under an operator's own policy; what is shown to customers follows it. */
export function withFinality({ facts }: EvmNetwork, finality: FinalityPolicy): EvmNetwork {
  return { facts: { ...facts, requiredConfirmations: confirmationsOf(finality.small) }, finality };
}

function confirmationsOf(finality: Finality): number {
  return 'depth' in finality ? finality.depth : finality.about;
}

/** Has the tag come, or the depth, for a block at this height? A tag shows as one block short until it comes. */
export function depthUnder(finality: Finality, height: number, heads: Heads): { have: number; need: number } {
  const need = confirmationsOf(finality);
  const confirmations = Math.max(0, heads.tip - height + 1);
  if ('depth' in finality) return { have: confirmations, need };
  return {
    have: height <= heads[finality.tag] ? Math.max(confirmations, need) : Math.min(confirmations, need - 1),
    need,
  };
}

function network(line: NetworkLine): EvmNetwork {
  const usdc = present(parseEvmAddress(line.usdc), `USDC of ${line.name}`);
  const facts: ChainFacts = {
    id: chainId(line.id),
    name: line.name,
    family: 'evm',
    nativeSymbol: line.coin,
    assets: [asset(line, undefined, line.coin, line.coinName, 18), asset(line, usdc, 'USDC', 'USD Coin', 6)],
    minSwapUsd: MIN_SWAP_USD,
    addressExample: ADDRESS_EXAMPLE,
    deposits: 'top_up',
    collectsTokens: true,
    requiredConfirmations: confirmationsOf(line.finality.small),
    depositSeconds: line.depositSeconds,
    payoutSeconds: line.payoutSeconds,
  };
  return { facts, finality: line.finality };
}

function asset(
  line: NetworkLine,
  contract: Address | undefined,
  symbol: string,
  name: string,
  decimals: number,
): Asset {
  const chain = chainId(line.id);
  const id = evmAsset(chain, contract);
  return { id, chainId: chain, token: tokenOf(id), symbol, name, decimals, native: contract === undefined };
}
