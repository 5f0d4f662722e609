import { type Atoms, atoms, rescale } from '../../kernel/amount.ts';
import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import type { Address, ChainId } from '../../kernel/ids.ts';
import type { Venue } from '../../world/venues/venue.ts';
import type { KeptSighting } from '../order/sighting.ts';

export interface OwnArrivalParts {
  readonly venue: Pick<Venue, 'funding' | 'withdrawalFee' | 'market'>;
  readonly homeDecimals: number;
  /** Where the house keeps what the hot accounts need not hold. */
  readonly cold: ReadonlySet<Address>;
  readonly books: {
    /** From now on no deal can be settled with it. */
    keepOwn(chain: ChainId, sighting: string, what: string): Promise<void>;
    /** The same, where so much was withdrawn from the venue since then and has not come. */
    keepWithdrawn(chain: ChainId, sighting: string, withdrawn: Atoms, since: Instant): Promise<void>;
  };
  readonly clock: Clock;
}

/** The venue pays within minutes; one of its own bad days is waited for. */
const WITHDRAWN_MS = 24 * 60 * 60 * 1000;

/**
 * Keeps what the house sends to itself from those who name the transfers of others as their delivery. It is asked before what came is
 * final, and nothing else is ever taken for a deal. The venue pays from a contract, so that its coins are known by their amount.
 */
export const ownArrivals =
  ({ venue, homeDecimals, cold, books, clock }: OwnArrivalParts) =>
  async (chain: ChainId, { key, asset, atoms: came, sender }: KeptSighting): Promise<void> => {
    if (sender !== undefined && cold.has(sender)) return books.keepOwn(chain, key, `cold:${chain}:${key}`);
    if (asset !== venue.funding.asset) return;
    const net = rescale(came, homeDecimals, venue.market.quoteDecimals, 'down');
    const since = later(clock.now(), -WITHDRAWN_MS);
    await books.keepWithdrawn(chain, key, atoms(net + venue.withdrawalFee), since);
  };
