import { type Amount, smaller, subtract, zero } from '../../../kernel/amount.ts';
import { type LedgerAccount, move, type Posting } from '../../payment/posting.ts';
import { feesOn } from '../../quote/fees-on.ts';
import type { Order } from '../order.ts';

/** What is taken of `held` before that leg. It stays with the order until the leg has worked. */
export const feesAt = (order: Order, leg: number, held: Amount): Amount => feesOn(order.route.fees, leg, held);

/** What the leg has to spend. */
export const budgetAt = (order: Order, leg: number, held: Amount): Amount => subtract(held, feesAt(order, leg, held));

/** The leg has worked, so what was taken before it is earned: by the integration what is its own, by the desk the rest. */
export function earned(order: Order, from: LedgerAccount, leg: number, held: Amount): readonly Posting[] {
  const taken = feesAt(order, leg, held);
  const theirs = integratorPart(order, leg, held, taken);
  const owed: LedgerAccount = order.integratorFee ? `owed:${order.integratorFee.integrationId}` : 'fees';
  return [move(from, owed, theirs), move(from, 'fees', subtract(taken, theirs))];
}

function integratorPart(order: Order, leg: number, held: Amount, taken: Amount): Amount {
  if (!order.integratorFee) return zero(held.asset);
  const terms = order.route.fees.filter(({ type }) => type === 'integrator');
  return smaller(feesOn(terms, leg, held), taken);
}
