import { Type } from '@sinclair/typebox';
import { instant } from '../../kernel/clock.ts';
import { inField } from '../../kernel/field-refusals.ts';
import { type AssetId, chainOf, parseOrderId } from '../../kernel/ids.ts';
import { isRefusal, refuse } from '../../kernel/refusal.ts';
import { refundAsset } from '../../life/order/command.ts';
import { payoutTo } from '../../life/order/machine/payout.ts';
import type { Order } from '../../life/order/order.ts';
import type { Placed } from '../../store/orders.ts';
import { sessionHash, sessionHashes } from '../caller.ts';
import { bound } from '../create-order.ts';
import { openCursor, sealCursor, strangeCursor } from '../cursor.ts';
import { endpoint } from '../endpoint.ts';
import { ORDERS_PER_PAGE } from '../limits.ts';
import { findOrder, isCreator, isOwner, notFound, owned } from '../ownership.ts';
import { AddressText, orNull, ref } from '../wire-schemas.ts';
import { rowOf, swapOrder } from './reply-shapes.ts';
import { OrderParams, OrderRow, SwapOrder } from './schema.ts';

export const listOrders = endpoint({
  method: 'GET',
  path: '/v2/orders',
  summary: 'List the session’s orders',
  description: 'Newest first. Rows can lag behind the single reads: read the order before offering an action.',
  input: {
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ORDERS_PER_PAGE })),
      cursor: Type.Optional(Type.String({ maxLength: 256 })),
    }),
  },
  output: Type.Object({ orders: Type.Array(ref(OrderRow)), nextCursor: orNull(Type.String()) }),
  quota: 'requests',
  proof: 'session',
  async run({ query: { limit = ORDERS_PER_PAGE, cursor }, session }, deps) {
    if (!session)
      return inField('X-Session-ID', refuse('invalid_request', 'The header X-Session-ID is required: a UUID v4.'));
    const list = `orders:${sessionHash(session, deps)}`;
    const place = cursor === undefined ? undefined : openCursor(deps.hashKey, list, cursor);
    if (cursor !== undefined && place === undefined) {
      return strangeCursor();
    }
    const before = place === undefined ? undefined : readPlace(place);
    const found = await deps.desk.bySession(sessionHashes(session, deps), 'v2', limit + 1, before);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      orders: page.map(({ order }) => rowOf(order, deps)),
      nextCursor: last ? sealCursor(deps.hashKey, list, placeOf(last)) : null,
    };
  },
});

const placeOf = ({ order }: Placed): string => `${order.createdAt} ${order.id}`;

function readPlace(place: string) {
  const [createdAt, id] = place.split(' ');
  const orderId = parseOrderId(id);
  return orderId && { createdAt: instant(Number(createdAt)), id: orderId };
}

export const closeWait = endpoint({
  method: 'POST',
  path: '/v2/orders/:id/deposit-wait/close',
  summary: 'Close the deposit wait',
  description: 'Continues on what has arrived instead of waiting for the rest.',
  input: { params: OrderParams },
  output: SwapOrder,
  quota: 'requests',
  proof: 'session',
  async run({ params, session, caller }, deps) {
    const placed = await findOrder(params.id, 'v2', deps);
    if (!placed || !(isOwner(placed, session, deps) || isCreator(placed, caller))) return notFound();
    const changed = await deps.desk.command(placed.order.id, { command: 'close_wait' });
    return isRefusal(changed) ? changed : swapOrder(changed, deps);
  },
});

export const giveRefundAddress = endpoint({
  method: 'PUT',
  path: '/v2/orders/:id/refund-address',
  summary: 'Save the refund address',
  description: 'Once saved it does not change. The answer confirms the save, not a payment.',
  input: { params: OrderParams, body: Type.Object({ refundAddress: AddressText }) },
  output: SwapOrder,
  quota: 'requests',
  proof: 'session',
  async run({ params, body, session }, deps) {
    const placed = await owned(params.id, session, deps);
    if (isRefusal(placed)) return placed;
    const { order } = placed;
    const asset = refundAsset(order) ?? givenAsset(order);
    if (!asset) return refuse('action_not_available', 'This order does not ask for a refund address.');
    const address = inField('refundAddress', deps.catalog.parseDestination(chainOf(asset), body.refundAddress));
    if (isRefusal(address)) return address;
    const to = bound(order.id, 'refund', asset, address, deps);
    const changed = await deps.desk.command(order.id, { command: 'give_refund_address', to });
    return isRefusal(changed) ? changed : swapOrder(changed, deps);
  },
});

/** What was given an address before: saying it again is no mistake. */
const givenAsset = ({ claims }: Order): AssetId | undefined => claims.findLast(({ to }) => to)?.amount.asset;

export const givePayoutAddress = endpoint({
  method: 'PUT',
  path: '/v2/orders/:id/payout-address',
  summary: 'Save another payout address',
  description: 'After the chain refused the first one. Once saved it does not change.',
  input: { params: OrderParams, body: Type.Object({ payoutAddress: AddressText }) },
  output: SwapOrder,
  quota: 'requests',
  proof: 'session',
  async run({ params, body, session }, deps) {
    const placed = await owned(params.id, session, deps);
    if (isRefusal(placed)) return placed;
    const { id } = placed.order;
    const { asset } = payoutTo(placed.order);
    const address = inField('payoutAddress', deps.catalog.parseDestination(chainOf(asset), body.payoutAddress));
    if (isRefusal(address)) return address;
    const destination = bound(id, 'payout', asset, address, deps);
    const changed = await deps.desk.command(id, { command: 'give_payout_address', to: destination });
    return isRefusal(changed) ? changed : swapOrder(changed, deps);
  },
});
