import { type Static, Type } from '@sinclair/typebox';
import { allOf, inField } from '../../kernel/field-refusals.ts';
import { type Address, chainId } from '../../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/refusal.ts';
import type { Caller } from '../caller.ts';
import { createOrder, type Wanted } from '../create-order.ts';
import type { ApiDeps } from '../deps.ts';
import { asCreated, asText, endpoint } from '../endpoint.ts';
import { Fill, fillPage, fillsStatus } from '../fill.ts';
import { createdOnce } from '../idempotency.ts';
import { FILLS_PER_PAGE } from '../limits.ts';
import { readable, readSession } from '../ownership.ts';
import { quoteOf, readDestination, readSwapRequest } from '../swap-request.ts';
import { AddressText, orNull, ref, SessionText } from '../wire-schemas.ts';
import { orderText } from './order-text.ts';
import { quoteV2, swapOrder } from './reply-shapes.ts';
import {
  CreatedSwap,
  FillsState,
  NOT_MODIFIED,
  OrderParams,
  ProofQuery,
  QuoteV2,
  SwapBody,
  SwapOrder,
} from './schema.ts';

type Asked = Omit<Static<typeof SwapBody>, 'toAddress'>;

/** A body may hold more than its schema names, and nobody has looked at that. */
const asked = ({ fromChainId, fromToken, toChainId, toToken, fromAmount, toAmount, integratorFeePercent }: Asked) => ({
  fromChainId,
  fromToken,
  toChainId,
  toToken,
  fromAmount,
  toAmount,
  feePercent: integratorFeePercent,
});

export const quoteSwap = endpoint({
  method: 'POST',
  path: '/v2/swaps/quote',
  summary: 'Quote a swap',
  description:
    'By what is sent (fromAmount) or by what is to be received (toAmount). Where a toAddress is given it is checked, and the payment to it is priced; without one, that to somebody who was never paid before.',
  input: { body: Type.Object({ ...SwapBody.properties, toAddress: Type.Optional(AddressText) }) },
  output: QuoteV2,
  quota: 'quotes',
  async run({ body, caller }, deps) {
    const read = allOf(
      readSwapRequest(asked(body), caller.partner, deps),
      body.toAddress === undefined ? undefined : readDestination(body.toChainId, body.toAddress, deps),
    );
    if (isRefusal(read)) return read;
    const quote = await quoteOf({ ...read[0], payTo: read[1] }, deps);
    return isRefusal(quote) ? quote : quoteV2(quote);
  },
});

const CreateBody = Type.Object({
  ...SwapBody.properties,
  sessionId: Type.Optional(SessionText),
  refundAddress: Type.Optional(AddressText),
  fundingProvider: Type.Optional(Type.String({ maxLength: 64 })),
});

export const createSwap = endpoint({
  method: 'POST',
  path: '/v2/swaps',
  summary: 'Create a swap order',
  description:
    'Repeat it after a timeout only with the Idempotency-Key of the first call: without one, a second call creates a second order.',
  input: { body: CreateBody },
  output: CreatedSwap,
  status: 201,
  quota: 'creates',
  async run({ body, caller, idempotencyKey }, deps) {
    const creation = { key: idempotencyKey, generation: 'v2', kind: 'sw', body, caller } as const;
    const placed = await createdOnce(creation, deps, async (identity) => {
      const wanted = await readCreation(body, caller, deps);
      return isRefusal(wanted) ? wanted : createOrder({ ...wanted, identity }, caller, deps);
    });
    if (isRefusal(placed)) return placed;
    return asCreated(placed, { ...(await swapOrder(placed.order, deps)), sessionId: placed.session });
  },
});

async function readCreation(body: Static<typeof CreateBody>, caller: Caller, deps: ApiDeps): Promise<Wanted | Refusal> {
  const read = allOf(
    readFundingProvider(body.fundingProvider),
    readSwapRequest(asked(body), caller.partner, deps),
    readDestination(body.toChainId, body.toAddress, deps),
    readRefundAddress(body.refundAddress, body.fromChainId, deps),
    await readSession(body.sessionId, caller, deps),
  );
  if (isRefusal(read)) return read;
  const [, request, toAddress, refundAddress, session] = read;
  return { generation: 'v2', request, toAddress, refundAddress, session };
}

/** No funding provider is configured yet. */
const readFundingProvider = (name: string | undefined): undefined | Refusal =>
  name === undefined
    ? undefined
    : inField('fundingProvider', refuse('unsupported_funding_provider', 'No such funding provider is configured.'));

/**
 * Whoever names at creation where a refund would go is paid there, and not at the sender that the chain shows (D41), unless the deposit
 * fails screening.
 */
const readRefundAddress = (
  text: string | undefined,
  fromChain: number,
  { catalog }: ApiDeps,
): Address | undefined | Refusal =>
  text === undefined ? undefined : inField('refundAddress', catalog.parseDestination(chainId(fromChain), text));

export const readSwapOrder = endpoint({
  method: 'GET',
  path: '/v2/swaps/:id',
  summary: 'Read a swap order',
  description: NOT_MODIFIED,
  input: { params: OrderParams, query: Type.Object(ProofQuery) },
  output: SwapOrder,
  quota: 'requests',
  proof: 'session',
  async run({ params, query, session }, deps) {
    const placed = await readable(params.id, 'swap', { session, verify: query.verify }, deps);
    return isRefusal(placed) ? placed : asText(await orderText(placed.order, deps));
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
