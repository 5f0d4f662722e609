import { type Amount, amount, atoms, rescale } from '../../kernel/amount.ts';
import { type Instant, instant, later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Address, AssetId } from '../../kernel/ids.ts';
import type { LedgerRow } from '../../world/venues/venue.ts';
import { move, type Posting } from '../payment/posting.ts';
import type { OpenMove } from '../payment/venue-move.ts';
import {
  CLOCK_SLACK_MS,
  expiryOf,
  giveUp,
  isRowOf,
  type MoveBooks,
  type MoveParts,
  postAgain,
  settle,
  withdrawalPostings,
} from './venue-moves.ts';

export interface RowBooks extends MoveBooks {
  /** Which of these are our own deposit accounts on the venue. */
  ours(addresses: readonly Address[]): Promise<ReadonlySet<Address>>;
  /** Up to when the venue's ledger has been taken over. */
  lookedTo(): Promise<Instant | undefined>;
  saveLooked(at: Instant): Promise<void>;
  /** What came by this row is a payment of ours that was opened within that time, if one has that size. Doing it twice changes nothing. */
  keepDeposited(row: string, came: Amount, earliest: Instant, latest: Instant): Promise<void>;
}

export interface RowParts extends MoveParts {
  readonly books: RowBooks;
  readonly homeDecimals: number;
}

/** Since when the ledger tells every change of an asset. */
export type Openings = ReadonlyMap<AssetId, Instant>;

/** The venue allows sixty questions for a ledger a minute, to all of us; what shows, shows within seconds of its making. */
const LOOK_MS = 10_000;
const YOUNG_MS = 15_000;
/** The venue's books lag behind its actions: now and then its rows are read again from this far back. */
export const OVERLAP_MS = 60 * 60 * 1000;
const AGAIN_MS = 10 * 60 * 1000;
/** The venue shows a deposit within minutes of its payment; one of its own bad days is waited for. */
const DEPOSITED_MS = 24 * 60 * 60 * 1000;
/** Where nobody knows who looked last. */
const FIRST_LOOK_MS = 7 * 24 * 60 * 60 * 1000;

/** One way through the ledger, oldest rows first, a page at each look. */
interface Pass {
  readonly from: Instant;
  readonly startedAt: Instant;
  readonly at: Instant;
  /** Of all passes. */
  readonly furthest: Instant;
}

/**
 * Takes over what the venue's ledger shows, and finishes moves under way. Anyone may write rows into it for next to nothing, so a
 * look reads one page and the next one goes on where it ended.
 */
export function ledgerLooker(parts: RowParts): (openings: Openings, open: readonly OpenMove[]) => Promise<void> {
  const { venue, books, clock } = parts;
  let pass: Pass | undefined;
  let looked: Instant | undefined;
  return async (openings, open) => {
    const now = clock.now();
    const isYoung = open.some(({ createdAt }) => now <= later(createdAt, YOUNG_MS));
    if (looked !== undefined && !isYoung && now < later(looked, LOOK_MS)) return;
    looked = now;
    pass ??= await firstPass(parts, openings, open);
    const { rows, next, isEnd, passedOver } = await venue.ledger(pass.at);
    if (passedOver !== undefined) await unexpected(books, `at ${passedOver}, and more than can be read`);
    const first = Math.min(...openings.values());
    const known = rows.filter((row) => row.at > (openings.get(row.asset) ?? first));
    await takeRows(parts, openings, known);
    const shown = open.filter((one) => known.some((row) => isRowOf(one, row)));
    for (const one of shown) await settle(parts, one);
    if (next > pass.furthest) await books.saveLooked(next);
    const furthest = instant(Math.max(next, pass.furthest));
    const unseen = open.filter((one) => !shown.includes(one));
    const done = isEnd ? pass : undefined;
    pass =
      isEnd && now >= later(pass.startedAt, AGAIN_MS) ? backTo(parts, open, furthest) : { ...pass, at: next, furthest };
    for (const one of unseen)
      if (done && isDead(one, done, parts)) await giveUp(parts, one);
      else await postAgain(parts, one);
  };
}

