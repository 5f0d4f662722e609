import { inverse, lesser, lessThanOneBy, type Ratio, ratio, scaleInt, times } from '../../kernel/ratio.ts';
import type { Book, Level, Side } from '../../world/venues/venue.ts';
import type { Conversion } from './conversion.ts';

export const sizeOf = ({ size }: Level): bigint => size;
/** What buying a whole level costs, and what selling to a whole one yields: remainders never favour us twice. */
export const costOf = ({ size, price }: Level): bigint => scaleInt(size, price, 'up');
const yieldOf = ({ size, price }: Level): bigint => scaleInt(size, price, 'down');

/**
 * Walks levels of an order book, best price first: each takes what it can and gives all it has, the last one a part of that.
 * undefined where they do not take all of it.
 */
export function walk(
  levels: readonly Level[],
  all: bigint,
  takes: (level: Level) => bigint,
  gives: (level: Level) => bigint,
  part: (left: bigint, level: Level) => bigint,
): bigint | undefined {
  let left = all;
  let got = 0n;
  for (const level of levels) {
    const most = takes(level);
    if (left <= most) return got + part(left, level);
    left -= most;
    got += gives(level);
  }
  return left === 0n ? got : undefined;
}

/** Spends quote atoms for base atoms when buying, base atoms for quote atoms when selling. */
export function tradeConversion({ asks, bids }: Book, side: Side): Conversion {
  const bought = (left: bigint, { price, size }: Level) => lesser(scaleInt(left, inverse(price), 'down'), size);
  return side === 'buy'
    ? {
        forward: (budget) => walk(asks, budget, costOf, sizeOf, bought),
        back: (size) => walk(asks, size, sizeOf, costOf, (left, { price }) => scaleInt(left, price, 'up')),
      }
    : {
        forward: (size) => walk(bids, size, sizeOf, yieldOf, (left, { price }) => scaleInt(left, price, 'down')),
        back: (yielded) =>
          walk(bids, yielded, yieldOf, sizeOf, (left, { price }) => scaleInt(left, inverse(price), 'up')),
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
    ? book.asks.reduce((sum, level) => sum + costOf(level), 0n)
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
