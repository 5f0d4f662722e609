import { type Amount, type Atoms, atoms } from '../../kernel/amount.ts';
import { compare, inverse, ratio, scaleInt } from '../../kernel/ratio.ts';
import type { Book, Fill, Level, Market, Side } from '../../world/venues/venue.ts';
import { costOf, sizeOf, walk } from '../quote/order-book.ts';
import type { VenueLeg } from '../quote/quote.ts';

type Worst = Pick<VenueLeg, 'side' | 'worstPrice'>;

/**
 * Base size that spends `budget` on the book as it stands, rounded up to a whole lot: the treasury takes the lot's
 * remainder. Less where the acceptable part of the book is thinner; undefined where it has not even the least order.
 */
export function sizeTicket(book: Book, market: Market, leg: Worst, budget: Amount): Atoms | undefined {
  const levels = acceptable(leg.side === 'buy' ? book.asks : book.bids, leg);
  const available = levels.reduce((total, level) => total + level.size, 0n);
  const wanted = leg.side === 'sell' ? budget.atoms : baseFor(levels, budget.atoms);
  const lots =
    wanted === undefined || wanted > available ? available / market.lot : (wanted + market.lot - 1n) / market.lot;
  const size = lots * market.lot;
  const best = levels[0];
  if (!best || scaleInt(size, best.price, 'down') < market.minNotional) return undefined;
  return atoms(size);
}

function acceptable(levels: readonly Level[], leg: Worst): readonly Level[] {
  const worse = leg.side === 'buy' ? 1 : -1;
  return levels.filter((level) => compare(level.price, leg.worstPrice) !== worse);
}

/** Base atoms that a quote budget buys; undefined where the levels do not take all of it. */
const baseFor = (levels: readonly Level[], budget: bigint): bigint | undefined =>
  walk(levels, budget, costOf, sizeOf, (left, { price }) => scaleInt(left, inverse(price), 'up'));

/** What is left is worth less than the venue's least order at the price just achieved. */
export function isTooSmall(left: Amount, side: Side, fill: Fill, market: Market): boolean {
  const worth = side === 'buy' ? left.atoms : scaleInt(left.atoms, ratio(fill.quote, fill.size), 'down');
  return worth < market.minNotional;
}
