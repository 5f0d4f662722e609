import { inverse, lessThanOneBy, type Ratio, ratio, scaleInt, times } from '../../kernel/ratio.ts';
import type { Book, Level, Side } from '../../world/venues/venue.ts';
import type { Conversion } from './conversion.ts';

/**
 * Walks a side of the order book, best price first; undefined where it is not deep enough. Remainders never favour us
 * twice.
 */
export function buyWithBudget(asks: readonly Level[], budget: bigint): bigint | undefined {
  let left = budget;
  let bought = 0n;
  for (const { price, size } of asks) {
    const cost = scaleInt(size, price, 'up');
    if (left < cost) return bought + scaleInt(left, inverse(price), 'down');
    left -= cost;
    bought += size;
  }
  return left === 0n ? bought : undefined;
}

/** The smallest budget with which `buyWithBudget` buys at least `size`. */
export function costOfBuying(asks: readonly Level[], size: bigint): bigint | undefined {
  let left = size;
  let cost = 0n;
  for (const level of asks) {
    if (left <= level.size) return cost + scaleInt(left, level.price, 'up');
    cost += scaleInt(level.size, level.price, 'up');
    left -= level.size;
  }
  return left === 0n ? cost : undefined;
}

export function proceedsOfSelling(bids: readonly Level[], size: bigint): bigint | undefined {
  let left = size;
  let proceeds = 0n;
  for (const level of bids) {
    if (left <= level.size) return proceeds + scaleInt(left, level.price, 'down');
    proceeds += scaleInt(level.size, level.price, 'down');
    left -= level.size;
  }
  return left === 0n ? proceeds : undefined;
}

/** The smallest size for which `proceedsOfSelling` gives at least `proceeds`. */
export function sizeToSellFor(bids: readonly Level[], proceeds: bigint): bigint | undefined {
  let left = proceeds;
  let sold = 0n;
  for (const { price, size } of bids) {
    const yields = scaleInt(size, price, 'down');
    if (left <= yields) return sold + scaleInt(left, inverse(price), 'up');
    left -= yields;
    sold += size;
  }
  return left === 0n ? sold : undefined;
}

/** Spends quote atoms for base atoms when buying, base atoms for quote atoms when selling. */
export function tradeConversion(book: Book, side: Side): Conversion {
  return side === 'buy'
    ? {
        forward: (budget) => buyWithBudget(book.asks, budget),
        back: (size) => costOfBuying(book.asks, size),
      }
    : {
        forward: (size) => proceedsOfSelling(book.bids, size),
        back: (proceeds) => sizeToSellFor(book.bids, proceeds),
      };
}

/** The venue keeps its fee from what the taker receives. */
export function takerConversion(fee: Ratio): Conversion {
  const kept = lessThanOneBy(fee);
  return {
    forward: (gross) => scaleInt(gross, kept, 'down'),
    back: (net) => scaleInt(net, inverse(kept), 'up'),
  };
}

/** Everything the visible book could take of what is spent. */
export function visibleDepth(book: Book, side: Side): bigint {
  return side === 'buy'
    ? book.asks.reduce((sum, level) => sum + scaleInt(level.size, level.price, 'up'), 0n)
    : book.bids.reduce((sum, level) => sum + level.size, 0n);
}

/** Quote atoms per base atom, halfway between the best prices; undefined for a one-sided book. */
export function midPrice(book: Book): Ratio | undefined {
  const bid = book.bids[0]?.price;
  const ask = book.asks[0]?.price;
  return bid && ask && ratio(bid.num * ask.den + ask.num * bid.den, 2n * bid.den * ask.den);
}

/**
 * The average price of this trade, made worse so far that the output falls by exactly the slippage: selling yields
 * less per base atom, buying pays more for each.
 */
export function worstPrice(side: Side, spent: bigint, got: bigint, slippage: Ratio): Ratio {
  const kept = lessThanOneBy(slippage);
  return side === 'sell' ? times(ratio(got, spent), kept) : times(ratio(spent, got), inverse(kept));
}
