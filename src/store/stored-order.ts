import type { Draft } from '../life/order/create.ts';
import type { Order } from '../life/order/order.ts';

/** The shape that orders are stored in. It counts up whenever a stored order would be read otherwise than it was written. */
const SHAPE = 2;

/** An order as its document has it: what has a column of its own, and its payments, are not repeated there. */
export type StoredOrder = Omit<Order, 'depositAddress' | 'depositIndex' | 'payments'> & { readonly shape: number };

export function storedOrder(order: Order | Draft): StoredOrder {
  const { depositAddress: _, depositIndex: __, payments: ___, ...rest } = order as Order;
  return { ...rest, shape: SHAPE };
}

/** Brings an order that was stored in an older shape into today's. */
export function upgrade({ shape, ...order }: StoredOrder): Omit<StoredOrder, 'shape'> {
  if (shape === 1) return withDealTime(order);
  if (shape !== SHAPE)
    throw new Error(`order ${order.id} is stored in shape ${shape}, and this version knows ${SHAPE}`);
  return order;
}

/** A deal of the first shape did not know when it was agreed on; its order was made before. */
function withDealTime(order: Omit<StoredOrder, 'shape'>): Omit<StoredOrder, 'shape'> {
  const { state, createdAt } = order;
  return 'deal' in state ? { ...order, state: { ...state, deal: { ...state.deal, placedAt: createdAt } } } : order;
}
