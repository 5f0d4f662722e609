import type { Clock, Instant } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import type { ProviderOrder } from '../world/providers/provider.ts';
import { decode, encode } from './codec.ts';
import type { Db, Statement } from './db.ts';
import { LAST_TAKEN, takenBy } from './payments.ts';

/** One is open at a time for each asset; the database says who was first. */
const NOTE: Statement = {
  name: 'stock_fill_note',
  text: `INSERT INTO stock_fill (number, asset, provider, terms, usd, state, created_at) VALUES ($1, $2, $3, $4, $5, 'noted', $6)
    ON CONFLICT DO NOTHING RETURNING number`,
};
const OPEN: Statement = {
  name: 'stock_fill_open',
  text: `SELECT number, provider, terms, created_at FROM stock_fill WHERE asset = $1 AND state IN ('noted', 'open')`,
};
const CLOSE: Statement = { name: 'stock_fill_close', text: 'UPDATE stock_fill SET state = $2 WHERE number = $1' };
const WITHDRAW: Statement = {
  name: 'stock_fill_withdraw',
  text: 'UPDATE stock_fill SET is_withdrawn = true WHERE number = $1',
};
const FIND: Statement = {
  name: 'stock_fill_find',
  text: 'SELECT terms, is_withdrawn FROM stock_fill WHERE number = $1',
};
/** The payment opens it in the same row: one of the two comes first. */
const DROP: Statement = {
  name: 'stock_fill_drop',
  text: `UPDATE stock_fill SET state = 'void' WHERE number = $1 AND state = 'noted'`,
};
/** A restored database knows of payments whose purchase it has forgotten: their numbers are used. */
const LAST: Statement = {
  name: 'stock_fill_last',
  text: `SELECT greatest((SELECT coalesce(max(number), 0) FROM stock_fill), ${LAST_TAKEN}) AS number`,
};
/** One that failed keeps others from being made for a day, beside what it was worth. */
const SPENT: Statement = {
  name: 'stock_fill_spent',
  text: `SELECT coalesce(sum(usd) FILTER (WHERE asset = $1 AND state <> 'void'), 0) AS usd,
      count(*) FILTER (WHERE asset = $1 AND state = 'lost') AS failed,
      array_agg(DISTINCT provider) FILTER (WHERE state = 'lost') AS providers
    FROM stock_fill WHERE created_at > $2`,
};

/** A purchase that was agreed with a provider. */
export interface NotedFill {
  readonly number: number;
  readonly provider: string;
  readonly terms: ProviderOrder;
}

export function openStockFills(db: Db, clock: Clock) {
  return {
    async note({ number, asset, provider, terms, usd }: NotedFill & { asset: AssetId; usd: bigint }): Promise<boolean> {
      return (await db.query(NOTE, [number, asset, provider, encode(terms), usd.toString(), clock.now()])).length > 0;
    },
    async open(asset: AssetId): Promise<(NotedFill & { readonly since: Instant }) | undefined> {
      const [row] = await db.query(OPEN, [asset]);
      return (
        row && {
          number: Number(row.number),
          provider: row.provider as string,
          terms: decode<ProviderOrder>(row.terms),
          since: Number(row.created_at) as Instant,
        }
      );
    },
    /** undefined where a restored database has forgotten it. */
    async find(number: number): Promise<{ readonly terms: ProviderOrder; readonly isWithdrawn: boolean } | undefined> {
      const [row] = await db.query(FIND, [number]);
      return row && { terms: decode<ProviderOrder>(row.terms), isWithdrawn: row.is_withdrawn === true };
    },
    async withdraw(number: number): Promise<void> {
      await db.query(WITHDRAW, [number]);
    },
    async drop(number: number): Promise<void> {
      await db.query(DROP, [number]);
    },
    async close(number: number, state: 'done' | 'lost' | 'void'): Promise<void> {
      await db.query(CLOSE, [number, state]);
    },
    async last(): Promise<number> {
      const [row] = await db.query(LAST, takenBy('treasury', 'stock_fill'));
      return Number(row?.number ?? 0);
    },
    async since(
      asset: AssetId,
      since: Instant,
    ): Promise<{ readonly usd: bigint; readonly hasFailed: boolean; readonly failed: readonly string[] }> {
      const [row] = await db.query(SPENT, [asset, since]);
      return {
        usd: BigInt(row?.usd as string),
        hasFailed: Number(row?.failed) > 0,
        failed: (row?.providers as readonly string[] | null) ?? [],
      };
    },
  };
}
