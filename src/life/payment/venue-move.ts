import { type Amount, type Atoms, zero } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { VenueMove } from '../../world/venues/venue.ts';
import type { Earmark } from './earmark.ts';
import type { LedgerAccount } from './posting.ts';

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

/** Only a withdrawal takes anything from the venue; the others change sides within our own account, and nothing is set apart for them. */
export const moveEarmark = (kind: string, nonce: number, value: Amount): Earmark => ({
  ...{ key: `venue-move:${nonce}`, account: moveApart(nonce) },
  most: kind === 'withdraw' ? value : zero(value.asset),
});
