import { atLeast } from '../../kernel/amount.ts';
import type { CaseKind, CaseRef } from '../case/case.ts';
import { isPaid, isSettled } from '../payment/payment.ts';
import type { Order } from './order.ts';

/** Which cases of an order are over, as its state shows. What stands here closes by itself; all else needs a person. */
const OVER: { readonly [K in CaseKind]?: (order: Order) => boolean | readonly string[] } = {
  deposit_orphaned: ({ funds, used }) => atLeast(funds.seen, used),
  provider_failed: ({ state }) => state.phase !== 'swapping' && state.phase !== 'provider_failed',
  inventory_short: ({ state }) => !('shortOf' in state) || state.shortOf === undefined,
  payment_stuck: ({ payments }) => payments.filter((one) => isPaid(one) || isSettled(one)).map(({ id }) => id),
  payment_dead: ({ payments }) => payments.filter(isSettled).map(({ id }) => id),
  refund_refused: ({ claims }) => claims.filter(({ stage }) => stage === 'completed').map(({ number }) => `${number}`),
};

export function casesOver(order: Order): readonly CaseRef[] {
  return Object.entries(OVER).flatMap(([kind, isOver]): readonly CaseRef[] => {
    const over = isOver(order);
    if (typeof over === 'boolean') return over ? [{ case: kind as CaseKind }] : [];
    return over.map((subject) => ({ case: kind as CaseKind, subject }));
  });
}
