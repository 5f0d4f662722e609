import { present } from '../../../kernel/assert.ts';
import { type Address, chainId, tokenOf } from '../../../kernel/ids.ts';
import { type Ratio, ratio } from '../../../kernel/ratio.ts';
import type { Asset, ChainFacts, Heads, Tier } from '../chain.ts';
import { evmAsset, parseEvmAddress } from './codec.ts';

/** A number of confirmations, or a tag of the node; `about` is the depth at which the tag usually arrives. */
export type Finality = { readonly depth: number } | { readonly tag: 'safe' | 'finalized'; readonly about: number };

export type FinalityPolicy = Readonly<Record<Tier, Finality>>;

export interface EvmNetwork {
  readonly facts: ChainFacts;
  readonly finality: FinalityPolicy;
  readonly fees: FeePolicy;
  /** Tells what a transaction pays for its data beside gas × price; undefined where gas × price is all. */
  readonly dataFeeOracle: Address | undefined;
  /** Code may stand in for accounts there (EIP-7702), so tokens may be collected by the hot account. */
  readonly delegates: boolean;
}

/** Bounds on what a unit of gas may cost, in wei. */
export interface FeePolicy {
  /** Above this we wait rather than pay. */
  readonly maxFeePerGas: bigint;
  /** Nodes of a network refuse what offers less. */
  readonly minPriorityFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** By how much a unit may become dearer between sending gas ahead and using it; what is not used stays behind. */
  readonly aheadMargin: Ratio;
}

interface TokenLine {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly contract: string;
}

interface NetworkLine {
  readonly id: number;
  readonly name: string;
  readonly coin: readonly [symbol: string, name: string];
  readonly tokens: readonly TokenLine[];
  readonly finality: FinalityPolicy;
  readonly depositSeconds: number;
  readonly payoutSeconds: number;
  /** A payout that is not mined after so long is outbid. */
  readonly stuckSeconds: number;
  /** Where it differs from most networks. */
  readonly fees?: Partial<FeePolicy>;
  readonly dataFeeOracle?: string;
}

const MIN_SWAP_USD = 20;
const ADDRESS_EXAMPLE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const GWEI = 1_000_000_000n;
const FEES: FeePolicy = {
  maxFeePerGas: 1_000n * GWEI,
  minPriorityFeePerGas: GWEI / 100n,
  maxPriorityFeePerGas: 100n * GWEI,
  aheadMargin: ratio(27n, 25n),
};
/** Blocks come within two seconds, and the price stands at its floor most of the time. */
const STEADY = { aheadMargin: ratio(51n, 50n) };

/** USDC by its issuer, never a bridged copy of it; BNB Chain has none, and its pegged one counts 18 decimals. */
const usdc = (contract: string, decimals = 6): TokenLine => ({ symbol: 'USDC', name: 'USD Coin', decimals, contract });
const usdt = (contract: string, decimals = 6): TokenLine => ({
  symbol: 'USDT',
  name: 'Tether USD',
  decimals,
  contract,
});
const wbtc = (contract: string): TokenLine => ({ symbol: 'WBTC', name: 'Wrapped BTC', decimals: 8, contract });
const weth = (contract: string): TokenLine => ({ symbol: 'WETH', name: 'Wrapped Ether', decimals: 18, contract });

/** Part of the OP stack, at the same addresses on each of its networks. */
const OP_WETH = weth('0x4200000000000000000000000000000000000006');
const OP_DATA_FEE_ORACLE = '0x420000000000000000000000000000000000000F';
/** Batches are on Ethereum within minutes, and final when Ethereum's blocks are. */
const OP_FINALITY: FinalityPolicy = { small: { tag: 'safe', about: 150 }, large: { tag: 'finalized', about: 600 } };

