import { type Amount, amount } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { OrderId } from '../../kernel/ids.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { Signer } from '../../signer/request.ts';
import type { Fill, SignedAction, Ticket, TicketStatus, Venue } from '../../world/venues/venue.ts';
import type { Done, Handler, Job } from '../order/handling.ts';
import { isHeld } from '../order/hold.ts';
import { venueLegOf } from '../order/machine/execution.ts';
import type { Order } from '../order/order.ts';
import type { Rules } from '../order/rules.ts';
import type { Execution } from '../order/state.ts';
import { isTooSmall, sizeTicket } from './size.ts';
import { type EndedTicket, fillsOf, lookedUp, totals } from './tickets.ts';

export interface SavedTicket {
  readonly ticket: Ticket;
  /** undefined until it is signed; it is posted only as it was saved. */
  readonly signed: SignedAction | undefined;
  readonly createdAt: Instant;
}

/** What is kept of trades. A ticket is saved before it is signed, and signed before it is posted; a trade id is counted once. */
export interface TradeBooks {
  ticket(order: OrderId, chunk: number, attempt: number): Promise<SavedTicket | undefined>;
  saveTicket(order: OrderId, chunk: number, attempt: number, saved: SavedTicket): Promise<void>;
  saveSigned(clientId: Ticket['clientId'], signed: SignedAction): Promise<void>;
  /** Never the same twice, never behind the clock. */
  nextNonce(now: Instant): Promise<number>;
  saveFills(order: OrderId, market: Venue['market'], fills: readonly Fill[]): Promise<void>;
}

export interface ExecutionStage {
  readonly venue: Venue;
  readonly signer: Signer;
  readonly books: TradeBooks;
  readonly rules: Rules;
  readonly clock: Clock;
}

const ASK_AGAIN_MS = 250;
/** Of a ticket that was opened just now: nobody but this instruction posts it. */
const NOT_POSTED: TicketStatus = { state: 'unknown' };

export function executionHandlers(stage: ExecutionStage) {
  const { venue, books, clock } = stage;

  /** The ledger itself is asked whether there is enough. */
  const reserve = (fact: 'stock_reserved' | 'payout_reserved') => async (): Promise<Done> => ({
    fact: { fact, at: clock.now() },
    whenShort: (asset) => ({ fact: 'inventory_short', asset, at: clock.now() }),
  });

  const workTicket: Handler<'work_ticket'> = async (job, order) => {
    if (order.state.phase !== 'trading') return 'done';
    const { run } = order.state;
    const known =
      (await books.ticket(order.id, job.effect.chunk, job.effect.attempt)) ??
      (await forgottenTicket(stage, job, order));
    // The money of the order is gone: nothing is opened, signed or posted until it is back and the order asks again.
    const mayOnlyFollow = isHeld(order);
    if (mayOnlyFollow && !known?.signed) return 'done';
    const saved = known ?? (await openTicket(stage, job, order, run));
    if (!saved) return nothingTraded(job, run, clock.now());
    const before = known ? await lookedUp(venue, saved.ticket) : NOT_POSTED;
    if (before === 'expired') return nothingTraded(job, run, clock.now());
    if (before.state === 'unknown' && mayOnlyFollow) return { againInMs: ASK_AGAIN_MS };
    if (before.state === 'unknown') await venue.post(saved.signed ?? (await signTicket(stage, order, saved.ticket)));
    // The venue ends such an order as it takes it, so that it is looked up at once, whatever it answered.
    const status = before.state === 'unknown' ? await venue.ticket(saved.ticket.clientId) : before;
    if (status.state === 'unknown') return { againInMs: ASK_AGAIN_MS };
    if (status.state === 'open') return { againInMs: ASK_AGAIN_MS, trouble: 'the venue has not ended this ticket' };
    return settle(stage, job, order, run, saved, status);
  };

  return {
    reserve_stock: reserve('stock_reserved'),
    reserve_payout: reserve('payout_reserved'),
    work_ticket: workTicket,
  };
}

