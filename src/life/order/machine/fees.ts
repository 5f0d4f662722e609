import { type Amount, isZero, smaller, subtract, zero } from '../../../kernel/amount.ts';
import { opened } from '../../payment/advance.ts';
import { newPayment } from '../../payment/payment.ts';
import { type LedgerAccount, move } from '../../payment/posting.ts';
import { feesOn } from '../../quote/fees-on.ts';
import { asPaid } from '../fee-destination.ts';
import type { Order } from '../order.ts';
import { type Step, stay, then, withPaid, withPostings } from '../step.ts';

/** What is taken of `held` before that leg. It stays with the order until the leg has worked. */
export const feesAt = (order: Order, leg: number, held: Amount): Amount => feesOn(order.route.fees, leg, held);

/** What the leg has to spend. */
export const budgetAt = (order: Order, leg: number, held: Amount): Amount => subtract(held, feesAt(order, leg, held));

/** What the desk itself takes of `held` before that leg. */
export const serviceFeeAt = ({ route }: Order, leg: number, held: Amount): Amount =>
  feesOn(
    route.fees.filter(({ type }) => type === 'service'),
    leg,
    held,
  );

/**
 * The leg has worked, so what was taken before it is earned: by the integration what is its own, by the desk the rest, but for
 * what is given back of it.
 */
export function earn(step: Step, from: LedgerAccount, leg: number, held: Amount, waived = zero(held.asset)): Step {
  return then(step, (order) => {
    const taken = feesAt(order, leg, held);
    const theirs = integratorPart(order, leg, held, taken);
    const owed: LedgerAccount = order.integratorFee ? owedTo(order.integratorFee.integrationId) : 'fees';
    const now = isZero(theirs) ? order : { ...order, feeEarned: theirs };
    return withPostings(
      stay(now),
      move(from, owed, theirs),
      move(from, 'fees', subtract(subtract(taken, theirs), waived)),
    );
  });
}

const owedTo = (integrationId: string): LedgerAccount => `owed:${integrationId}`;

/**
 * The customer is paid, so the integration is: what it earned leaves the hot account once. An order that ends otherwise pays
 * no fee. What was taken in the coins that stand for the venue's money is exchanged for that money, one to one.
 */
export function payFee(step: Step): Step {
  return then(step, (order) => {
    const { integratorFee: fee, feeEarned: taken } = order;
    const paid = taken && asPaid(order.route, taken);
    if (!fee?.to || !taken || !paid || isZero(paid) || fee.to.asset !== paid.asset) return stay(order);
    const source = owedTo(fee.integrationId);
    const exchange =
      paid.asset === taken.asset ? [] : [move(source, 'treasury', taken), move('treasury', source, paid)];
    const { address: to, binding } = fee.to;
    const purpose = { for: 'integrator_fee', integration: fee.integrationId } as const;
    const payment = newPayment({ owner: order.id, purpose, from: 'hot', amount: paid, to, binding, source });
    return withPostings(withPaid(order, opened(payment)), ...exchange);
  });
}

function integratorPart(order: Order, leg: number, held: Amount, taken: Amount): Amount {
  if (!order.integratorFee) return zero(held.asset);
  const terms = order.route.fees.filter(({ type }) => type === 'integrator');
  return smaller(feesOn(terms, leg, held), taken);
}
