import { type Static, Type } from '@sinclair/typebox';
import { present } from '../kernel/assert.ts';
import { type Instant, instant, isoTime, later } from '../kernel/clock.ts';
import { allOf, inField } from '../kernel/field-refusals.ts';
import { chainOf, parseOrderId, tokenOf } from '../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import { showUsd } from '../kernel/usd.ts';
import { depositSeen } from '../life/order/view/deposit-seen.ts';
import { feeReport } from '../life/order/view/report.ts';
import { payoutTxHash } from '../life/order/view/v2-customer.ts';
import { settledAt } from '../partners/address-change.ts';
import { csvOf } from '../partners/csv.ts';
import { type ClientLimits, DEFAULT_CLIENT_LIMITS, DEFAULT_LIMITS, type Limits } from '../partners/integration.ts';
import { attributionOf, type OrderPlace, reportWindow, statsOf } from '../partners/report.ts';
import type { Placed } from '../store/orders.ts';
import { openCursor, sealCursor, strangeCursor } from './cursor.ts';
import type { ApiDeps } from './deps.ts';
import type { Csv } from './endpoint.ts';
import { ORDERS_PER_PAGE } from './limits.ts';
import { FEE_STATUSES, type Report, ReportedOrder, type ReportedOrders } from './partner/schema.ts';
import { profileOf } from './partner/shape.ts';
import { rowOf } from './v2/reply-shapes.ts';
import { OrderStatus } from './v2/schema.ts';
import { oneOf } from './wire-schemas.ts';

/** What a partner reads about the whole integration (2.12): across its keys, revoked ones included, and both generations. */
export async function integratorReport(integrationId: string, deps: ApiDeps): Promise<Static<typeof Report>> {
  const { partnerRoom, clock, desk, catalog } = deps;
  const now = clock.now();
  const [first, today] = reportWindow(now);
  const [found, figures] = await Promise.all([
    partnerRoom.book.find(integrationId),
    partnerRoom.reports.figures(integrationId, first, today),
  ]);
  const integration = settledAt(present(found, 'an integration'), now);
  const { limits, forwarding, createdAt } = integration;
  const since = later(now, -limits.openOrderWindowMinutes * 60_000);
  const stats = statsOf(figures, today, (asset) => {
    const { chainId, token, symbol } = catalog.asset(asset);
    return { chainId, token, symbol };
  });
  return {
    integrator: { ...profileOf(integration), createdAt: isoTime(createdAt) },
    stats,
    access: {
      limits: threeOf(limits),
      defaults: threeOf(DEFAULT_LIMITS),
      quoteLimitPerMin: limits.quoteLimitPerMin,
      openOrderWindowMinutes: limits.openOrderWindowMinutes,
      openOrders: await desk.openOrders({ integrationId }, since, undefined),
      keyRequestLimitPerMin: limits.keyRequestLimitPerMin,
      clientIpForwarding: {
        enabled: forwarding?.enabled ?? false,
        header: 'X-End-User-IP',
        limits: threeOf(forwarding?.limits ?? DEFAULT_CLIENT_LIMITS),
      },
      attribution: attributionOf(figures),
    },
  };
}

const threeOf = ({ requestLimitPerMin, createLimitPerMin, maxOpenOrders }: Limits | ClientLimits) => ({
  requestLimitPerMin,
  createLimitPerMin,
  maxOpenOrders,
});

const MOMENT = '^\\d{4}-\\d\\d-\\d\\d(?:T\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:\\d\\d))?$';
const Moment = Type.String({ pattern: MOMENT, description: 'A date, or a time with its offset.' });

export const OrdersQuery = Type.Object({
  status: Type.Optional(OrderStatus),
  feeStatus: Type.Optional(oneOf(...FEE_STATUSES)),
  from: Type.Optional(Moment),
  to: Type.Optional(Moment),
  cursor: Type.Optional(Type.String({ maxLength: 256 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ORDERS_PER_PAGE })),
});

