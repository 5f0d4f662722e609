import { type Amount, amount } from '../../kernel/amount.ts';
import { assert } from '../../kernel/assert.ts';
import { later } from '../../kernel/clock.ts';
import type { Fill, Market, Ticket, TicketStatus, Venue } from '../../world/venues/venue.ts';

/** The venue's servers may differ by this much from each other; our own clock does not matter to any of this. */
const SERVERS_DIFFER_MS = 5_000;

/** Expired is what the venue does not know once its own time is past the ticket's: it is asked for the ticket after its time. */
export async function lookedUp(venue: Venue, { clientId, expiresAfter }: Ticket): Promise<TicketStatus | 'expired'> {
  const status = await venue.ticket(clientId);
  if (status.state !== 'unknown') return status;
  const { at } = await venue.book();
  if (at <= later(expiresAfter, SERVERS_DIFFER_MS)) return status;
  const again = await venue.ticket(clientId);
  return again.state === 'unknown' ? 'expired' : again;
}

export type EndedTicket = Extract<TicketStatus, { state: 'done' }>;

/** The ticket's own fills, and how much of what was filled they show so far. */
export async function fillsOf(
  venue: Venue,
  { clientId }: Ticket,
  { filled, placedAt }: EndedTicket,
): Promise<{ readonly fills: readonly Fill[]; readonly shown: bigint }> {
  const fills = (await venue.fills(later(placedAt, -SERVERS_DIFFER_MS))).filter((fill) => fill.clientId === clientId);
  const shown = fills.reduce((total, fill) => total + fill.size, 0n);
  assert(shown <= filled, `${clientId}: more was filled than ordered`);
  return { fills, shown };
}

/** What left and what came, the venue's fee taken from what came. */
export function totals(fills: readonly Fill[], { base, quote }: Market): { spent: Amount; got: Amount } {
  const sold = fills.reduce((total, fill) => total + fill.size, 0n);
  const paid = fills.reduce((total, fill) => total + fill.quote, 0n);
  const fee = fills.reduce((total, fill) => total + fill.fee.atoms, 0n);
  const isBuy = fills[0]?.side === 'buy';
  assert(
    fills.every((fill) => fill.fee.atoms === 0n || fill.fee.asset === (isBuy ? base : quote)),
    'a fee in another asset than was received',
  );
  return isBuy
    ? { spent: amount(quote, paid), got: amount(base, sold - fee) }
    : { spent: amount(base, sold), got: amount(quote, paid - fee) };
}
