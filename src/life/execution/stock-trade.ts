import { type Amount, amount } from '../../kernel/amount.ts';
import { type Clock, type Instant, later } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { AssetId } from '../../kernel/ids.ts';
import { lessThanOneBy, ratio, ratioFromDecimal, scaleInt, times } from '../../kernel/ratio.ts';
import { sha256Hex } from '../../kernel/secret.ts';
import type { Signer } from '../../signer/request.ts';
import type { Market, SignedAction, Ticket, TicketStatus, Venue } from '../../world/venues/venue.ts';
import { type Earmark, type EarmarkBooks, setApart, setFree } from '../payment/earmark.ts';
import { move, type Posting } from '../payment/posting.ts';
import { sizeTicket } from './size.ts';
import { DAY_MS, type FillWish, type StockFill, type StockLevel, type WishParts, wishFor } from './stock-levels.ts';
import { fillsOf, lookedUp, totals } from './tickets.ts';

export interface StockTrade {
  readonly number: number;
  /** What is had by it. */
  readonly asset: AssetId;
  readonly ticket: Ticket;
  /** undefined until it is signed; it is posted only as it was saved. */
  readonly signed: SignedAction | undefined;
  readonly usd: bigint;
}

/** What is kept of the house's own trades. One is open at a time, whatever it trades. */
export interface TradeBook {
  /** False where another one is open, or has this number: somebody else was faster. */
  note(trade: StockTrade): Promise<boolean>;
  open(): Promise<StockTrade | undefined>;
  saveSigned(number: number, signed: SignedAction): Promise<void>;
  /** `void`: nothing was traded by it, nor ever will be. */
  close(number: number, state: 'done' | 'void', usd: bigint): Promise<void>;
  last(): Promise<number>;
  /** Millionths of a dollar that were traded for it since then, or may be. */
  since(asset: AssetId, since: Instant): Promise<bigint>;
}

export interface TradeParts extends WishParts {
  readonly venue: Venue;
  readonly signer: Pick<Signer, 'signTrade' | 'signedTrade'>;
  readonly trades: TradeBook;
  readonly books: WishParts['books'] & EarmarkBooks & { nextNonce(now: Instant): Promise<number> };
  readonly ticketLifeMs: number;
  readonly clock: Clock;
}

/** Each round follows the open ticket to its end, and opens one for what runs low: saved first, its money set apart, then signed and posted. */
export function stockTrader(parts: TradeParts): () => Promise<void> {
  const { levels, trades, venue } = parts;
  const traded = levels.filter(({ fill }) => fill?.isTrade);
  return async () => {
    // What is under way is followed to its end even where the settings want no more of it.
    const open = (await trades.open()) ?? (traded.length > 0 ? await forgotten(parts) : undefined);
    if (open) return follow(parts, open, await lookedUp(venue, open.ticket));
    for (const level of traded) if (level.fill && (await trade(parts, level, level.fill))) return;
  };
}

const clientIdOf = (number: number): Ticket['clientId'] => `0x${sha256Hex(`stock-trade:${number}`).slice(0, 32)}`;

/** A database from the past may have forgotten its last tickets. The signer knows them by their client ids. */
async function forgotten({ signer, trades, venue, worth }: TradeParts): Promise<StockTrade | undefined> {
  const number = (await trades.last()) + 1;
  const known = await signer.signedTrade(clientIdOf(number));
  if (!known) return undefined;
  const { ticket } = known.request;
  const { base, quote } = venue.market;
  const one: StockTrade = {
    ...{ number, asset: ticket.side === 'buy' ? base : quote, ticket, signed: known.answer },
    usd: (await worth(amount(base, ticket.size))) ?? 0n,
  };
  return (await trades.note(one)) ? one : undefined;
}

async function trade(parts: TradeParts, level: StockLevel, fill: StockFill): Promise<boolean> {
  const { trades, venue, books, clock } = parts;
  // Before the stock is read: a trade that another engine begins and ends meanwhile takes this number, and the stock is not what was read.
  const number = (await trades.last()) + 1;
  const spent = () => trades.since(level.asset, later(clock.now(), -DAY_MS));
  const wish = await wishFor(parts, level, fill, spent);
  if (!wish) return false;
  const leg = legOf(wish, level.asset, venue.market);
  const book = await venue.book();
  const size = sizeTicket(book, venue.market, leg, wish.input);
  if (size === undefined) return false;
  const ticket: Ticket = {
    ...{ clientId: clientIdOf(number), side: leg.side, size, limit: venue.priceText(leg.worstPrice, leg.side) },
    ...{ nonce: await books.nextNonce(clock.now()), expiresAfter: later(book.at, parts.ticketLifeMs) },
  };
  const one: StockTrade = { number, asset: level.asset, ticket, signed: undefined, usd: wish.usd };
  if (await trades.note(one)) await follow(parts, one, { state: 'unknown' });
  return true;
}

