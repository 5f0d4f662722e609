import { present } from '../kernel/assert.ts';
import { instant } from '../kernel/clock.ts';
import type { AssetId, OrderId } from '../kernel/ids.ts';
import type { UsdMicros } from '../kernel/usd.ts';
import { type OrderFilter, type Reports, TOP_PAIRS } from '../partners/report.ts';
import type { Db, Row, Statement } from './db.ts';

/** One question, so that everything in the answer is of one moment. Sums go as text: no amount passes through a float. */
const FIGURES: Statement = {
  name: 'report_figures',
  text: `SELECT
    (SELECT json_agg(d) FROM (
      SELECT day, sum(orders)::text AS orders, sum(completed)::text AS completed, sum(refunded)::text AS refunded,
        sum(failed)::text AS failed, sum(expired)::text AS expired, sum(attributed)::text AS attributed,
        sum(volume_usd)::text AS volume_usd, sum(projected_usd)::text AS projected_usd, sum(paid_usd)::text AS paid_usd,
        sum(skipped_usd)::text AS skipped_usd
      FROM integrator_day WHERE integration_id = $1 AND day BETWEEN $2 AND $3 GROUP BY day ORDER BY day) AS d) AS days,
    (SELECT json_agg(p) FROM (
      SELECT from_symbol, to_symbol, sum(orders)::text AS orders, sum(volume_usd)::text AS volume_usd
      FROM integrator_day_pair WHERE integration_id = $1 AND day BETWEEN $2 AND $3
      GROUP BY from_symbol, to_symbol ORDER BY sum(orders) DESC, from_symbol, to_symbol LIMIT $4) AS p) AS pairs,
    (SELECT json_agg(f) FROM (
      SELECT asset, sum(projected)::text AS projected, sum(paid)::text AS paid
      FROM integrator_day_fee WHERE integration_id = $1 AND day BETWEEN $2 AND $3
      GROUP BY asset HAVING sum(projected) > 0 OR sum(paid) > 0 ORDER BY asset) AS f) AS fees,
    (SELECT string_agg(array_to_string(counts, ','), ';') FROM integrator_day_time
      WHERE integration_id = $1 AND day BETWEEN $2 AND $3) AS times,
    (SELECT sum(clients)::text FROM integrator_day_client WHERE integration_id = $1 AND day BETWEEN $2 AND $3) AS clients`,
};
/** A statement for each set of filters, so that each is answered from its own index. */
function ordersStatement({ status, feeStatus }: OrderFilter): Statement {
  const filters = [status === undefined ? '' : 'status', feeStatus === undefined ? '' : 'fee_status'].filter(Boolean);
  return {
    name: ['report_orders', ...filters].join('_by_'),
    text: `SELECT order_id, created_at FROM integrator_order
      WHERE integration_id = $1 AND created_at >= $2 AND created_at < $3 AND (created_at, order_id) < ($4, $5)
        ${filters.map((column, place) => `AND ${column} = $${place + 7}`).join(' ')}
      ORDER BY created_at DESC, order_id DESC LIMIT $6`,
  };
}
/** Later than any order, and after the id of any. */
const THE_END = { createdAt: Number.MAX_SAFE_INTEGER, id: '~' };
const JOIN: Statement = { name: 'report_join', text: 'SELECT join_report_shards($1)' };
/** Orders live a day at most before they are decided; what comes later is joined the next time. */
const SETTLED_DAYS = 2;

type Told = Readonly<Record<string, string>>;

interface FiguresRow extends Row {
  readonly days: readonly Told[] | null;
  readonly pairs: readonly Told[] | null;
  readonly fees: readonly Told[] | null;
  /** Counts of a day between commas, days between semicolons: adding them up here takes a fifth of the time. */
  readonly times: string | null;
  readonly clients: string | null;
}

const countsOf = (day: string): readonly number[] => day.split(',').map(Number);
const added = (all: readonly number[], day: readonly number[]): readonly number[] =>
  all.map((n, at) => n + (day[at] ?? 0));

const dollars = (text: string | undefined): UsdMicros => BigInt(text ?? '0') as UsdMicros;

export function openReports(db: Db): Reports {
  return {
    async figures(integrationId, first, last) {
      const [row] = await db.query<FiguresRow>(FIGURES, [integrationId, first, last, TOP_PAIRS]);
      const found = present(row, 'figures');
      return {
        days: (found.days ?? []).map((day) => ({
          day: Number(day.day),
          orders: Number(day.orders),
          completed: Number(day.completed),
          refunded: Number(day.refunded),
          failed: Number(day.failed),
          expired: Number(day.expired),
          attributed: Number(day.attributed),
          volumeUsd: dollars(day.volume_usd),
          projectedUsd: dollars(day.projected_usd),
          paidUsd: dollars(day.paid_usd),
          skippedUsd: dollars(day.skipped_usd),
        })),
        pairs: (found.pairs ?? []).map((pair) => ({
          fromSymbol: pair.from_symbol ?? '',
          toSymbol: pair.to_symbol ?? '',
          orders: Number(pair.orders),
          volumeUsd: dollars(pair.volume_usd),
        })),
        fees: (found.fees ?? []).map((fee) => ({
          asset: fee.asset as AssetId,
          projected: BigInt(fee.projected ?? '0'),
          paid: BigInt(fee.paid ?? '0'),
        })),
        times: found.times === null ? [] : found.times.split(';').map(countsOf).reduce(added),
        distinctClients: Number(found.clients ?? 0),
      };
    },

    async orders(integrationId, filter, limit, before) {
      const { status, feeStatus, from = 0, to = Number.MAX_SAFE_INTEGER } = filter;
      const { createdAt, id } = before ?? THE_END;
      const named = [status, feeStatus].filter((value) => value !== undefined);
      const rows = await db.query(ordersStatement(filter), [integrationId, from, to, createdAt, id, limit, ...named]);
      return rows.map((row) => ({ id: row.order_id as OrderId, createdAt: instant(Number(row.created_at)) }));
    },

    async tidy(today) {
      await db.query(JOIN, [today - SETTLED_DAYS]);
    },
  };
}
