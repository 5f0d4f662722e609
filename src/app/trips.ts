import { type TripBounds, tripMeasures } from '../engine/trip-measures.ts';
import { tripWatch } from '../engine/trip-watch.ts';
import type { Amount } from '../kernel/amount.ts';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { Address, AssetId, ChainId } from '../kernel/ids.ts';
import { type Ratio, scaleInt } from '../kernel/ratio.ts';
import { type UsdMicros, usd, usdValue } from '../kernel/usd.ts';
import { type MarketSource, type MarketView, rateBy } from '../life/quote/market-view.ts';
import type { Scope } from '../life/trip/trip.ts';
import { type Asset, type ChainRules, coinOf } from '../world/chains/chain.ts';
import type { Provider } from '../world/providers/provider.ts';
import { type Config, servingOf } from './config.ts';
import type { EngineBooks } from './engine-books.ts';
import { orderRules } from './order-rules.ts';
import { watchPrices } from './price-watch.ts';

/** What the settings let pass, or what is usual. */
export function tripBoundsOf(config: Pick<Config, 'breakers' | 'caution' | 'serving' | 'costs'>): TripBounds {
  const { breakers = {} } = config;
  const { mostOrphaned, offeredBeyond } = orderRules(config);
  return {
    apartUsd: usd(breakers.driftUsd ?? 1_000),
    lostUsd: [
      { hours: 1, most: usd(breakers.lossPerHourUsd ?? 500) },
      { hours: 24, most: usd(breakers.lossPerDayUsd ?? 2_000) },
    ],
    priceApart: scaleInt(10_000n, offeredBeyond, 'down'),
    orphanedUsd: mostOrphaned,
    failingMinutes: BigInt(breakers.roundFailingMinutes ?? 15),
    // These many open it; one less is let pass.
    shortDeliveries: BigInt(servingOf(config).shortDeliveries - 1),
    signerRefusals: BigInt((breakers.signerRefusals ?? 1) - 1),
  };
}

export interface TripParts {
  readonly bounds: TripBounds;
  readonly books: Pick<EngineBooks, 'breakers' | 'cases' | 'results' | 'shortDeliveries' | 'signerRefusals'>;
  readonly market: () => Promise<MarketView>;
  readonly dollarsOf: ReturnType<typeof worthIn>;
  readonly chains: readonly ChainRules[];
  readonly venueChain: ChainId;
  /** Off the venue, the coin that is traded there and the money that it is traded for. */
  readonly stands: { readonly base: Asset; readonly money: Asset };
  readonly providers: readonly Provider[];
  readonly hot: (chain: ChainId) => Address | undefined;
  readonly clock: Clock;
}

/** The look at everything that opens a breaker by itself. */
export function openTrips(parts: TripParts): () => Promise<void> {
  const { bounds, books, dollarsOf, chains, venueChain, providers, hot, clock } = parts;
  const { base, money } = parts.stands;
  const { market } = parts;
  return tripWatch({
    breakers: books.breakers,
    cases: books.cases,
    measures: tripMeasures({
      ...{
        bounds,
        results: books.results,
        shortDeliveries: books.shortDeliveries,
        refusals: books.signerRefusals,
        clock,
      },
      worth: dollarsOf,
      prices: watchPrices({
        ...{ most: bounds.priceApart, market, money, providers, hot, clock },
        coins: firstBySymbol([base, ...chains.map(({ facts }) => coinOf(facts))]),
      }),
      stops: (round) => stoppedBy(round, chains, venueChain),
    }),
  });
}

const firstBySymbol = (coins: readonly Asset[]): readonly Asset[] =>
  coins.filter(({ symbol }, at) => coins.findIndex((one) => one.symbol === symbol) === at);

/** What was lost is worth something while the venue does not answer, too: then the last prices count. */
export function lastKnown(source: MarketSource): () => Promise<MarketView> {
  let last: MarketView | undefined;
  return async () => {
    try {
      last = await source.look();
      return last;
    } catch (error) {
      if (error instanceof Fault && last) return last;
      throw error;
    }
  };
}

/** What an amount is worth in dollars; undefined where nobody names a price. */
export function worthIn(market: () => Promise<MarketView>, chains: readonly ChainRules[]) {
  const assets = assetsOn(chains);
  return async (of: Amount): Promise<UsdMicros | undefined> => {
    const asset = assets.get(of.asset);
    const price = asset && of.atoms > 0n ? (await market()).price(asset) : undefined;
    return price && usdValue(of, price);
  };
}

/** The market's price of one asset in another; undefined where nobody names it, or nobody can be asked yet. */
export function rateIn(market: () => Promise<MarketView>, chains: readonly ChainRules[]) {
  const assets = assetsOn(chains);
  return async (input: AssetId, output: AssetId): Promise<Ratio | undefined> => {
    try {
      const view = await market();
      const [sold, bought] = [input, output].map((id) => {
        const asset = assets.get(id);
        return asset && view.price(asset);
      });
      return sold && bought && rateBy(sold, bought);
    } catch (error) {
      if (error instanceof Fault) return undefined;
      throw error;
    }
  };
}

const assetsOn = (chains: readonly ChainRules[]): ReadonlyMap<AssetId, Asset> =>
  new Map(chains.flatMap(({ facts }) => facts.assets.map((asset) => [asset.id, asset] as const)));

/** While nobody sees what comes to a chain, or takes over what happens on the venue, nothing new is begun there. */
function stoppedBy(round: string, chains: readonly ChainRules[], venueChain: ChainId): Scope | undefined {
  if (round === 'treasury') return 'venue';
  const scanned = chains.find(({ facts }) => round === `scan ${facts.name}`)?.facts.id;
  if (scanned === undefined) return undefined;
  return scanned === venueChain ? 'venue' : `chain:${scanned}`;
}