/** The worst price at which the least still comes after the venue's fee. */
function legOf({ input, least }: FillWish, asset: AssetId, { base, takerFee }: Market) {
  const net = lessThanOneBy(takerFee);
  return asset === base
    ? { side: 'buy' as const, worstPrice: ratio(input.atoms * net.num, least * net.den) }
    : { side: 'sell' as const, worstPrice: ratio(least * net.den, input.atoms * net.num) };
}

async function follow(parts: TradeParts, one: StockTrade, before: TicketStatus | 'expired'): Promise<void> {
  const { venue } = parts;
  if (before === 'expired') return over(parts, one, []);
  const status = before.state === 'unknown' ? await posted(parts, one) : before;
  if (status?.state !== 'done') return;
  if (status.filled === 0n) return over(parts, one, []);
  const { fills, shown } = await fillsOf(venue, one.ticket, status);
  if (shown < status.filled) throw new Fault('transient', 'venue', unshown(one, status.filled, shown));
  await over(parts, one, fills);
}

/** The venue's servers lag behind each other for moments; a round that fails for longer is told to a person. */
const unshown = ({ number, ticket }: StockTrade, filled: bigint, shown: bigint): string =>
  `stock trade ${number} (ticket ${ticket.clientId}): the venue filled ${filled} and shows fills of ${shown}`;

/** The account of the ledger in which the most that a ticket can spend is set apart. */
const apart = ({ number }: StockTrade) => `payment:treasury:trade:${number}` as const;

const earmarkOf = (one: StockTrade, market: Market): Earmark => ({
  ...{ key: `stock-trade:${one.number}`, account: apart(one), most: mostSpent(one.ticket, market) },
});

function mostSpent({ side, size, limit }: Ticket, { base, quote, baseDecimals, quoteDecimals }: Market): Amount {
  if (side === 'sell') return amount(base, size);
  const perAtom = times(ratioFromDecimal(limit), ratio(10n ** BigInt(quoteDecimals), 10n ** BigInt(baseDecimals)));
  return amount(quote, scaleInt(size, perAtom, 'up'));
}

async function posted(parts: TradeParts, one: StockTrade): Promise<TicketStatus | undefined> {
  const { venue, signer, books, trades } = parts;
  // Where the treasury has it no more, or it was found over meanwhile, the ticket is left to its time.
  if (!(await setApart(books, earmarkOf(one, venue.market)))) return undefined;
  const signed =
    one.signed ?? (await signer.signTrade({ owner: 'treasury', ticket: one.ticket, wire: venue.market.wire }));
  if (!one.signed) await trades.saveSigned(one.number, signed);
  await venue.post(signed);
  return venue.ticket(one.ticket.clientId);
}

/** What was traded is posted and what was set apart is free again, in one commit; then the ticket is closed. */
async function over(parts: TradeParts, one: StockTrade, fills: Awaited<ReturnType<Venue['fills']>>): Promise<void> {
  const { venue, books, trades } = parts;
  const filled = fills.reduce((total, fill) => total + fill.size, 0n);
  const outcome = filled > 0n ? exchanged(one, totals(fills, venue.market)) : [];
  const done = await setFree(books, earmarkOf(one, venue.market), outcome);
  if (done !== 'ok' && done !== 'seen')
    throw new Fault('transient', 'treasury', `it traded ${done.shortOf} that it does not have`);
  await trades.close(one.number, filled > 0n ? 'done' : 'void', (one.usd * filled) / one.ticket.size);
}

/** What comes does not come from outside: nobody has sent it here. */
const exchanged = (one: StockTrade, { spent, got }: { spent: Amount; got: Amount }): readonly Posting[] => [
  move('treasury', 'world', spent),
  move('world', apart(one), got),
  move(apart(one), 'treasury', got),
];
