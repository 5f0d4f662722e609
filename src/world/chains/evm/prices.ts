import { Fault } from '../../../kernel/fault.ts';
import { larger } from '../../../kernel/ratio.ts';
import { outbidding } from './codec.ts';
import type { FeePolicy } from './networks.ts';
import type { EvmNode } from './node.ts';

/** Six full blocks in a row double the base fee; the difference to what was needed is never paid. */
const BASE_FEE_GROWTH = 2n;
const FEE_HISTORY_BLOCKS = 10;
const MEDIAN = 50;

/** What is offered for a unit of gas, at most and beside the base fee. */
export interface Offer {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface Price extends Offer {
  /** What a unit costs in the next block, at the usual tip and at the least. */
  readonly feePerGasNow: bigint;
  readonly leastPerGas: bigint;
}

export async function feesNow(node: EvmNode, policy: FeePolicy): Promise<Price> {
  const blocks = `0x${FEE_HISTORY_BLOCKS.toString(16)}`;
  const history = (await node.read('eth_feeHistory', [blocks, 'latest', [MEDIAN]])) as {
    baseFeePerGas?: unknown[];
    reward?: unknown[][];
  };
  const nextBase = node.quantity(history.baseFeePerGas?.at(-1));
  const tips = (history.reward ?? []).map(([tip]) => node.quantity(tip)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const usual = tips[Math.floor(tips.length / 2)] ?? 0n;
  const tip = clamp(usual, policy.minPriorityFeePerGas, policy.maxPriorityFeePerGas);
  const needed = nextBase + tip;
  if (needed > policy.maxFeePerGas) {
    throw new Fault('transient', node.at, `gas costs ${needed} wei, more than the ${policy.maxFeePerGas} we pay`);
  }
  const wanted = nextBase * BASE_FEE_GROWTH + tip;
  const maxFeePerGas = clamp(wanted, needed, policy.maxFeePerGas);
  const leastPerGas = nextBase + policy.minPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas: tip, feePerGasNow: needed, leastPerGas };
}

/** Today's price or, where that is not enough, what a node takes in place of the offer that it holds. */
export function raised(node: EvmNode, policy: FeePolicy, now: Price, held: Offer): Price {
  const maxPriorityFeePerGas = larger(now.maxPriorityFeePerGas, outbidding(held.maxPriorityFeePerGas));
  const least = larger(outbidding(held.maxFeePerGas), maxPriorityFeePerGas);
  if (least > policy.maxFeePerGas || maxPriorityFeePerGas > policy.maxPriorityFeePerGas) {
    throw node.fault(`to outbid takes ${least} wei with a tip of ${maxPriorityFeePerGas}, more than we pay`);
  }
  return {
    maxFeePerGas: larger(now.maxFeePerGas, least),
    maxPriorityFeePerGas,
    feePerGasNow: now.feePerGasNow,
    leastPerGas: larger(now.leastPerGas, least),
  };
}

/**
 * A deposit account has only the gas that was sent ahead. Where prices rose since, it offers all of that, as long as a block
 * would take it at all; otherwise the price stays what it is, and shows what is missing.
 */
export function affordable(price: Price, coins: bigint, gas: bigint): Price {
  const each = coins / gas;
  if (each >= price.maxFeePerGas || each < price.leastPerGas) return price;
  return { ...price, maxFeePerGas: each, maxPriorityFeePerGas: clamp(price.maxPriorityFeePerGas, 0n, each) };
}

const clamp = (value: bigint, low: bigint, high: bigint): bigint => (value < low ? low : value > high ? high : value);