/** A new network is one more entry; the most used come first. A new token is one more line in its network's list. */
const LINES: readonly NetworkLine[] = [
  {
    id: 1,
    name: 'Ethereum',
    coin: ['ETH', 'Ether'],
    tokens: [
      usdc('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
      usdt('0xdAC17F958D2ee523a2206206994597C13D831ec7'),
      wbtc('0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599'),
      weth('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'),
    ],
    finality: { small: { depth: 12 }, large: { tag: 'finalized', about: 80 } },
    depositSeconds: 160,
    payoutSeconds: 24,
    stuckSeconds: 180,
  },
  {
    id: 42161,
    name: 'Arbitrum',
    coin: ['ETH', 'Ether'],
    tokens: [
      usdc('0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
      usdt('0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
      wbtc('0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f'),
      weth('0x82aF49447D8a07e3bd95BD0d56f35241523fBab1'),
    ],
    finality: { small: { tag: 'safe', about: 2400 }, large: { tag: 'finalized', about: 4800 } },
    depositSeconds: 600,
    payoutSeconds: 5,
    stuckSeconds: 60,
    // Its sequencer takes the base fee alone: a tip must be there and comes back, so it would stay behind.
    // https://docs.arbitrum.io/how-arbitrum-works/gas-fees
    fees: { ...STEADY, minPriorityFeePerGas: 0n },
  },
  {
    id: 8453,
    name: 'Base',
    coin: ['ETH', 'Ether'],
    tokens: [
      usdc('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
      usdt('0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'),
      OP_WETH,
    ],
    finality: OP_FINALITY,
    depositSeconds: 300,
    payoutSeconds: 5,
    stuckSeconds: 60,
    fees: STEADY,
    dataFeeOracle: OP_DATA_FEE_ORACLE,
  },
  {
    id: 56,
    name: 'BNB Chain',
    coin: ['BNB', 'BNB'],
    tokens: [
      usdt('0x55d398326f99059fF775485246999027B3197955', 18),
      usdc('0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
    ],
    finality: { small: { tag: 'safe', about: 2 }, large: { tag: 'finalized', about: 3 } },
    depositSeconds: 5,
    payoutSeconds: 3,
    stuckSeconds: 60,
    // The base fee is nothing and builders' own transactions tip nothing, while nodes ask for 0.05 gwei of everyone else.
    fees: { ...STEADY, minPriorityFeePerGas: GWEI / 10n },
  },
  {
    id: 137,
    name: 'Polygon',
    coin: ['POL', 'Polygon Ecosystem Token'],
    tokens: [
      usdc('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
      usdt('0xc2132D05D31c914a87C6611C10748AEb04B58e8F'),
      wbtc('0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6'),
      weth('0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619'),
    ],
    // Its nodes know no safe block; final ones follow the tip within seconds.
    finality: { small: { tag: 'finalized', about: 5 }, large: { tag: 'finalized', about: 5 } },
    depositSeconds: 15,
    payoutSeconds: 5,
    stuckSeconds: 60,
    // Nodes refuse tips below 25 gwei, and a busy hour takes thousands of gwei: cents at most.
    fees: { maxFeePerGas: 10_000n * GWEI, minPriorityFeePerGas: 30n * GWEI, maxPriorityFeePerGas: 2_000n * GWEI },
  },
  {
    id: 10,
    name: 'Optimism',
    coin: ['ETH', 'Ether'],
    tokens: [
      usdc('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
      usdt('0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
      wbtc('0x68f180fcCe6836688e9084f035309E29Bf0A2095'),
      OP_WETH,
    ],
    finality: OP_FINALITY,
    depositSeconds: 300,
    payoutSeconds: 5,
    stuckSeconds: 60,
    fees: STEADY,
    dataFeeOracle: OP_DATA_FEE_ORACLE,
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
export function withFinality(network: EvmNetwork, finality: FinalityPolicy): EvmNetwork {
  const facts = {
    ...network.facts,
    requiredConfirmations: confirmationsOf(finality.small),
    largeConfirmations: confirmationsOf(finality.large),
  };
  return { ...network, facts, finality };
}

/** The same network, on which payouts wait longer or shorter before they are outbid. */
export function withPatience(network: EvmNetwork, afterMs: number): EvmNetwork {
  return { ...network, facts: { ...network.facts, stuck: { ...network.facts.stuck, afterMs } } };
}

/** The same network, on which gas that is sent ahead may become dearer by so many per cent before it is used. */
export function withAhead(network: EvmNetwork, percent: number): EvmNetwork {
  return { ...network, fees: { ...network.fees, aheadMargin: ratio(100n + BigInt(percent), 100n) } };
}

/** The same network, on which deposit addresses get gas ahead and send their tokens by themselves. */
export const withoutDelegation = (network: EvmNetwork): EvmNetwork => ({ ...network, delegates: false });

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
  const [coin, coinName] = line.coin;
  const { dataFeeOracle: oracle } = line;
  const facts: ChainFacts = {
    id: chainId(line.id),
    name: line.name,
    family: 'evm',
    nativeSymbol: coin,
    assets: [
      asset(line, undefined, coin, coinName, 18),
      ...line.tokens.map(({ contract, symbol, name, decimals }) => {
        return asset(line, present(parseEvmAddress(contract), `${symbol} of ${line.name}`), symbol, name, decimals);
      }),
    ],
    minSwapUsd: MIN_SWAP_USD,
    addressExample: ADDRESS_EXAMPLE,
    deposits: 'top_up',
    collectsTokens: true,
    feePayer: 'sender',
    feeField: 'feeAddress',
    requiredConfirmations: confirmationsOf(line.finality.small),
    largeConfirmations: confirmationsOf(line.finality.large),
    depositSeconds: line.depositSeconds,
    payoutSeconds: line.payoutSeconds,
    stuck: { afterMs: line.stuckSeconds * 1_000, remedy: 'outbid' },
  };
  const dataFeeOracle = oracle === undefined ? undefined : present(parseEvmAddress(oracle), `oracle of ${line.name}`);
  return { facts, finality: line.finality, fees: { ...FEES, ...line.fees }, dataFeeOracle, delegates: true };
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