const clientIdOf = ({ effect: { chunk, attempt } }: Job<'work_ticket'>, { id }: Order): Ticket['clientId'] =>
  `0x${sha256Hex(`ticket:${id}:${chunk}:${attempt}`).slice(0, 32)}`;

/**
 * A database from the past may not know that this very ticket was traded already. Signer and venue know it by its client id,
 * and are asked before anything is sized: what was done once is taken up, not done again. The venue first: another engine may be at
 * the same ticket, and what the venue knows by then the signer knows for longer.
 */
async function forgottenTicket(
  { venue, signer, books }: ExecutionStage,
  job: Job<'work_ticket'>,
  order: Order,
): Promise<SavedTicket | undefined> {
  const clientId = clientIdOf(job, order);
  const { state } = await venue.ticket(clientId);
  const signed = await signer.signedTrade(clientId);
  if (signed) {
    const saved = { ticket: signed.request.ticket, signed: signed.answer, createdAt: signed.at };
    await books.saveTicket(order.id, job.effect.chunk, job.effect.attempt, saved);
    await books.saveSigned(clientId, signed.answer);
    return saved;
  }
  if (state !== 'unknown')
    throw new Fault('permanent', 'venue', `it knows ticket ${clientId}, and neither the database nor the signer does`);
  return undefined;
}

/** Saves a ticket for what the chunk still has to spend; undefined when the book offers nothing acceptable. */
async function openTicket(
  { venue, books, rules, clock }: ExecutionStage,
  job: Job<'work_ticket'>,
  order: Order,
  run: Execution,
): Promise<SavedTicket | undefined> {
  const leg = venueLegOf(order, run.leg);
  const book = await venue.book();
  const size = sizeTicket(book, venue.market, leg, run.chunkLeft);
  if (size === undefined) return undefined;
  const now = clock.now();
  const { chunk, attempt } = job.effect;
  const ticket: Ticket = {
    clientId: clientIdOf(job, order),
    side: leg.side,
    size,
    limit: venue.priceText(leg.worstPrice, leg.side),
    nonce: await books.nextNonce(now),
    expiresAfter: later(book.at, rules.ticketLifeMs),
  };
  const saved = { ticket, signed: undefined, createdAt: now };
  await books.saveTicket(order.id, chunk, attempt, saved);
  return saved;
}

/** The signer signs one ticket under one name, so it is asked only for what was saved: after a crash, for the same again. */
async function signTicket(
  { venue, signer, books }: ExecutionStage,
  { id }: Order,
  ticket: Ticket,
): Promise<SignedAction> {
  const signed = await signer.signTrade({ owner: id, ticket, wire: venue.market.wire });
  await books.saveSigned(ticket.clientId, signed);
  return signed;
}

function nothingTraded(job: Job<'work_ticket'>, run: Execution, at: Instant): Done {
  const { chunk, attempt } = job.effect;
  const none = (like: Amount) => amount(like.asset, 0n);
  return { fact: { fact: 'ticket_done', chunk, attempt, spent: none(run.spent), got: none(run.got), last: false, at } };
}

/** Counts the ticket's own fills, once all of them are there, and saves them as they are. */
async function settle(
  { venue, books, clock }: ExecutionStage,
  job: Job<'work_ticket'>,
  order: Order,
  run: Execution,
  saved: SavedTicket,
  status: EndedTicket,
): Promise<Done> {
  if (status.filled === 0n) return nothingTraded(job, run, clock.now());
  const { fills, shown } = await fillsOf(venue, saved.ticket, status);
  if (shown < status.filled)
    return { againInMs: ASK_AGAIN_MS, trouble: `the venue filled ${status.filled} and shows fills of ${shown}` };
  await books.saveFills(order.id, venue.market, fills);
  const { spent, got } = totals(fills, venue.market);
  const left = run.chunkLeft.atoms > spent.atoms ? amount(spent.asset, run.chunkLeft.atoms - spent.atoms) : undefined;
  const price = present(fills.at(-1), 'last fill');
  const last = left === undefined || isTooSmall(left, saved.ticket.side, price, venue.market);
  const { chunk, attempt } = job.effect;
  return { fact: { fact: 'ticket_done', chunk, attempt, spent, got, last, at: clock.now() } };
}