async function firstPass(parts: RowParts, openings: Openings, open: readonly OpenMove[]): Promise<Pass> {
  const { books, clock } = parts;
  const to = (await books.lookedTo()) ?? later(clock.now(), OVERLAP_MS - FIRST_LOOK_MS);
  const started = backTo(parts, open, to);
  // Nothing before the first opening is ours to post.
  const from = instant(Math.max(started.from, Math.min(...openings.values())));
  return { ...started, from, at: from };
}

/** Far enough back for rows that showed late, and for whatever is still looked for. */
function backTo({ clock }: MoveParts, open: readonly OpenMove[], furthest: Instant): Pass {
  const from = instant(Math.min(furthest - OVERLAP_MS, ...open.map(earliest)));
  return { from, startedAt: clock.now(), at: from, furthest };
}

const earliest = ({ nonce, createdAt }: OpenMove): number => Math.min(nonce, createdAt) - CLOCK_SLACK_MS;

/** Not found proves nothing by itself: the venue must refuse it by now, and a reading begun since then not know it. */
const isDead = (one: OpenMove, { from, startedAt }: Pass, { venue }: MoveParts): boolean =>
  startedAt > expiryOf(one, venue) && from <= earliest(one);

async function takeRows(parts: RowParts, openings: Openings, rows: readonly LedgerRow[]): Promise<void> {
  const { books } = parts;
  const ours = await books.ours(
    rows.flatMap(({ kind, counterparty = [] }) => (kind === 'send_in' ? counterparty : [])),
  );
  let short: LedgerRow | undefined;
  for (const row of rows) {
    if (row.kind === 'other') await unexpected(books, row.key);
    // Anyone may deploy a token and send it here; it is no inventory.
    const postings = openings.has(row.asset) ? await postingsOf(row, ours, books) : [];
    if (postings.length === 0) continue;
    const done = await books.commit({ key: `venue:${row.key}`, postings });
    if (typeof done === 'object') short ??= row;
    // Only now: for a moment it counts in both places, and never in neither.
    if (row.kind === 'deposit') await keepDeposited(parts, row);
  }
  // Only now: what it lacks may have come with a later row.
  if (short)
    throw new Fault('transient', 'treasury', `${short.key} took ${short.asset} that the ledger says is not there`);
}

/** Rows are read again: what a person has closed stays so. */
async function unexpected(books: RowBooks, row: string): Promise<void> {
  const about = { case: 'venue_row_unexpected', row } as const;
  if (!(await books.isClosedByHand({ case: about.case, subject: row }))) await books.raiseCase(about);
}

/** Nobody but us can deposit for this account, and each deposit stands for one payment. */
function keepDeposited({ venue, books, homeDecimals }: RowParts, { key, atoms: came, at }: LedgerRow): Promise<void> {
  const value = atoms(rescale(came, venue.market.quoteDecimals, homeDecimals, 'down'));
  const [earliest, latest] = [later(at, -DEPOSITED_MS), later(at, CLOCK_SLACK_MS)];
  return books.keepDeposited(key, amount(venue.funding.asset, value), earliest, latest);
}

/**
 * What leaves the account by a send, and what that costs, is posted by the payment that it belongs to; what comes from a
 * deposit account of ours was counted when it came there.
 */
async function postingsOf(row: LedgerRow, ours: ReadonlySet<Address>, books: RowBooks): Promise<readonly Posting[]> {
  switch (row.kind) {
    case 'send_in':
      if (row.counterparty && ours.has(row.counterparty)) return [];
      return [move('world', 'treasury', amount(row.asset, row.atoms))];
    case 'deposit':
    case 'transit_in':
      return [move('world', 'treasury', amount(row.asset, row.atoms))];
    case 'withdraw':
      return withdrawalPostings(books, row);
    case 'send_out':
    case 'activation':
    case 'to_trading':
    case 'to_transit':
    case 'other':
      return [];
  }
}
