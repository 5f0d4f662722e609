import type { Clock } from '../../kernel/clock.ts';
import type { AssetId } from '../../kernel/ids.ts';
import { inverse, ONE, type Ratio, ratio, times } from '../../kernel/ratio.ts';
import { remember } from '../../kernel/remember.ts';
import { type UsdPrice, usdPrice } from '../../kernel/usd.ts';
import type { Asset } from '../../world/chains/chain.ts';
import type { Book, Market, Venue } from '../../world/venues/venue.ts';
import { midPrice } from './order-book.ts';
import type { Stands } from './route.ts';

/** This is what a price needs to know of an asset; those of the market need no symbol. */
export type Priced = Pick<Asset, 'id' | 'decimals'> & Partial<Pick<Asset, 'symbol'>>;

/** A view holds everything of the outside world that goes into one quote, as of one moment. */
export interface MarketView {
  readonly market: Market;
  readonly book: Book;
  /**
   * undefined where nobody names a price. The market's coin is worth the middle of its book and its money a dollar,
   * here and off the venue; other assets go by their symbol, stablecoins as dollars and wrapped coins as the coin.
   */
  price(asset: Priced): UsdPrice | undefined;
}

/** Output atoms for each input atom, by their prices. */
export const rateBy = (input: UsdPrice, output: UsdPrice): Ratio => times(input, inverse(output));

export interface MarketSource {
  /** The book of now, with prices that are not older than allowed; throws a `Fault` where they cannot be had. */
  look(): Promise<MarketView>;
}

export function openMarketSource(
  venue: Pick<Venue, 'book' | 'prices' | 'market'>,
  stands: Stands,
  maxAgeMs: number,
  clock: Clock,
): MarketSource {
  const prices = remember(() => venue.prices(), maxAgeMs, clock);
  let last: { readonly dollars: ReadonlyMap<string, Ratio>; readonly view: MarketView } | undefined;
  return {
    look: async () => {
      const [book, dollars] = await Promise.all([venue.book(), prices()]);
      // A burst of quotes is made from one reading; what follows from it is worked out once.
      if (last?.view.book !== book || last.dollars !== dollars)
        last = { dollars, view: view(venue.market, book, dollars, stands) };
      return last.view;
    },
  };
}

/** Only assets that the chains' own lists name have these symbols: a token's maker cannot choose one. */
const DOLLARS = new Set(['USDC', 'USDT']);
const WRAPPED = new Map([
  ['WBTC', 'BTC'],
  ['WETH', 'ETH'],
]);

function view(market: Market, book: Book, dollars: ReadonlyMap<string, Ratio>, stands: Stands): MarketView {
  const mid = midPrice(book);
  const coin = mid && times(mid, ratio(10n ** BigInt(market.baseDecimals), 10n ** BigInt(market.quoteDecimals)));
  const perUnit = (asset: Priced): Ratio | undefined => {
    if (asset.id === market.base || asset.id === stands.base) return coin;
    if (asset.id === market.quote || asset.id === stands.quote) return ONE;
    const symbol = stands.wrapped.get(asset.id) ?? asset.symbol ?? '';
    return DOLLARS.has(symbol) ? ONE : dollars.get(WRAPPED.get(symbol) ?? symbol);
  };
  const prices = new Map<AssetId, UsdPrice | undefined>();
  return {
    market,
    book,
    price: (asset) => {
      if (!prices.has(asset.id)) {
        const each = perUnit(asset);
        prices.set(asset.id, each && each.num > 0n ? usdPrice(each, asset.decimals) : undefined);
      }
      return prices.get(asset.id);
    },
  };
}
