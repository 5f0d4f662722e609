import type { Next } from '../engine/rounds.ts';
import { type Amount, amount, rescale } from '../kernel/amount.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { UsdMicros } from '../kernel/usd.ts';
import { underWay } from '../life/execution/treasury.ts';
import { type Position, surplusOf } from '../store/solvency.ts';
import type { Venue } from '../world/venues/venue.ts';
import type { EngineBooks } from './engine-books.ts';

export interface PositionParts {
  readonly venue: Venue;
  /** Of the venue's money on its home chain. */
  readonly homeDecimals: number;
  readonly books: Pick<EngineBooks, 'solvency' | 'ledger'>;
  readonly clock: Clock;
  worth(of: Amount): Promise<UsdMicros | undefined>;
}

/** Notes what the desk holds and owes, and what would be left if everybody were paid. */
export function positionTaker({ venue, books, homeDecimals, clock, worth }: PositionParts): () => Promise<Next> {
  return async () => {
    const moving = await inFlight({ venue, books: books.ledger, homeDecimals, clock });
    const positions = (await books.solvency.positions()).map((one) => ({
      ...one,
      inFlight: moving.get(one.asset) ?? 0n,
    }));
    await books.solvency.keep(
      await Promise.all(positions.map(async (one) => ({ ...one, surplusUsd: await valued(one, worth) }))),
    );
    return false;
  };
}

/** What is under way is counted where it left. */
async function inFlight(treasury: Parameters<typeof underWay>[0]): Promise<ReadonlyMap<AssetId, bigint>> {
  const { venue, homeDecimals: decimals } = treasury;
  const { toHot, toVenue } = await underWay(treasury, 'new');
  return new Map([
    [venue.funding.asset, toVenue],
    [venue.market.quote, rescale(toHot, decimals, venue.market.quoteDecimals, 'down')],
  ]);
}

async function valued(one: Position, worth: PositionParts['worth']): Promise<bigint | undefined> {
  const surplus = surplusOf(one);
  if (surplus === 0n) return 0n;
  const value = await worth(amount(one.asset, surplus < 0n ? -surplus : surplus));
  return value === undefined ? undefined : surplus < 0n ? -value : value;
}
