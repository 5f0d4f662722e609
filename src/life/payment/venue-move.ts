import { type Amount, type Atoms, isZero } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { VenueMove } from '../../world/venues/venue.ts';
import { type LedgerAccount, move, type Posting } from './posting.ts';

/** Sends are payments. */
export type MoveKind = Exclude<VenueMove['move'], 'send'>;

/** A move of the treasury's own on the venue that is not known to have happened. */
export interface OpenMove {
  readonly kind: MoveKind;
  readonly atoms: Atoms;
  readonly nonce: number;
  /** undefined until it is signed; it is posted only as it was saved. */
  readonly body: string | undefined;
  readonly createdAt: Instant;
}

/** The treasury's own moves on the venue go by their nonces. What a withdrawal takes is set apart for it here. */
export const moveApart = (nonce: number): LedgerAccount => `payment:treasury:move:${nonce}`;

/** Whoever closed a move has used this key as well: what comes late sets nothing apart. */
export const moveKey = (nonce: number): string => `venue-move:${nonce}`;

/** Only a withdrawal takes anything from the venue; the others change sides within our own account. */
export const takesFromVenue = (kind: string): boolean => kind === 'withdraw';

/** Done once however often; nothing may be signed for a withdrawal before. */
export function settingApart(
  kind: string,
  nonce: number,
  value: Amount,
): { readonly key: string; readonly postings: readonly Posting[] } {
  const isTaken = takesFromVenue(kind) && !isZero(value);
  return { key: moveKey(nonce), postings: isTaken ? [move('treasury', moveApart(nonce), value)] : [] };
}

/** The coin that the venue is funded with, in one of its two places. */
export interface CoinThere {
  readonly asset: AssetId;
  readonly decimals: number;
}
