import { type Static, Type } from '@sinclair/typebox';
import { type Address, parseSessionId, type SessionId } from '../../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/refusal.ts';
import type { QuoteRequest } from '../../life/quote/quote.ts';
import { type Caller, sessionHash } from '../caller.ts';
import { createOrder } from '../create-order.ts';
import type { ApiDeps } from '../deps.ts';
import { endpoint } from '../endpoint.ts';
import { Fill, fillPage, fillsStatus } from '../fill.ts';
import { createdOnce } from '../idempotency.ts';
import { FILLS_PER_PAGE } from '../limits.ts';
import { readable } from '../ownership.ts';
import { readSwapRequest } from '../swap-request.ts';
import { AddressText, orNull, ref, SessionText } from '../wire-schemas.ts';
import { quoteV2, swapOrder } from './reply-shapes.ts';
import { CreatedSwap, FillsState, OrderParams, ProofQuery, QuoteV2, SwapBody, SwapOrder } from './schema.ts';

interface Meant {
  readonly request: QuoteRequest;
  readonly toAddress: Address;
}

function readSwap(body: Static<typeof SwapBody>, { partner }: Caller, deps: ApiDeps): Meant | Refusal {
  const request = readSwapRequest({ ...body, feePercent: body.integratorFeePercent }, partner, deps);
  if (isRefusal(request)) return request;
  const toAddress = deps.catalog.parseDestination(request.to.chainId, body.toAddress);
  return isRefusal(toAddress) ? toAddress : { request, toAddress };
}

export const quoteSwap = endpoint({
  method: 'POST',
  path: '/v2/swaps/quote',
  summary: 'Quote a swap',
  description: 'By what is sent (fromAmount) or by what is to be received (toAmount).',
  input: { body: SwapBody },
  output: QuoteV2,
  quota: 'quotes',
  async run({ body, caller }, deps) {
    const meant = readSwap(body, caller, deps);
    if (isRefusal(meant)) return meant;
    const quote = await deps.quotes.quote(meant.request);
    return isRefusal(quote) ? quote : quoteV2(quote);
  },
});

export const createSwap = endpoint({
  method: 'POST',
  path: '/v2/swaps',
  summary: 'Create a swap order',
  description:
    'Repeat it after a timeout only with the Idempotency-Key of the first call: without one, a second call creates a second order.',
  input: {
    body: Type.Object({
      ...SwapBody.properties,
      sessionId: Type.Optional(SessionText),
      refundAddress: Type.Optional(AddressText),
      fundingProvider: Type.Optional(Type.String({ maxLength: 64 })),
    }),
  },
  output: CreatedSwap,
  status: 201,
  quota: 'creates',
  async run({ body, caller, idempotencyKey }, deps) {
    if (body.fundingProvider !== undefined) {
      return refuse('unsupported_funding_provider', 'No such funding provider is configured.');
    }
    const meant = readSwap(body, caller, deps);
    if (isRefusal(meant)) return meant;
    const refundAddress = readRefundAddress(body.refundAddress, meant.request, deps);
    if (isRefusal(refundAddress)) return refundAddress;
    const session = await readSession(body.sessionId, caller, deps);
    if (isRefusal(session)) return session;
    const wanted = { generation: 'v2', ...meant, refundAddress, session } as const;
    const placed = await createdOnce({ key: idempotencyKey, kind: 'sw', body, caller }, deps, (identity) =>
      createOrder({ ...wanted, identity }, caller, deps),
    );
    if (isRefusal(placed)) return placed;
    return { ...(await swapOrder(placed.order, deps)), sessionId: placed.session };
  },
});

/** Coins that show no sender can name at creation where a refund would go; elsewhere the sender is known. */
function readRefundAddress(
  text: string | undefined,
  { from }: QuoteRequest,
  { catalog }: ApiDeps,
): Address | undefined | Refusal {
  if (text === undefined) return undefined;
  return catalog.chain(from.chainId)?.facts.deposits === 'as_it_comes'
    ? catalog.parseDestination(from.chainId, text)
    : refuse('invalid_request', 'refundAddress is taken at creation for native-coin sources only.');
}

/** A session may be joined by the integration that owns it, and by nobody else (D49). */
async function readSession(
  text: string | undefined,
  { partner }: Caller,
  deps: ApiDeps,
): Promise<SessionId | undefined | Refusal> {
  if (text === undefined) return undefined;
  const session = parseSessionId(text);
  if (!session) return refuse('invalid_request', 'sessionId must be a UUID v4.');
  const taken = refuse('invalid_request', 'This caller may not choose this sessionId.');
  if (partner?.kind !== 'server') return taken;
  const hash = sessionHash(session, deps);
  const found = await Promise.all([deps.desk.bySession(hash, 'v2', 1), deps.desk.bySession(hash, 'v1', 1)]);
  return found.flat().every(({ owner }) => owner.integrationId === partner.integrationId) ? session : taken;
}

export const readSwapOrder = endpoint({
  method: 'GET',
  path: '/v2/swaps/:id',
  summary: 'Read a swap order',
  input: { params: OrderParams, query: Type.Object(ProofQuery) },
  output: SwapOrder,
  quota: 'requests',
  proof: 'session',
  async run({ params, query, session }, deps) {
    const placed = await readable(params.id, 'swap', { session, verify: query.verify }, deps);
    return isRefusal(placed) ? placed : swapOrder(placed.order, deps);
  },
});

export const listFills = endpoint({
  method: 'GET',
  path: '/v2/swaps/:id/fills',
  summary: 'List execution fills',
  description: 'Newest first. A null nextCursor means that no older receipts are saved, not that all are in.',
  input: {
    params: OrderParams,
    query: Type.Object({
      ...ProofQuery,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: FILLS_PER_PAGE })),
      cursor: Type.Optional(Type.String({ maxLength: 256 })),
    }),
  },
  output: Type.Object({ fills: Type.Array(ref(Fill)), status: FillsState, nextCursor: orNull(Type.String()) }),
  quota: 'requests',
  proof: 'session',
  async run({ params, query, session }, deps) {
    const placed = await readable(params.id, 'swap', { session, verify: query.verify }, deps);
    if (isRefusal(placed)) return placed;
    const page = await fillPage(placed.order.id, deps, query.limit, query.cursor);
    return isRefusal(page) ? page : { ...page, status: fillsStatus(placed.order) };
  },
});
