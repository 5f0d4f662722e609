import { type Amount, type Atoms, amount, smaller } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { lessThanOneBy, ONE, oneMoreThan, type Ratio, scaleInt, times } from '../../kernel/ratio.ts';
import { type UsdMicros, type UsdPrice, usd, usdValue } from '../../kernel/usd.ts';
import { type Asset, type ChainFacts, coinOf } from '../../world/chains/chain.ts';
import type { Book, Market, Side } from '../../world/venues/venue.ts';
import { atRate, type Conversion, inSequence, rescaling } from './conversion.ts';
import { maximumAmount, minimumAmount, minimumDeposit, routeMinimum } from './deposit-bounds.ts';
import { costIn, feeConversion, feeTerms, type IntegratorRate, transfersAt } from './fee-terms.ts';
import { type MarketView, rateBy } from './market-view.ts';
import { takerConversion, tradeConversion, visibleDepth } from './order-book.ts';
import type { FeeTerm } from './quote.ts';
import { type Hop, swapIn } from './route.ts';
import type { SoundBook } from './sound-book.ts';

export interface QuoteSettings extends SoundBook {
  readonly serviceFee: Ratio;
  /** What a whole route may lose; all of its legs share it (8.5). */
  readonly endToEndSlippage: Ratio;
  /** Providers are asked to keep to this one first. */
  readonly perLegSlippage: Ratio;
  /** What they may offer above the market's price. */
  readonly offeredBeyond: Ratio;
  /** Swaps by providers have no book whose depth would bound them. */
  readonly largestOrderUsd: number;
  /** A quote is shown as good for this long. */
  readonly validityMs: number;
  /** Prices and network costs are asked again after this long. */
  readonly priceAgeMs: number;
  /** One order may use this part of the visible book. */
  readonly depthShare: Ratio;
  /** A leg's first trade typically ends so many seconds after its turn begins. */
  readonly executionSeconds: number;
}

/** A route has a point before each leg, and one after the last: there the money lies, and there fees are taken. */
export interface RoutePoint {
  readonly asset: Asset;
  readonly chain: ChainFacts;
  readonly price: UsdPrice;
  /** What so many transfers cost there, in the asset itself. */
  cost(transfers: number): Amount;
  /** What opening an account for the payee costs, in the asset itself; nothing but at the end. */
  readonly opening: Amount;
}

/** What providers give in their leg, for sums like the one they were asked about. */
export interface OfferedRate {
  /** Output atoms for each input atom. */
  readonly rate: Ratio;
  readonly seconds: number;
}

/** How a deposit becomes the amounts at the points of a route. */
export interface RouteAmounts {
  /** Turn the deposit into what lies at a point before its fees are taken. */
  readonly beforeFees: readonly Conversion[];
  /** Turn the deposit into what goes on from a point; at the last one that is the payout. */
  readonly afterFees: readonly Conversion[];
  readonly payout: Conversion;
  /** undefined where nothing is traded. */
  readonly trade: Trade | undefined;
}

export interface Trade {
  readonly side: Side;
  /** Turns the deposit into what is spent on the book. */
  readonly spend: Conversion;
  /** Turns that into what the book gives, before the venue's fee. */
  readonly walk: Conversion;
}

/** Everything about a pair, at one moment, that does not depend on the amount. */
export interface RouteTerms {
  readonly hops: readonly Hop[];
  readonly points: readonly RoutePoint[];
  readonly source: RoutePoint;
  readonly target: RoutePoint;
  readonly view: MarketView;
  readonly settings: QuoteSettings;
  /** The smallest deposit that an order accepts. */
  readonly minimum: UsdMicros;
  readonly minFrom: Amount;
  /** The most that a provider is believed: the rate by the prices, and what offers may be above it. */
  readonly mostRate: Ratio;
  /**
   * The rate by the prices, less all the slippage: it is worse than what providers offer, so nothing within reach is
   * refused unasked.
   */
  readonly assumed: OfferedRate;
  /** The fees and amounts with the fee of an integrator, or without. */
  at(integrator: IntegratorRate | undefined, offered: OfferedRate): TermsAtRate;
}

export interface TermsAtRate {
  readonly integrator: IntegratorRate | undefined;
  readonly offered: OfferedRate;
  readonly fees: readonly FeeTerm[];
  readonly amounts: RouteAmounts;
  readonly maxFrom: Amount;
}

/** undefined where nobody names a price for the asset, or for the chain's coin in which transfers cost `cost` each. */
export function pointOf(
  asset: Asset,
  chain: ChainFacts,
  cost: Atoms,
  view: MarketView,
  opening = 0n,
): RoutePoint | undefined {
  const price = view.price(asset);
  const coinPrice = view.price(coinOf(chain));
  if (!price || !coinPrice) return undefined;
  const inAsset = (coins: bigint): Amount => costIn(asset.id, coins, coinPrice, price);
  return { asset, chain, price, cost: (transfers) => inAsset(BigInt(transfers) * cost), opening: inAsset(opening) };
}

/** Integrators ask for few rates; callers may ask for any. */
const MOST_RATES = 64;

