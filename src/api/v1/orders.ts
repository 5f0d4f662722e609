import { type Static, Type } from '@sinclair/typebox';
import { present } from '../../kernel/assert.ts';
import { parseOrderId, parseSessionId } from '../../kernel/ids.ts';
import { isRefusal, refuse } from '../../kernel/refusal.ts';
import type { TwapRequest } from '../../life/quote/quote.ts';
import { sessionHash } from '../caller.ts';
import { createOrder } from '../create-order.ts';
import { endpoint } from '../endpoint.ts';
import { newestFills } from '../fill.ts';
import { BULK_ORDERS, MAX_FEE_PERCENT, V1_HISTORY_ROWS } from '../limits.ts';
import { findOrder, knowsDestination, notFound } from '../ownership.ts';
import { readSwapRequest } from '../swap-request.ts';
import { AddressText, Atomic, ChainNumber, SessionText, TokenText } from '../wire-schemas.ts';
import {
  CreatedV1,
  createdV1,
  DetailV1,
  detailV1,
  HistoryRow,
  historyRow,
  QuoteV1,
  quoteV1,
  Summary,
  summaryOf,
} from './reply-shapes.ts';

const QuoteBody = Type.Object({
  fromChainId: ChainNumber,
  toChainId: ChainNumber,
  fromToken: TokenText,
  toToken: TokenText,
  fromAmount: Atomic,
  fee: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_FEE_PERCENT })),
});

/** More than any order is worth; the whole order is one chunk long before. */
const MAX_CHUNK_USD = 1_000_000_000;

const TwapConfig = Type.Object({
  disabled: Type.Optional(Type.Boolean()),
  chunkSizeUsd: Type.Optional(Type.Number({ minimum: 250, maximum: MAX_CHUNK_USD })),
  intervalMs: Type.Optional(Type.Number({ minimum: 1000, maximum: 60_000 })),
});

export const quote = endpoint({
  method: 'POST',
  path: '/v1/quote',
  summary: 'Estimate a swap',
  input: { body: QuoteBody },
  output: QuoteV1,
  quota: 'quotes',
  async run({ body, caller }, deps) {
    const request = readSwapRequest({ ...body, feePercent: body.fee }, caller.partner, deps);
    if (isRefusal(request)) return request;
    const quoted = await deps.quotes.quote(request);
    return isRefusal(quoted) ? quoted : quoteV1(quoted);
  },
});

export const postOrder = endpoint({
  method: 'POST',
  path: '/v1/order',
  summary: 'Create an order',
  input: {
    body: Type.Object({
      ...QuoteBody.properties,
      toAddress: AddressText,
      sessionId: Type.Optional(SessionText),
      twapConfig: Type.Optional(TwapConfig),
    }),
  },
  output: CreatedV1,
  quota: 'creates',
  async run({ body, caller }, deps) {
    const session = body.sessionId === undefined ? undefined : parseSessionId(body.sessionId);
    if (body.sessionId !== undefined && !session) return refuse('invalid_request', 'sessionId must be a UUID v4.');
    const wish = { ...body, feePercent: body.fee, twap: body.twapConfig && twapWish(body.twapConfig) };
    const request = readSwapRequest(wish, caller.partner, deps);
    if (isRefusal(request)) return request;
    const toAddress = deps.catalog.parseDestination(request.to.chainId, body.toAddress);
    if (isRefusal(toAddress)) return toAddress;
    const placed = await createOrder(
      { generation: 'v1', request, toAddress, refundAddress: undefined, session },
      caller,
      deps,
    );
    return isRefusal(placed) ? placed : createdV1(placed, deps);
  },
});

const twapWish = ({ disabled = false, chunkSizeUsd, intervalMs }: Static<typeof TwapConfig>): TwapRequest => ({
  disabled,
  chunkSizeUsd,
  intervalMs,
});

export const readOrder = endpoint({
  method: 'GET',
  path: '/v1/order/:orderId',
  summary: 'Read one order',
  input: {
    params: Type.Object({ orderId: Type.String() }),
    query: Type.Object({ verify: Type.Optional(Type.String()) }),
  },
  output: DetailV1,
  quota: 'requests',
  async run({ params, query: { verify } }, deps) {
    if (!verify) return refuse('proof_missing', 'verify is required: the order’s destination address.');
    const placed = await findOrder(params.orderId, 'v1', deps);
    if (placed?.order.product !== 'swap') return notFound();
    if (!knowsDestination(placed.order, verify, deps)) return refuse('not_yours', 'Unauthorized');
    return detailV1(placed.order, (await newestFills(placed.order, deps)).fills);
  },
});

export const listOrders = endpoint({
  method: 'GET',
  path: '/v1/orders',
  summary: 'Orders of a session',
  input: { query: Type.Object({ session: Type.Optional(Type.String()) }) },
  output: Type.Object({ orders: Type.Array(HistoryRow) }),
  quota: 'requests',
  async run({ query }, deps) {
    const session = parseSessionId(query.session);
    if (!session) return refuse('proof_missing', 'session is required: the UUID v4 from the order’s creation.');
    const placed = await deps.desk.bySession(sessionHash(session, deps), 'v1', V1_HISTORY_ROWS);
    return { orders: placed.filter(({ order }) => order.product === 'swap').map(({ order }) => historyRow(order)) };
  },
});

export const bulkOrders = endpoint({
  method: 'POST',
  path: '/v1/orders/bulk',
  summary: 'Summaries of an integration’s own orders',
  input: { body: Type.Object({ orderIds: Type.Array(Type.String(), { maxItems: BULK_ORDERS }) }) },
  output: Type.Object({ orders: Type.Array(Summary) }),
  quota: 'requests',
  key: 'required',
  async run({ body, caller: { partner } }, deps) {
    const { integrationId } = present(partner, 'the key of a bulk read');
    const ids = [...new Set(body.orderIds)].map(parseOrderId).filter((id) => id !== undefined);
    const placed = ids.length === 0 ? [] : await deps.desk.byIds(ids, integrationId, 'v1');
    return { orders: placed.filter(({ order }) => order.product === 'swap').map(({ order }) => summaryOf(order)) };
  },
});
