import { present } from '../../kernel/assert.ts';
import type { Ratio } from '../../kernel/ratio.ts';
import type { Asset } from '../../world/chains/chain.ts';
import type { Book, Market, Side } from '../../world/venues/venue.ts';
import { feeStage } from './fee.ts';
import { takerStage, tradeStage, visibleDepth } from './price.ts';
import type { FeeTerm } from './quote.ts';
import type { Hop } from './route.ts';
import { atRate, inSequence, rescaling, type Stage } from './stage.ts';

/** From the deposit to each place of a route: before every leg, and after the last. */
export interface Way {
  /** To what there is at a place before its fees. */
  readonly before: readonly Stage[];
  /** To what goes on from there; at the last place that is the payout. */
  readonly after: readonly Stage[];
  readonly all: Stage;
  /** undefined where nothing is traded. */
  readonly trade: Trade | undefined;
}

export interface Trade {
  readonly side: Side;
  /** From the deposit to what is spent on the book. */
  readonly spend: Stage;
  /** From that to what the book gives, before the venue's fee. */
  readonly walk: Stage;
}

export interface Ground {
  readonly hops: readonly Hop[];
  /** What the money is at each place. */
  readonly assets: readonly Asset[];
  readonly market: Market;
  readonly book: Book;
}

/** `swapped` is what providers give for each unit of their leg's input; not looked at where they have none. */
export function wayOver({ hops, assets, market, book }: Ground, fees: readonly FeeTerm[], swapped: Ratio): Way {
  const stages: Stage[] = [];
  const before: Stage[] = [];
  const after: Stage[] = [];
  let trade: Trade | undefined;
  for (const [place, asset] of assets.entries()) {
    before.push(inSequence(...stages));
    stages.push(feeStage(fees, place, asset.id));
    after.push(inSequence(...stages));
    const hop = hops[place];
    if (hop?.leg === 'provider') stages.push(atRate(swapped));
    if (hop?.leg === 'venue') {
      const { spend, receive } = sidesOf(market, hop.side);
      const { decimals } = present(assets[place + 1], 'an output of the trade');
      stages.push(rescaling(asset.decimals, spend.decimals));
      trade = { side: hop.side, spend: inSequence(...stages), walk: tradeStage(book, hop.side) };
      stages.push(trade.walk, takerStage(market.takerFee), rescaling(receive.decimals, decimals));
    }
  }
  return { before, after, all: present(after.at(-1), 'a place to pay out'), trade };
}

/** What a taker gives and gets on the venue. */
export function sidesOf(market: Market, side: Side) {
  const base = { asset: market.base, decimals: market.baseDecimals };
  const quote = { asset: market.quote, decimals: market.quoteDecimals };
  return side === 'buy' ? { spend: quote, receive: base } : { spend: base, receive: quote };
}

/** The largest deposit of which a safe share of the visible book takes what reaches it; undefined without a trade. */
export function largestInput({ trade }: Way, book: Book, share: (depth: bigint) => bigint): bigint | undefined {
  return trade && present(trade.spend.back(share(visibleDepth(book, trade.side))), 'an input for any depth');
}
