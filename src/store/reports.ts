import { present } from '../kernel/assert.ts';
import { instant } from '../kernel/clock.ts';
import type { AssetId, OrderId } from '../kernel/ids.ts';
import type { UsdMicros } from '../kernel/usd.ts';
import { type DayFigures, type OrderFilter, type Reports, TOP_PAIRS } from '../partners/report.ts';
import type { Db, Row, Statement } from './db.ts';

/** What is queued is counted first, so that the answer holds every order that was written before it was asked for. */
const FIGURES: Statement = {
  name: 'report_figures',
  text: 'SELECT days, pairs, fees, times, clients FROM integration_figures($1, $2, $3, $4)',
};
const TO_COUNT: Statement = { name: 'report_to_count', text: 'SELECT integrations_to_count() AS id' };
const COUNT: Statement = { name: 'report_count', text: 'SELECT count_orders($1, $2, $3)' };
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

type Told = readonly string[];

interface FiguresRow extends Row {
  readonly days: readonly Told[] | null;
  readonly pairs: readonly Told[] | null;
  readonly fees: readonly Told[] | null;
  /** Counts between commas. */
  readonly times: string | null;
  readonly clients: string | null;
}

const dollars = (text: string | undefined): UsdMicros => BigInt(text ?? '0') as UsdMicros;

function dayFigures([day, orders, completed, refunded, failed, expired, attributed, ...usd]: Told): DayFigures {
  const [volume, projected, paid, skipped] = usd;
  return {
    day: Number(day),
    orders: Number(orders),
    completed: Number(completed),
    refunded: Number(refunded),
    failed: Number(failed),
    expired: Number(expired),
    attributed: Number(attributed),
    volumeUsd: dollars(volume),
    projectedUsd: dollars(projected),
    paidUsd: dollars(paid),
    skippedUsd: dollars(skipped),
  };
}

/** None at all where there is nothing to count any more. */
function countsOf(text: string | null): readonly number[] {
  const counts = text === null ? [] : text.split(',').map(Number);
  return counts.some((count) => count !== 0) ? counts : [];
}

export function openReports(db: Db): Reports {
  return {
    async figures(integrationId, first, last) {
      const [row] = await db.query<FiguresRow>(FIGURES, [integrationId, first, last, TOP_PAIRS]);
      const found = present(row, 'figures');
      return {
        days: (found.days ?? []).map(dayFigures),
        pairs: (found.pairs ?? []).map(([fromSymbol = '', toSymbol = '', orders, volume]) => ({
          fromSymbol,
          toSymbol,
          orders: Number(orders),
          volumeUsd: dollars(volume),
        })),
        fees: (found.fees ?? []).map(([asset, projected, paid]) => ({
          asset: asset as AssetId,
          projected: BigInt(projected ?? '0'),
          paid: BigInt(paid ?? '0'),
        })),
        times: countsOf(found.times),
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

    async count(first, last) {
      for (const { id } of await db.query(TO_COUNT)) await db.query(COUNT, [id, first, last]);
    },
  };
}
