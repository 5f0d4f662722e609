import { type Amount, amount, atoms } from '../kernel/amount.ts';
import type { Instant } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';
import type { AssetId, OrderId } from '../kernel/ids.ts';
import type { Fill, Market, SignedAction, Ticket } from '../world/venues/venue.ts';
import type { Db, Row, Statement } from './db.ts';

/** A fill as it was saved; `seq` is the order of collection and never repeats. */
export interface SavedFill {
  readonly seq: number;
  readonly tradeId: string;
  readonly txHash: string | undefined;
  readonly market: string;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: Amount;
  readonly quote: Amount;
  readonly fee: Amount;
  readonly at: Instant;
}

const TICKET: Statement = {
  name: 'ticket_find',
  text: `SELECT cloid, side, size, price_limit, nonce, expires_after, body, created_at FROM ticket
    WHERE order_id = $1 AND chunk = $2 AND attempt = $3`,
};
const SAVE_TICKET: Statement = {
  name: 'ticket_save',
  text: `INSERT INTO ticket (cloid, order_id, chunk, attempt, side, size, price_limit, nonce, expires_after, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING cloid`,
};
const SAVE_SIGNED: Statement = { name: 'ticket_sign', text: 'UPDATE ticket SET body = $2 WHERE cloid = $1' };
/** Payments of the same account on the venue (chain 1337) take their nonces from this row, too: both sign with one key. */
const NONCE: Statement = {
  name: 'venue_nonce',
  text: `INSERT INTO account_nonce AS a (chain_id, account, next) VALUES (1337, 'hot', $1::bigint + 1)
    ON CONFLICT (chain_id, account) DO UPDATE SET next = greatest(a.next, $1::bigint) + 1 RETURNING next - 1 AS nonce`,
};
const SAVE_FILL: Statement = {
  name: 'fill_save',
  text: `INSERT INTO fill (trade_id, order_id, cloid, tx_hash, market, side, price, base_asset, size, quote_asset, quote, fee_asset, fee, at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (trade_id) DO NOTHING`,
};
const FILLS: Statement = {
  name: 'fills_of',
  text: 'SELECT * FROM fill WHERE order_id = $1 AND ($3::bigint IS NULL OR seq < $3) ORDER BY seq DESC LIMIT $2',
};

export function openTrades(db: Db) {
  return {
    async ticket(order: OrderId, chunk: number, attempt: number) {
      const [row] = await db.query(TICKET, [order, chunk, attempt]);
      return row && savedTicket(row);
    },

    async saveTicket(
      order: OrderId,
      chunk: number,
      attempt: number,
      saved: { readonly ticket: Ticket; readonly createdAt: Instant },
    ): Promise<void> {
      const { ticket, createdAt } = saved;
      const [row] = await db.query(SAVE_TICKET, [
        ticket.clientId,
        order,
        chunk,
        attempt,
        ticket.side,
        ticket.size.toString(),
        ticket.limit,
        ticket.nonce,
        ticket.expiresAfter,
        createdAt,
      ]);
      // Whoever works on it now goes on; the one that came too late has nothing to say.
      if (!row) throw new Fault('transient', 'database', `ticket ${ticket.clientId} was saved by another process`);
    },

    async saveSigned(clientId: string, signed: SignedAction): Promise<void> {
      await db.query(SAVE_SIGNED, [clientId, signed.body]);
    },

    async nextNonce(now: Instant): Promise<number> {
      const [row] = await db.query(NONCE, [now]);
      return Number(row?.nonce);
    },

    async saveFills(order: OrderId, market: Market, fills: readonly Fill[]): Promise<void> {
      for (const fill of fills) {
        await db.query(SAVE_FILL, [
          fill.tradeId,
          order,
          fill.clientId ?? '',
          fill.txHash ?? null,
          market.name,
          fill.side,
          fill.price,
          market.base,
          fill.size.toString(),
          market.quote,
          fill.quote.toString(),
          fill.fee.asset,
          fill.fee.atoms.toString(),
          fill.at,
        ]);
      }
    },

    async fills(order: OrderId, limit: number, before?: number): Promise<readonly SavedFill[]> {
      return (await db.query(FILLS, [order, limit, before ?? null])).map(savedFill);
    },
  };
}

function savedTicket(row: Row) {
  const nonce = Number(row.nonce);
  const ticket: Ticket = {
    clientId: row.cloid as `0x${string}`,
    side: row.side as Ticket['side'],
    size: atoms(BigInt(row.size as string)),
    limit: row.price_limit as string,
    nonce,
    expiresAfter: Number(row.expires_after) as Instant,
  };
  const body = row.body as string | null;
  const signed: SignedAction | undefined = body === null ? undefined : { nonce, body };
  return { ticket, signed, createdAt: Number(row.created_at) as Instant };
}

function savedFill(row: Row): SavedFill {
  const money = (asset: string, value: string) => amount(row[asset] as AssetId, BigInt(row[value] as string));
  return {
    seq: Number(row.seq),
    tradeId: row.trade_id as string,
    txHash: (row.tx_hash as string | null) ?? undefined,
    market: row.market as string,
    side: row.side as SavedFill['side'],
    price: row.price as string,
    size: money('base_asset', 'size'),
    quote: money('quote_asset', 'quote'),
    fee: money('fee_asset', 'fee'),
    at: Number(row.at) as Instant,
  };
}
