import { rescale } from '../../kernel/amount.ts';
import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import { compare, oneMoreThan, type Ratio, scaleInt, times } from '../../kernel/ratio.ts';
import { usd } from '../../kernel/usd.ts';
import type { Book, Market } from '../../world/venues/venue.ts';
import { midPrice, visibleDepth } from './order-book.ts';

/** What a book must be like before anybody is quoted from it. */
export interface SoundBook {
  /** The most by which the best price to buy at may lie above the best to sell at. */
  readonly widestSpread: Ratio;
  /** What each side must offer at least, in whole dollars. */
  readonly leastDepthUsd: number;
  /** A book that the venue has dated the same for so long is an old one, whatever it says. */
  readonly stillBookMs: number;
}

const USD_DECIMALS = 6;

/**
 * Whether quotes may be made from this book. A price from a book that is thin, wide open or old is nobody's price: it is better to
 * refuse for a while. Time is ours, and the venue's own date of the book only tells whether it is another one.
 */
export function bookJudge(settings: SoundBook, clock: Clock) {
  let seen: { readonly at: Instant; readonly since: Instant } | undefined;
  return (book: Book, market: Pick<Market, 'quoteDecimals'>): boolean => {
    const now = clock.now();
    if (seen?.at !== book.at) seen = { at: book.at, since: now };
    return now < later(seen.since, settings.stillBookMs) && isNarrow(book, settings) && isDeep(book, market, settings);
  };
}

function isNarrow({ bids, asks }: Book, { widestSpread }: SoundBook): boolean {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  return bid !== undefined && ask !== undefined && compare(ask, times(bid, oneMoreThan(widestSpread))) <= 0;
}

function isDeep(book: Book, { quoteDecimals }: Pick<Market, 'quoteDecimals'>, { leastDepthUsd }: SoundBook): boolean {
  const mid = midPrice(book);
  if (!mid) return false;
  const least = rescale(usd(leastDepthUsd), USD_DECIMALS, quoteDecimals, 'up');
  return visibleDepth(book, 'buy') >= least && scaleInt(visibleDepth(book, 'sell'), mid, 'down') >= least;
}
