import type { AssetId } from '../../kernel/ids.ts';
import type { Asset } from '../../world/chains/chain.ts';
import type { Provider } from '../../world/providers/provider.ts';
import type { Side } from '../../world/venues/venue.ts';

/** What stands one to one for something else: off the venue, for its market's coin and money; on it, for coins of chains. */
export interface Stands {
  readonly base: AssetId;
  readonly quote: AssetId;
  /** By a wrapped form, the symbol of its coin. */
  readonly wrapped: ReadonlyMap<AssetId, string>;
}

/** One leg of a route, before anything about it is fixed. */
export type Hop = { readonly input: AssetId; readonly output: AssetId } & (
  | { readonly leg: 'venue'; readonly side: Side }
  | { readonly leg: 'provider' }
);

/**
 * The book trades its coin against its money; everything else is swapped by providers. undefined where nothing changes.
 */
export function planRoute(from: AssetId, to: AssetId, stands: Stands): readonly Hop[] | undefined {
  const { base, quote } = stands;
  if (from === to) return undefined;
  if (to === base) return from === quote ? [buy(stands)] : [swap(from, quote), buy(stands)];
  if (from === base) return to === quote ? [sell(stands)] : [sell(stands), swap(quote, to)];
  return [swap(from, to)];
}

const buy = ({ base, quote }: Stands): Hop => ({ leg: 'venue', side: 'buy', input: quote, output: base });
const sell = ({ base, quote }: Stands): Hop => ({ leg: 'venue', side: 'sell', input: base, output: quote });
const swap = (input: AssetId, output: AssetId): Hop => ({ leg: 'provider', input, output });

export const usesVenue = (hops: readonly Hop[]): boolean => hops.some(({ leg }) => leg === 'venue');

/** A route has at most one provider's leg. */
export const swapIn = (hops: readonly Hop[]): Hop | undefined => hops.find(({ leg }) => leg === 'provider');

/**
 * Which assets some route begins or ends with now: those of the book, and whatever a provider swaps for its money.
 * Providers learn their lists after the start, so they are asked every time.
 */
export const routesOf =
  ({ base, quote }: Stands, providers: readonly Provider[]) =>
  (direction: 'from' | 'to', { id }: Asset): boolean =>
    id === base ||
    id === quote ||
    providers.some((provider) => (direction === 'from' ? provider.supports(id, quote) : provider.supports(quote, id)));
