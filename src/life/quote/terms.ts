import { type Amount, type Atoms, amount } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type Ratio, scaleInt } from '../../kernel/ratio.ts';
import { type UsdMicros, type UsdPrice, usdValue } from '../../kernel/usd.ts';
import type { Asset, ChainFacts } from '../../world/chains/chain.ts';
import type { Side } from '../../world/venues/venue.ts';
import { costIn, feeTerms } from './fee.ts';
import type { MarketView } from './market-view.ts';
import { minimumAmount, minimumDeposit, routeMinimum } from './minimum.ts';
import type { FeeTerm } from './quote.ts';
import { largestInput, type Way, wayOver } from './route.ts';

export interface QuoteSettings {
  readonly serviceFee: Ratio;
  readonly endToEndSlippage: Ratio;
  /** How long a quote is shown as good. */
  readonly validityMs: number;
  /** Prices and network costs are asked again after this long. */
  readonly priceAgeMs: number;
  /** The part of the visible book that one order may use. */
  readonly depthShare: Ratio;
  /** Typical seconds from a final deposit to the end of the first trade. */
  readonly executionSeconds: number;
}

export interface Pair {
  readonly side: Side;
  readonly from: Asset;
  readonly to: Asset;
  readonly fromChain: ChainFacts;
  readonly toChain: ChainFacts;
}

/** Everything about a pair, at one moment, that does not depend on the amount. */
export interface Terms extends Pair {
  readonly view: MarketView;
  readonly settings: QuoteSettings;
  readonly fromPrice: UsdPrice;
  readonly toPrice: UsdPrice;
  /** What one transfer of the deposited asset costs, in that asset. */
  readonly transfer: Amount;
  /** Smallest deposit that an order accepts. */
  readonly minimum: UsdMicros;
  readonly minFrom: Amount;
  /** With the fee of an integrator, or without. */
  offer(integrator: Ratio | undefined): Offer;
}

export interface Offer {
  readonly fees: readonly FeeTerm[];
  readonly way: Way;
  readonly maxFrom: Amount;
}

/** undefined where the market names no price for something that is needed. Costs are of one payout, in each chain's own coin. */
export function termsOf(
  pair: Pair,
  view: MarketView,
  fromCost: Atoms,
  toCost: Atoms,
  settings: QuoteSettings,
): Terms | undefined {
  const { from, to, fromChain } = pair;
  const fromPrice = view.price(from);
  const toPrice = view.price(to);
  const fromCoinPrice = view.price(coinOf(fromChain));
  const toCoinPrice = view.price(coinOf(pair.toChain));
  if (!fromPrice || !toPrice || !fromCoinPrice || !toCoinPrice) return undefined;

  const transfer = costIn(from.id, fromCost, fromCoinPrice, fromPrice);
  // Collecting takes two transfers: the gas that is sent ahead, and the collection itself.
  const collecting = collects(pair) ? costIn(from.id, 2n * fromCost, fromCoinPrice, fromPrice) : undefined;
  const payout = costIn(to.id, toCost, toCoinPrice, toPrice);
  const network = (collecting ? usdValue(collecting, fromPrice) : 0n) + usdValue(payout, toPrice);
  const minimum = minimumDeposit(routeMinimum(fromChain), network as UsdMicros);
  const minFrom = minimumAmount(from, minimum, fromPrice);

  const offer = (integrator: Ratio | undefined): Offer => {
    const taken = { service: settings.serviceFee, integrator, collecting, payout };
    const fees = feeTerms({ side: pair.side, from: from.id, to: to.id, ...taken });
    const way = wayOver(view.market, view.book, pair.side, from, to, fees);
    const share = (depth: bigint) => scaleInt(depth, settings.depthShare, 'down');
    return { fees, way, maxFrom: amount(from.id, largestInput(way, view.book, share)) };
  };
  const plain = offer(undefined);
  return {
    ...pair,
    view,
    settings,
    fromPrice,
    toPrice,
    transfer,
    minimum,
    minFrom,
    offer: (integrator) => (integrator ? offer(integrator) : plain),
  };
}

/** Tokens land on an address of their own on some chains. */
export const collects = ({ from, fromChain }: Pair): boolean => fromChain.collectsTokens && !from.native;

function coinOf(chain: ChainFacts): Asset {
  return present(
    chain.assets.find((asset) => asset.native),
    `the own coin of ${chain.name}`,
  );
}