/** The points are those before each hop, and the one after the last. */
export function termsOf(
  hops: readonly Hop[],
  points: readonly RoutePoint[],
  view: MarketView,
  settings: QuoteSettings,
): RouteTerms {
  const source = present(points[0], 'a point to begin');
  const target = present(points[hops.length], 'a point to end');
  const transfers = transfersAt(hops, source.chain);
  const network = points.map((point, at) => point.cost(transfers[at] ?? 0));
  const costs = points.reduce(
    (sum, { price, opening }, at) => sum + usdValue(present(network[at], 'a cost'), price) + usdValue(opening, price),
    0n,
  );
  const minimum = minimumDeposit(routeMinimum(source.chain, hops), costs as UsdMicros);
  const largest = maximumAmount(source.asset, usd(settings.largestOrderUsd), source.price);
  const assets = points.map(({ asset }) => asset);
  const share = (depth: bigint) => scaleInt(depth, settings.depthShare, 'down');

  const termsAt = (integrator: IntegratorRate | undefined, offered: OfferedRate): TermsAtRate => {
    const ids = assets.map(({ id }) => id);
    const fees = feeTerms({
      ...{ hops, assets: ids, network, activation: target.opening, service: settings.serviceFee, integrator },
    });
    const amounts = amountsAlong(hops, assets, view, fees, offered.rate);
    const deepest = largestDeposit(amounts, view.book, share);
    const byDepth = deepest === undefined ? largest : amount(source.asset.id, deepest);
    return { integrator, offered, fees, amounts, maxFrom: swapIn(hops) ? smaller(byDepth, largest) : byDepth };
  };
  const market = marketRate(hops, points);
  const assumed: OfferedRate = { rate: times(market, lessThanOneBy(settings.endToEndSlippage)), seconds: 0 };
  const plain = termsAt(undefined, assumed);
  const known = new Map<string, TermsAtRate>();
  const withFee = (integrator: IntegratorRate): TermsAtRate => {
    const key = `${integrator.rate.num}/${integrator.rate.den} ${integrator.least.atoms}`;
    const before = known.get(key);
    if (before) return before;
    if (known.size >= MOST_RATES) known.clear();
    const made = termsAt(integrator, assumed);
    known.set(key, made);
    return made;
  };
  return {
    ...{ hops, points, source, target, view, settings, minimum, assumed },
    mostRate: times(market, oneMoreThan(settings.offeredBeyond)),
    minFrom: minimumAmount(source.asset, minimum, source.price),
    at(integrator, offered) {
      if (offered !== assumed) return termsAt(integrator, offered);
      return integrator ? withFee(integrator) : plain;
    },
  };
}

/** A route over the book alone has no provider's leg, so nothing reads its rate. */
function marketRate(hops: readonly Hop[], points: readonly RoutePoint[]): Ratio {
  const at = hops.findIndex(({ leg }) => leg === 'provider');
  const [input, output] = [points[at], points[at + 1]];
  return input && output ? rateBy(input.price, output.price) : ONE;
}

/** `rate` is what providers give for each unit of their leg's input; a route without such a leg does not look at it. */
function amountsAlong(
  hops: readonly Hop[],
  assets: readonly Asset[],
  { market, book }: MarketView,
  fees: readonly FeeTerm[],
  rate: Ratio,
): RouteAmounts {
  const steps: Conversion[] = [];
  const beforeFees: Conversion[] = [];
  const afterFees: Conversion[] = [];
  let trade: Trade | undefined;
  for (const [at, asset] of assets.entries()) {
    beforeFees.push(inSequence(...steps));
    steps.push(feeConversion(fees, at, asset.id));
    afterFees.push(inSequence(...steps));
    const hop = hops[at];
    if (hop?.leg === 'provider') steps.push(atRate(rate));
    if (hop?.leg === 'venue') {
      const { spend, receive } = sidesOf(market, hop.side);
      const { decimals } = present(assets[at + 1], 'an output of the trade');
      steps.push(rescaling(asset.decimals, spend.decimals));
      trade = { side: hop.side, spend: inSequence(...steps), walk: tradeConversion(book, hop.side) };
      steps.push(trade.walk, takerConversion(market.takerFee), rescaling(receive.decimals, decimals));
    }
  }
  return { beforeFees, afterFees, payout: present(afterFees.at(-1), 'a point to pay out'), trade };
}

/** What a taker gives and gets on the venue. */
export function sidesOf(market: Market, side: Side) {
  const base = { asset: market.base, decimals: market.baseDecimals };
  const quote = { asset: market.quote, decimals: market.quoteDecimals };
  return side === 'buy' ? { spend: quote, receive: base } : { spend: base, receive: quote };
}

/** The largest deposit of which a safe share of the visible book takes what reaches it; undefined without a trade. */
function largestDeposit({ trade }: RouteAmounts, book: Book, share: (depth: bigint) => bigint): bigint | undefined {
  return trade && present(trade.spend.back(share(visibleDepth(book, trade.side))), 'an input for any depth');
}
