import { amount, atoms } from '../../../kernel/amount.ts';
import { instant } from '../../../kernel/clock.ts';
import { txHash } from '../../../kernel/ids.ts';
import { compare, type Ratio, scaleInt } from '../../../kernel/ratio.ts';
import type { Book, Fill, Level, TicketStatus } from '../venue.ts';
import type { TimedRow } from './paging.ts';
import { atomPrice, type PriceRules } from './price.ts';
import { decimal, decimalRatio, exactAtoms, fields, list, malformed, roundedAtoms, text, whole } from './reply.ts';
import type { SpotPair, Token } from './tokens.ts';

const NO_TRANSACTION = /^0x0+$/;

export function readBook(reply: unknown, rules: PriceRules): Book {
  const book = fields(reply, 'l2Book');
  const [bids, asks] = list(book.levels, 'l2Book.levels');
  return {
    bids: readLevels(bids, rules).sort((a, b) => compare(b.price, a.price)),
    asks: readLevels(asks, rules).sort((a, b) => compare(a.price, b.price)),
    at: instant(whole(book.time, 'l2Book.time')),
  };
}

function readLevels(value: unknown, rules: PriceRules): Level[] {
  return list(value, 'l2Book.levels').map((entry) => {
    const level = fields(entry, 'l2Book.levels');
    return {
      price: atomPrice(decimalRatio(level.px, 'l2Book.px'), rules),
      size: atoms(exactAtoms(level.sz, rules.baseDecimals, 'l2Book.sz')),
    };
  });
}

/** Perpetual mids go by symbol; the base's own price is the pair we trade. Other spot pairs have no symbol of their own. */
export function readMids(reply: unknown, coin: string): ReadonlyMap<string, Ratio> {
  const prices = new Map<string, Ratio>();
  for (const [symbol, mid] of Object.entries(fields(reply, 'allMids')))
    if (/^[A-Za-z0-9]+$/.test(symbol)) prices.set(symbol, decimalRatio(mid, `allMids.${symbol}`));
  const traded = fields(reply, 'allMids')[coin];
  if (traded !== undefined) prices.set('XMR', decimalRatio(traded, `allMids.${coin}`));
  return prices;
}

export function readTicket(reply: unknown, base: Token): TicketStatus {
  const found = fields(reply, 'orderStatus');
  if (found.status === 'unknownOid') return { state: 'unknown' };
  if (found.status !== 'order') return malformed('orderStatus.status');
  const entry = fields(found.order, 'orderStatus.order');
  const reason = text(entry.status, 'orderStatus.order.status');
  if (reason === 'open' || reason === 'triggered') return { state: 'open' };
  const order = fields(entry.order, 'orderStatus.order.order');
  const asked = exactAtoms(order.origSz, base.decimals, 'orderStatus.origSz');
  const left = exactAtoms(order.sz, base.decimals, 'orderStatus.sz');
  if (left > asked) return malformed('orderStatus.sz');
  const placedAt = instant(whole(order.timestamp, 'orderStatus.timestamp'));
  return { state: 'done', filled: atoms(asked - left), reason, placedAt };
}

/** A line of the account's trades; `fill` is undefined for other markets. */
export interface FillRow extends TimedRow {
  readonly fill: Fill | undefined;
}

export function readFill(value: unknown, pair: SpotPair, rules: PriceRules): FillRow {
  const row = fields(value, 'fill');
  const tradeId = String(whole(row.tid, 'fill.tid'));
  const at = instant(whole(row.time, 'fill.time'));
  const key = `${tradeId}:${whole(row.oid, 'fill.oid')}`;
  if (row.coin !== pair.coin) return { key, at, fill: undefined };
  const price = decimal(row.px, 'fill.px');
  const size = exactAtoms(row.sz, rules.baseDecimals, 'fill.sz');
  const feeToken = [pair.base, pair.quote].find((token) => token.name === row.feeToken);
  if (!feeToken || (row.side !== 'B' && row.side !== 'A')) return malformed('fill.side or fill.feeToken');
  const hash = text(row.hash, 'fill.hash');
  const fill: Fill = {
    tradeId,
    clientId: row.cloid === undefined || row.cloid === null ? undefined : text(row.cloid, 'fill.cloid'),
    txHash: NO_TRANSACTION.test(hash) ? undefined : txHash(hash),
    side: row.side === 'B' ? 'buy' : 'sell',
    price,
    size: atoms(size),
    quote: atoms(scaleInt(size, atomPrice(decimalRatio(price, 'fill.px'), rules), 'down')),
    fee: amount(feeToken.asset, roundedAtoms(row.fee, feeToken.decimals, 'up', 'fill.fee')),
    at,
  };
  return { key, at, fill };
}
