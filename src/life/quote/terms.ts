import { type Amount, type Atoms, amount, smaller } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { inverse, lessThanOneBy, type Ratio, scaleInt, times } from '../../kernel/ratio.ts';
import { type UsdMicros, type UsdPrice, usd, usdValue } from '../../kernel/usd.ts';
import { type Asset, type ChainFacts, coinOf } from '../../world/chains/chain.ts';
import { costIn, feeTerms, transfersAt } from './fee.ts';
import type { MarketView } from './market-view.ts';
import { maximumAmount, minimumAmount, minimumDeposit, routeMinimum } from './minimum.ts';
import type { FeeTerm } from './quote.ts';
import { type Hop, swapIn } from './route.ts';
import { largestInput, type Way, wayOver } from './way.ts';

export interface QuoteSettings {
  readonly serviceFee: Ratio;
  /** Shared by all legs: what the whole way may lose (8.5). */
  readonly endToEndSlippage: Ratio;
  /** What providers are asked to keep to first. */
  readonly perLegSlippage: Ratio;
  /** Swaps by providers have no book whose depth would bound them. */
  readonly largestOrderUsd: number;
  /** How long a quote is shown as good. */
  readonly validityMs: number;
  /** Prices and network costs are asked again after this long. */
  readonly priceAgeMs: number;
  /** The part of the visible book that one order may use. */
  readonly depthShare: Ratio;
  /** Typical seconds from a leg's turn to the end of its first trade. */
  readonly executionSeconds: number;
}

/** Where the money lies before a leg, or after the last one. */
export interface Place {
  readonly asset: Asset;
  readonly chain: ChainFacts;
  readonly price: UsdPrice;
  /** What so many transfers cost there, in the asset itself. */
  cost(transfers: number): Amount;
}

/** What providers give in their leg, for sums like the one they were asked about. */
export interface Swapped {
  /** Output atoms for each input atom. */
  readonly rate: Ratio;
  readonly seconds: number;
}

/** Everything about a pair, at one moment, that does not depend on the amount. */
export interface Terms {
  readonly hops: readonly Hop[];
  readonly places: readonly Place[];
  readonly source: Place;
  readonly target: Place;
  readonly view: MarketView;
  readonly settings: QuoteSettings;
  /** Smallest deposit that an order accepts. */
  readonly minimum: UsdMicros;
  readonly minFrom: Amount;
  /** By the prices, less all the slippage: worse than what providers offer, so nothing within reach is refused unasked. */
  readonly assumed: Swapped;
  /** With the fee of an integrator, or without. */
  offer(integrator: Ratio | undefined, swapped: Swapped): Offer;
}

export interface Offer {
  readonly integrator: Ratio | undefined;
  readonly swapped: Swapped;
  readonly fees: readonly FeeTerm[];
  readonly way: Way;
  readonly maxFrom: Amount;
}

/** undefined where nobody names a price for the asset, or for the chain's coin in which transfers cost `cost` each. */
export function placeOf(asset: Asset, chain: ChainFacts, cost: Atoms, view: MarketView): Place | undefined {
  const price = view.price(asset);
  const coinPrice = view.price(coinOf(chain));
  if (!price || !coinPrice) return undefined;
  return { asset, chain, price, cost: (transfers) => costIn(asset.id, BigInt(transfers) * cost, coinPrice, price) };
}

/** The places are those before each hop, and the one after the last. */
export function termsOf(
  hops: readonly Hop[],
  places: readonly Place[],
  view: MarketView,
  settings: QuoteSettings,
): Terms {
  const source = present(places[0], 'a place to begin');
  const target = present(places[hops.length], 'a place to end');
  const transfers = transfersAt(hops, source.chain);
  const network = places.map((place, at) => place.cost(transfers[at] ?? 0));
  const costs = places.reduce((sum, { price }, at) => sum + usdValue(present(network[at], 'a cost'), price), 0n);
  const minimum = minimumDeposit(routeMinimum(source.chain, hops), costs as UsdMicros);
  const largest = maximumAmount(source.asset, usd(settings.largestOrderUsd), source.price);
  const assets = places.map(({ asset }) => asset);
  const ground = { hops, assets, market: view.market, book: view.book };
  const share = (depth: bigint) => scaleInt(depth, settings.depthShare, 'down');

  const offer = (integrator: Ratio | undefined, swapped: Swapped): Offer => {
    const ids = assets.map(({ id }) => id);
    const fees = feeTerms({ hops, assets: ids, network, service: settings.serviceFee, integrator });
    const way = wayOver(ground, fees, swapped.rate);
    const deepest = largestInput(way, view.book, share);
    const byDepth = deepest === undefined ? largest : amount(source.asset.id, deepest);
    return { integrator, swapped, fees, way, maxFrom: swapIn(hops) ? smaller(byDepth, largest) : byDepth };
  };
  const assumed = assumedSwap(hops, places, settings.endToEndSlippage);
  const plain = offer(undefined, assumed);
  return {
    ...{ hops, places, source, target, view, settings, minimum, assumed },
    minFrom: minimumAmount(source.asset, minimum, source.price),
    offer: (integrator, swapped) => (integrator || swapped !== assumed ? offer(integrator, swapped) : plain),
  };
}

function assumedSwap(hops: readonly Hop[], places: readonly Place[], slippage: Ratio): Swapped {
  const at = hops.findIndex(({ leg }) => leg === 'provider');
  const input = places[at];
  const output = places[at + 1];
  if (!input || !output) return NOT_SWAPPED;
  return { rate: times(times(input.price, inverse(output.price)), lessThanOneBy(slippage)), seconds: 0 };
}

/** Of routes over the book alone. */
const NOT_SWAPPED: Swapped = { rate: { num: 1n, den: 1n }, seconds: 0 };
