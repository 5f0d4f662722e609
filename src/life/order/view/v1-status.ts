import { isZero } from '../../../kernel/amount.ts';
import { isPaid } from '../../payment/payment.ts';
import { isWaiting } from '../machine/claim.ts';
import { collectionPayment, dealPayment, type Order } from '../order.ts';
import type { Phase } from '../state.ts';
import { openClaimOf } from './open-claim.ts';

export type V1Status =
  | 'awaiting_deposit'
  | 'deposit_detected'
  | 'deposit_confirmed'
  | 'funding_gas'
  | 'gas_funded'
  | 'executing_swap'
  | 'swap_pending'
  | 'completed'
  | 'expired'
  | 'failed'
  | 'refunding_wrong_chain'
  | 'refunding'
  | 'refunded';

/** What a phase is called in v1; where that depends on more than the phase, a function says it. */
const STATUS: Readonly<Record<Phase, V1Status | ((order: Order) => V1Status)>> = {
  awaiting_deposit: whileAwaiting,
  confirming: 'deposit_detected',
  below_minimum: 'awaiting_deposit',
  screening: 'deposit_confirmed',
  collecting: whileCollecting,
  stocking: (order) => whileWaiting(order, 'executing_swap'),
  trading: 'executing_swap',
  placing: 'executing_swap',
  swapping: whileSwapping,
  provider_failed: 'swap_pending',
  payout_due: (order) => whileWaiting(order, 'swap_pending'),
  paying: 'swap_pending',
  payout_refused: 'refunding_wrong_chain',
  refunding: (order) => whileOwing(order, 'refunding'),
  completed: (order) => whileAsked(order, 'completed'),
  refunded: (order) => whileAsked(order, 'refunded'),
  expired: (order) => whileOwing(order, 'expired'),
  failed: (order) => whileAsked(order, 'failed'),
};

export function v1Status(order: Order): V1Status {
  const status = STATUS[order.state.phase];
  return typeof status === 'function' ? status(order) : status;
}

function whileCollecting(order: Order): V1Status {
  const payment = collectionPayment(order);
  if (!payment) return 'funding_gas';
  const { purpose, state, gas } = payment;
  // More gas may have to follow the first, or all be measured anew; to the customer that is no step back.
  const isFirst = purpose.for === 'collection' && purpose.again === 0 && gas?.round === undefined;
  const isWaiting = gas ? state.state === 'awaiting_gas' : state.state === 'due' || state.state === 'reserved';
  return isFirst && isWaiting ? 'funding_gas' : 'gas_funded';
}

function whileSwapping(order: Order): V1Status {
  const deal = order.state.phase === 'swapping' ? dealPayment(order, order.state.deal) : undefined;
  return deal && isPaid(deal) ? 'swap_pending' : 'executing_swap';
}

/** Who has waited too long for stock may have it back, and v1 has one word under which it takes an address. */
const whileWaiting = ({ state }: Order, otherwise: V1Status): V1Status =>
  'isOverdue' in state && state.isOverdue ? 'refunding_wrong_chain' : otherwise;

/** A stray is shown as long as nothing of what was asked for has come; then the order goes on beside it. */
function whileAwaiting(order: Order): V1Status {
  return isZero(order.funds.seen) ? whileOwing(order, 'awaiting_deposit') : 'awaiting_deposit';
}

/** v1 takes a refund address only while it says `refunding_wrong_chain`, so it says so whenever one is needed. */
function whileOwing(order: Order, otherwise: V1Status): V1Status {
  return whileAsked(order, openClaimOf(order) ? 'refunding' : otherwise);
}

/** Money that is owed beside an outcome shows while an address is needed; then the outcome is shown again. */
const whileAsked = ({ claims }: Order, otherwise: V1Status): V1Status =>
  claims.some(isWaiting) ? 'refunding_wrong_chain' : otherwise;

export const takesRefundAddress = (order: Order): boolean => v1Status(order) === 'refunding_wrong_chain';
