import { type Amount, atLeast, isZero, smaller, subtract, zero } from '../../../kernel/amount.ts';
import { opened } from '../../payment/advance.ts';
import { newPayment, type Payment } from '../../payment/payment.ts';
import { type LedgerAccount, move, moving } from '../../payment/posting.ts';
import { feesOn } from '../../quote/fees-on.ts';
import type { FeeType } from '../../quote/quote.ts';
import type { Of } from '../fact.ts';
import { asPaid } from '../fee-destination.ts';
import type { Order } from '../order.ts';
import { type Outcome, type Step, stay, then, withEffects, withPaid, withPostings } from '../step.ts';

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
    const theirs = order.integratorFee ? partOf(order, leg, held, taken, ['integrator']) : zero(held.asset);
    const ours = subtract(subtract(taken, theirs), waived);
    const owed: LedgerAccount = order.integratorFee ? owedTo(order.integratorFee.integrationId) : 'fees';
    const asked = partOf(order, leg, held, subtract(taken, theirs), ['service', 'bridge']);
    const service = smaller(subtract(asked, smaller(asked, waived)), ours);
    const earned = [
      { amount: theirs, to: owed },
      { amount: service, to: 'fees' as const },
    ].filter(({ amount }) => !isZero(amount));
    const kept = { ...order, earned: [...(order.earned ?? []), ...earned] };
    const now = isZero(theirs) ? kept : { ...kept, feeEarned: theirs };
    return withPostings(stay(now), move(from, owed, theirs), move(from, 'fees', ours));
  });
}

/** What the terms of these types take, of no more than `most`. */
function partOf(order: Order, leg: number, held: Amount, most: Amount, types: readonly FeeType[]): Amount {
  const terms = order.route.fees.filter(({ type }) => types.includes(type));
  return smaller(feesOn(terms, leg, held), most);
}

const owedTo = (integrationId: string): LedgerAccount => `owed:${integrationId}`;

/** What the integration is to be paid, and where: what was taken in coins that stand for the venue's money is that money. */
export function feeDue(order: Order) {
  const { integratorFee: fee, feeEarned: taken } = order;
  const paid = taken && asPaid(order.route, taken);
  if (!fee?.to || !taken || !paid || isZero(paid) || fee.to.asset !== paid.asset) return undefined;
  return { fee, to: fee.to, taken, paid };
}

/** The customer is paid, so the integration is to be. An order that ends otherwise pays no fee. */
export const startFee = (step: Step): Step => (feeDue(step.order) ? withEffects(step, { effect: 'pay_fee' }) : step);

/** The last payment of the fee; a later one is made only when it was refused. */
const feePayments = ({ payments }: Order): readonly Payment[] =>
  payments.filter(({ purpose }) => purpose.for === 'integrator_fee');

/**
 * What it earned leaves the hot account once, if that covers its transfer as it is priced now; otherwise it stays owed. It is a
 * step of its own, so that a venue account which lacks the money keeps nobody from hearing that the customer was paid.
 */
export function feePriced(order: Order, { cost }: Of<'fee_priced'>): Outcome {
  const due = feeDue(order);
  const before = feePayments(order);
  if (!due || order.state.phase !== 'completed' || before.some(({ state }) => state.state !== 'refused'))
    return 'ignore';
  const { fee, to, taken, paid } = due;
  if (!atLeast(paid, cost)) return stay({ ...order, feeSkipped: { percent: fee.percent, reason: 'too_small' } });
  const source = owedTo(fee.integrationId);
  const exchange = paid.asset === taken.asset ? [] : [move(source, 'treasury', taken), move('treasury', source, paid)];
  const purpose = { for: 'integrator_fee', integration: fee.integrationId, number: before.length } as const;
  const { address, binding } = to;
  const payment = newPayment({ owner: order.id, purpose, from: 'hot', amount: paid, to: address, binding, source });
  // What was exchanged for a payment that was refused is in the right form already.
  const postings = before.length === 0 ? exchange : [];
  const paying = withPaid({ ...order, feeSkipped: undefined }, opened(payment));
  return { ...paying, postings: [...moving(postings), ...paying.postings] };
}

/** A person has it tried again: the address may take it now. */
export const feeRetried = (order: Order): Outcome =>
  feePayments(order).at(-1)?.state.state === 'refused' ? startFee(stay(order)) : 'ignore';

/** The customer is paid, and what becomes of the fee was not decided yet. */
export const isFeeOpen = (order: Order): boolean =>
  feeDue(order) !== undefined && order.feeSkipped === undefined && feePayments(order).length === 0;
