import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { present } from '../../kernel/assert.ts';
import { inField } from '../../kernel/field-refusals.ts';
import { parseOrderId, parseSessionId } from '../../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/refusal.ts';
import type { TwapRequest } from '../../life/quote/quote.ts';
import { type Caller, sessionHashes } from '../caller.ts';
import { createOrder, type Wanted } from '../create-order.ts';
import type { ApiDeps } from '../deps.ts';
import { asCreated, endpoint } from '../endpoint.ts';
import { newestFills } from '../fill.ts';
import { createdOnce } from '../idempotency.ts';
import { BULK_ORDERS, MAX_FEE_PERCENT, V1_HISTORY_ROWS } from '../limits.ts';
import { findOrder, knowsDestination, notFound } from '../ownership.ts';
import { quoteOf, readDestination, readSwapRequest } from '../swap-request.ts';
import { AddressText, Atomic, ChainNumber, SessionText, TokenText } from '../wire-schemas.ts';
import {
  CreatedV1,
  createdV1,
  DetailV1,
  detailV1,
  HistoryRow,
  historyRow,
  isXmr,
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

/** A body may hold more than its schema names, and nobody has looked at that. */
const asked = ({ fromChainId, fromToken, toChainId, toToken, fromAmount, fee }: Static<typeof QuoteBody>) => ({
  fromChainId,
  fromToken,
  toChainId,
  toToken,
  fromAmount,
  feePercent: fee,
});

/** No order is worth more than this; the whole order is one chunk long before. */
const MAX_CHUNK_USD = 1_000_000_000;

/** A wish about how XMR is traded. Other swaps ignore it whatever it says, so that it is judged where it counts. */
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
    const request = readSwapRequest(asked(body), caller.partner, deps);
    if (isRefusal(request)) return request;
    const quoted = await quoteOf(request, deps);
    return isRefusal(quoted) ? quoted : quoteV1(quoted);
  },
});

const OrderBody = Type.Object({
  ...QuoteBody.properties,
  toAddress: AddressText,
  sessionId: Type.Optional(SessionText),
  twapConfig: Type.Optional(Type.Unknown()),
});

export const postOrder = endpoint({
  method: 'POST',
  path: '/v1/order',
  summary: 'Create an order',
  input: { body: OrderBody },
  output: CreatedV1,
  quota: 'creates',
  async run({ body, caller, idempotencyKey }, deps) {
    const creation = { key: idempotencyKey, generation: 'v1', kind: 'sw', body, caller } as const;
    const placed = await createdOnce(creation, deps, async (identity) => {
      const wanted = readOrderBody(body, caller, deps);
      return isRefusal(wanted) ? wanted : createOrder({ ...wanted, identity }, caller, deps);
    });
    return isRefusal(placed) ? placed : asCreated(placed, createdV1(placed, deps));
  },
});

function readOrderBody(body: Static<typeof OrderBody>, { partner }: Caller, deps: ApiDeps): Wanted | Refusal {
  const session = body.sessionId === undefined ? undefined : parseSessionId(body.sessionId);
  if (body.sessionId !== undefined && !session) return refuse('invalid_request', 'sessionId must be a UUID v4.');
  const read = readSwapRequest(asked(body), partner, deps);
  if (isRefusal(read)) return read;
  const twap = isXmr(read.from) || isXmr(read.to) ? readTwap(body.twapConfig) : undefined;
  if (isRefusal(twap)) return twap;
  const request = { ...read, twap };
  const toAddress = readDestination(body.toChainId, body.toAddress, deps);
  if (isRefusal(toAddress)) return toAddress;
  return { generation: 'v1', request, toAddress, refundAddress: undefined, session };
}

function readTwap(config: unknown): TwapRequest | Refusal | undefined {
  if (config === undefined) return undefined;
  if (Value.Check(TwapConfig, config)) return twapRequest(config);
  const wrong = Value.Errors(TwapConfig, config).First();
  const field = `twapConfig${wrong?.path ?? ''}`.replaceAll('/', '.');
  return inField(field, refuse('invalid_request', `${field} is not valid: ${wrong?.message ?? 'not an object'}.`));
}

const twapRequest = ({ disabled = false, chunkSizeUsd, intervalMs }: Static<typeof TwapConfig>): TwapRequest => ({
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
    const placed = await deps.desk.bySession(sessionHashes(session, deps), 'v1', V1_HISTORY_ROWS);
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
  // Whoever reads a destination address may ask for the refund, and a public key is known to everybody.
  key: 'server',
  async run({ body, caller: { partner } }, deps) {
    const { integrationId } = present(partner, 'the key of a bulk read');
    const ids = [...new Set(body.orderIds)].map(parseOrderId).filter((id) => id !== undefined);
    const placed = ids.length === 0 ? [] : await deps.desk.byIds(ids, integrationId, 'v1');
    return { orders: placed.filter(({ order }) => order.product === 'swap').map(({ order }) => summaryOf(order)) };
  },
});
