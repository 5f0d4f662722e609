import { type Atoms, amount } from '../../kernel/amount.ts';
import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import { isNo } from '../../kernel/fault.ts';
import { type AssetId, intentId } from '../../kernel/ids.ts';
import { lesser } from '../../kernel/ratio.ts';
import type { Signer } from '../../signer/request.ts';
import type { LedgerRow, SignedAction, Venue } from '../../world/venues/venue.ts';
import type { Case, CaseRef } from '../case/case.ts';
import { type EarmarkBooks, setApart, setFree } from '../payment/earmark.ts';
import { move, moving, type Posting } from '../payment/posting.ts';
import { type MoveKind, moveApart, moveEarmark, type OpenMove } from '../payment/venue-move.ts';

/** What is kept of the treasury's moves on the venue. */
export interface MoveBooks extends EarmarkBooks {
  nextNonce(now: Instant): Promise<number>;
  openMoves(): Promise<readonly OpenMove[]>;
  /** The greatest nonce of any that was ever noted. */
  lastMove(): Promise<number>;
  /** False where another one is open, or was noted since `last` was the last: somebody else was faster. */
  noteMove(kind: MoveKind, asset: AssetId, value: Atoms, nonce: number, last: number): Promise<boolean>;
  signMove(signed: SignedAction): Promise<void>;
  settleMove(nonce: number, isDead: boolean): Promise<void>;
  raiseCase(about: Case): Promise<void>;
  caseOver(about: CaseRef): Promise<void>;
  /** Whether a person has closed it since it was last raised. */
  isClosedByHand(about: CaseRef): Promise<boolean>;
}

export interface MoveParts {
  readonly venue: Venue;
  readonly signer: Pick<Signer, 'signMove'>;
  readonly books: MoveBooks;
  readonly clock: Clock;
}

/** A move that the venue has not shown by then is looked at by a person. */
const PATIENCE_MS = 60 * 60 * 1000;
/** The venue's clock and ours may differ by this much. */
export const CLOCK_SLACK_MS = 5_000;

/**
 * Notes it, sets its money apart, signs and saves it, and leaves the posting to the next round. Two leaders of one moment have both
 * seen that nothing is open; whoever notes second does nothing. Nor does who stood still while another one was begun and ended:
 * what it was decided by is not there any more.
 */
export async function begin(parts: MoveParts, kind: MoveKind, value: Atoms, last: number): Promise<void> {
  const { books, venue, clock } = parts;
  const nonce = await books.nextNonce(clock.now());
  if (!(await books.noteMove(kind, venue.market.quote, value, nonce, last))) return;
  const one: OpenMove = { kind, atoms: value, nonce, body: undefined, createdAt: clock.now() };
  if (!(await isCovered(parts, one))) return giveUp(parts, one);
  try {
    await sign(parts, one);
  } catch (error) {
    // At the first try nobody can have signed it before: its money waits for nothing.
    if (isNo(error)) await giveUp(parts, one);
    throw error;
  }
}

/**
 * Whether its money is set apart. One that was signed by an earlier version, or is known from the signer's journal alone, may not
 * have been covered when it was made, and is from the next round on that finds enough.
 */
export const isCovered = (parts: MoveParts, one: OpenMove): Promise<boolean> =>
  setApart(parts.books, earmarkOf(parts, one));

const earmarkOf = ({ venue }: MoveParts, { kind, nonce, atoms }: OpenMove) =>
  moveEarmark(kind, nonce, amount(venue.market.quote, atoms));

/** Asking again gives the same bytes: one intent, one nonce, one body. */
export async function sign({ signer, books, venue }: MoveParts, one: OpenMove): Promise<void> {
  const { kind, atoms, nonce } = one;
  const wish = kind === 'withdraw' ? { move: kind, atoms, to: venue.account, nonce } : { move: kind, atoms, nonce };
  const intent = intentId('treasury', 'rebalance', nonce);
  await books.signMove(await signer.signMove({ intent, owner: 'treasury', kind: 'rebalance', move: wish, wire: {} }));
}

/** It has happened: its row has been posted, and what it was set apart for and did not take is free again. */
export const settle = (parts: MoveParts, one: OpenMove): Promise<void> => close(parts, one, false);
/** It will not happen, or whoever says so answers for it: should its row come after all, it is posted as it comes. */
export const giveUp = (parts: MoveParts, one: OpenMove): Promise<void> => close(parts, one, true);

async function close(parts: MoveParts, one: OpenMove, isDead: boolean): Promise<void> {
  const { books } = parts;
  await setFree(books, earmarkOf(parts, one));
  await books.settleMove(one.nonce, isDead);
  await books.caseOver(unseenCase(one.nonce));
}

const unseenCase = (nonce: number): CaseRef => ({ case: 'venue_move_unseen', subject: `${nonce}` });

/** From then on the venue refuses it, whoever posts it. */
export const expiryOf = ({ nonce }: OpenMove, { nonceLifeMs }: Venue): Instant => later(nonce as Instant, nonceLifeMs);

/** Posts what was saved as long as the venue may take it. A person who closes the case about it gives it up. */
export async function postAgain(parts: MoveParts, one: OpenMove): Promise<void> {
  const { venue, books, clock } = parts;
  const { kind, nonce, body, createdAt } = one;
  const now = clock.now();
  if (now > later(createdAt, PATIENCE_MS)) {
    if (await books.isClosedByHand(unseenCase(nonce))) return giveUp(parts, one);
    await books.raiseCase({ case: 'venue_move_unseen', move: kind, nonce });
  }
  if (body !== undefined && now <= expiryOf(one, venue)) await venue.post({ nonce, body });
}

/** The venue shows the nonce of a withdrawal, and of a change of sides only what and when; there is one at a time. */
export function isRowOf({ kind, atoms, nonce, createdAt }: OpenMove, row: LedgerRow): boolean {
  if (row.kind !== kind) return false;
  if (kind === 'withdraw') return row.nonce === nonce;
  return row.atoms === atoms && row.at > later(createdAt, -CLOCK_SLACK_MS);
}

/** What left by a withdrawal was set apart for it; whatever was not is taken from what is free. */
export async function withdrawalPostings(
  books: Pick<MoveBooks, 'balance'>,
  row: LedgerRow,
): Promise<readonly Posting[]> {
  const { asset, nonce } = row;
  const total = row.atoms + row.fee;
  const apart = nonce === undefined ? undefined : moveApart(nonce);
  const held = apart ? await books.balance(apart, asset) : 0n;
  const taken = lesser(held, total);
  return moving([
    ...(apart ? [move(apart, 'world', amount(asset, taken))] : []),
    move('treasury', 'world', amount(asset, total - taken)),
  ]);
}
