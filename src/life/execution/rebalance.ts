import { type Atoms, atoms } from '../../kernel/amount.ts';
import { lesser } from '../../kernel/ratio.ts';

/** So much of one coin in each of its two places, in atoms of the home chain. */
export interface InPlaces {
  readonly hot: bigint;
  readonly venue: bigint;
}

export interface StockSettings {
  /** Below this the venue is filled up to the middle between low and high; above high the rest comes home. */
  readonly venueLow: bigint;
  readonly venueHigh: bigint;
  readonly hotLow: bigint;
  /** Moving less than this is not worth its cost. */
  readonly least: bigint;
}

export type Rebalance = { readonly to: 'venue' | 'hot'; readonly atoms: Atoms } | undefined;

/** In bulk and never in circles: one place is filled only with what the other can spare above its own needs, which orders add to. */
export function planRebalance(stock: InPlaces, demand: InPlaces, settings: StockSettings): Rebalance {
  const venueNeed = settings.venueLow + demand.venue;
  const hotNeed = settings.hotLow + demand.hot;
  const middle = (settings.venueLow + settings.venueHigh) / 2n + demand.venue;
  if (stock.venue < venueNeed) return worthwhile('venue', lesser(middle - stock.venue, stock.hot - hotNeed), settings);
  if (stock.hot < hotNeed)
    return worthwhile('hot', lesser(2n * hotNeed - stock.hot, stock.venue - venueNeed), settings);
  if (stock.venue > settings.venueHigh + demand.venue) return worthwhile('hot', stock.venue - middle, settings);
  return undefined;
}

const worthwhile = (to: 'venue' | 'hot', value: bigint, { least }: StockSettings): Rebalance =>
  value >= least ? { to, atoms: atoms(value) } : undefined;