type Page = Static<typeof ReportedOrders>;

/** Newest first (D46). */
export async function integratorOrders(
  integrationId: string,
  query: Static<typeof OrdersQuery>,
  deps: ApiDeps,
): Promise<Page | Refusal> {
  const { cursor, limit = ORDERS_PER_PAGE, status, feeStatus } = query;
  const moments = allOf(momentOf('from', query.from), momentOf('to', query.to));
  if (isRefusal(moments)) return moments;
  const [from, to] = moments;
  const list = `integrator-orders:${integrationId}`;
  const text = cursor === undefined ? undefined : openCursor(deps.hashKey, list, cursor);
  const before = text === undefined ? undefined : readPlace(text);
  if (cursor !== undefined && !before) return strangeCursor();
  const { reports, book } = deps.partnerRoom;
  const found = await reports.orders(integrationId, { status, feeStatus, from, to }, limit + 1, before);
  const places = found.slice(0, limit);
  const ids = places.map(({ id }) => id);
  const [keys, ...loaded] = await Promise.all([
    book.keys(integrationId),
    ...(['v1', 'v2'] as const).map((generation) => deps.desk.byIds(ids, integrationId, generation)),
  ]);
  const placed = new Map(loaded.flat().map((one) => [one.order.id, one]));
  const names = new Map(keys.map(({ keyId, name }) => [keyId, name]));
  const last = found.length > limit ? places.at(-1) : undefined;
  return {
    orders: ids.map((id) => reportedOrder(present(placed.get(id), `order ${id}`), names, deps)),
    nextCursor: last ? sealCursor(deps.hashKey, list, `${last.createdAt} ${last.id}`) : null,
  };
}

function momentOf(field: 'from' | 'to', text: string | undefined): Instant | undefined | Refusal {
  if (text === undefined) return undefined;
  const [day = ''] = text.split('T');
  const at = Date.parse(text);
  // A day that its month does not have is read as one of the next.
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  return isDay && !Number.isNaN(at)
    ? instant(at)
    : inField(field, refuse('invalid_request', `${field} must be a time that exists.`));
}

function readPlace(text: string): OrderPlace | undefined {
  const [createdAt = '', id] = text.split(' ');
  const orderId = parseOrderId(id);
  return orderId && { createdAt: instant(Number.parseInt(createdAt, 10)), id: orderId };
}

function reportedOrder(
  { order, owner }: Placed,
  names: ReadonlyMap<string, string | undefined>,
  deps: ApiDeps,
): Static<typeof ReportedOrder> {
  const { catalog } = deps;
  const fee = feeReport(order);
  const asset = fee.amount?.asset;
  return {
    ...rowOf(order, deps),
    feeStatus: fee.status,
    feeSkipReason: fee.skipReason ?? null,
    feePercent: fee.percent,
    feeAmount: fee.amount?.atoms.toString() ?? null,
    feeToken: asset ? tokenOf(asset) : null,
    feeChainId: asset ? chainOf(asset) : null,
    feeSymbol: asset ? catalog.asset(asset).symbol : null,
    feeUsd: showUsd(fee.usd),
    feeTxHash: fee.txHash ?? null,
    keyId: owner.keyId ?? null,
    keyName: (owner.keyId && names.get(owner.keyId)) ?? null,
    generation: order.generation,
    depositTxHash: depositSeen(order)?.txHash ?? null,
    payoutTxHash: payoutTxHash(order) ?? null,
  };
}

/** The place of the next page goes in a header, for there is none in the text. */
export const ordersCsv: Csv<Page> = ({ orders, nextCursor }) => ({
  // A cell holds no object: what was delivered instead goes by its symbol.
  text: csvOf(
    Object.keys(ReportedOrder.properties),
    orders.map((order) => ({ ...order, deliveredToken: order.deliveredToken?.symbol })),
  ),
  headers: nextCursor === null ? {} : { 'x-next-cursor': nextCursor },
});
