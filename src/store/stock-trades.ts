import { atoms } from '../kernel/amount.ts';
import type { Clock, Instant } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { SignedAction, Ticket } from '../world/venues/venue.ts';
import type { Db, Row, Statement } from './db.ts';

/** One is open at a time; the database says who was first. */
const NOTE: Statement = {
  name: 'stock_trade_note',
  text: `INSERT INTO stock_trade (number, asset, cloid, side, size, price_limit, nonce, expires_after, body, usd, state, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open', $11) ON CONFLICT DO NOTHING RETURNING number`,
};
const OPEN: Statement = { name: 'stock_trade_open', text: `SELECT * FROM stock_trade WHERE state = 'open'` };
const SIGN: Statement = { name: 'stock_trade_sign', text: 'UPDATE stock_trade SET body = $2 WHERE number = $1' };
const CLOSE: Statement = {
  name: 'stock_trade_close',
  text: `UPDATE stock_trade SET state = $2, usd = $3 WHERE number = $1 AND state = 'open'`,
};
const LAST: Statement = {
  name: 'stock_trade_last',
  text: 'SELECT coalesce(max(number), 0) AS number FROM stock_trade',
};
const SPENT: Statement = {
  name: 'stock_trade_spent',
  text: `SELECT coalesce(sum(usd), 0) AS usd FROM stock_trade WHERE asset = $1 AND created_at > $2 AND state <> 'void'`,
};

/** A ticket of the house's own. */
export interface NotedTrade {
  readonly number: number;
  readonly asset: AssetId;
  readonly ticket: Ticket;
  readonly signed: SignedAction | undefined;
  readonly usd: bigint;
}

export function openStockTrades(db: Db, clock: Clock) {
  return {
    async note({ number, asset, ticket, signed, usd }: NotedTrade): Promise<boolean> {
      const { clientId, side, size, limit, nonce, expiresAfter } = ticket;
      const row = [number, asset, clientId, side, size.toString(), limit, nonce, expiresAfter, signed?.body ?? null];
      return (await db.query(NOTE, [...row, usd.toString(), clock.now()])).length > 0;
    },
    async open(): Promise<NotedTrade | undefined> {
      const [row] = await db.query(OPEN);
      return row && tradeIn(row);
    },
    async saveSigned(number: number, { body }: SignedAction): Promise<void> {
      await db.query(SIGN, [number, body]);
    },
    async close(number: number, state: 'done' | 'void', usd: bigint): Promise<void> {
      await db.query(CLOSE, [number, state, usd.toString()]);
    },
    async last(): Promise<number> {
      const [row] = await db.query(LAST);
      return Number(row?.number);
    },
    async since(asset: AssetId, since: Instant): Promise<bigint> {
      const [row] = await db.query(SPENT, [asset, since]);
      return BigInt(row?.usd as string);
    },
  };
}

function tradeIn(row: Row): NotedTrade {
  const [nonce, body] = [Number(row.nonce), row.body as string | null];
  return {
    number: Number(row.number),
    asset: row.asset as AssetId,
    ticket: {
      clientId: row.cloid as Ticket['clientId'],
      side: row.side as Ticket['side'],
      size: atoms(BigInt(row.size as string)),
      limit: row.price_limit as string,
      nonce,
      expiresAfter: Number(row.expires_after) as Instant,
    },
    signed: body === null ? undefined : { nonce, body },
    usd: BigInt(row.usd as string),
  };
}
