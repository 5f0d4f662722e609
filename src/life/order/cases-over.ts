import { isZero } from '../../kernel/amount.ts';
import type { CaseKind, CaseRef } from '../case/case.ts';
import { paymentCasesOver } from '../payment/cases-over.ts';
import { isPaid } from '../payment/payment.ts';
import { isHeld } from './hold.ts';
import { type Claim, collectionPayment, type Order } from './order.ts';

/** Which cases of an order are over, as its state shows. What stands here closes by itself; all else needs a person. */
const OVER: { readonly [K in CaseKind]?: (order: Order) => boolean | readonly string[] } = {
  // Whatever became of the order meanwhile: that it is completed brings nothing back.
  deposit_orphaned: (order) => !isHeld(order),
  provider_failed: ({ state }) => state.phase !== 'swapping' && state.phase !== 'provider_failed',
  collection_refused: ({ state, used }) => state.phase === 'failed' && isZero(used),
  advance_not_collected: (order) => {
    const last = collectionPayment(order);
    return last !== undefined && isPaid(last);
  },
  fee_refused: ({ payments }) =>
    payments.findLast(({ purpose }) => purpose.for === 'integrator_fee')?.state.state !== 'refused',
  refund_unasked: ({ claims }) =>
    claims.filter(({ stage }) => stage !== 'address_required').map(({ number }) => `${number}`),
  refund_refused: (order) => claimsAt(order, 'completed', 'replaced'),
  unlisted_refund: (order) => claimsAt(order, 'pricing', 'paying', 'completed', 'replaced'),
};

/**
 * Each of these is told once, and what helps is asked for through the case alone: whoever closed it would throw away the way to
 * money that is still owed or blocked.
 */
export const KEPT_UNTIL_OVER: ReadonlySet<CaseKind> = new Set([
  ...(['refund_refused', 'collection_refused', 'unlisted_refund'] as const),
  ...(['advance_not_collected', 'fee_refused', 'payment_dead'] as const),
]);

/** The subjects of cases about claims that have come so far. */
const claimsAt = ({ claims }: Order, ...stages: readonly Claim['stage'][]): readonly string[] =>
  claims.filter(({ stage }) => stages.includes(stage)).map(({ number }) => `${number}`);

export function casesOver(order: Order): readonly CaseRef[] {
  const own = Object.entries(OVER).flatMap(([kind, isOver]): readonly CaseRef[] => {
    const over = isOver(order);
    if (typeof over === 'boolean') return over ? [{ case: kind as CaseKind }] : [];
    return over.map((subject) => ({ case: kind as CaseKind, subject }));
  });
  return [...own, ...order.payments.flatMap(paymentCasesOver)];
}
