import { type Amount, isZero, smaller, subtract, zero } from '../../../kernel/amount.ts';
import { opened } from '../../payment/advance.ts';
import { newPayment, type Payment } from '../../payment/payment.ts';
import { type LedgerAccount, move, moving } from '../../payment/posting.ts';
import { feesOn, isFeeTaken } from '../../quote/fees-on.ts';
import type { FeeType } from '../../quote/quote.ts';
import { asPaid, feeAmount } from '../fee-destination.ts';
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
    const isTheirTurn = order.route.fees.some(({ type, at }) => type === 'integrator' && at === leg);
    const now = isZero(theirs) ? (isTheirTurn ? withoutFee(kept) : kept) : { ...kept, feeEarned: theirs };
    return withPostings(stay(now), move(from, owed, theirs), move(from, 'fees', ours));
  });
}

/** What the terms of these types take, of no more than `most`. */
function partOf(order: Order, leg: number, held: Amount, most: Amount, types: readonly FeeType[]): Amount {
  const terms = order.route.fees.filter(({ type }) => types.includes(type));
  return smaller(feesOn(terms, leg, held), most);
}

/** The fee is skipped: it is a part of the customer's money like the rest of it (5.4). */
function withoutFee(order: Order): Order {
  const { integratorFee, route } = order;
  if (!integratorFee) return order;
  const fees = route.fees.filter(({ type }) => type !== 'integrator');
  const feeSkipped = { percent: integratorFee.percent, reason: 'too_small' } as const;
  return { ...order, integratorFee: undefined, feeSkipped, route: { ...route, fees } };
}

/**
 * Whether the fee is taken is settled when the deposit is final, by what arrived and what paying it costs now. From then on only less
 * to take it of can be a reason to skip it: what was taken is paid.
 */
export function withFeeSettled(order: Order, cost: Amount | undefined): Order {
  const { integratorFee, route } = order;
  const term = route.fees.find(({ type }) => type === 'integrator');
  const least = cost ?? term?.least;
  if (!integratorFee || !term || !least) return order;
  if (!isFeeTaken(feeAmount(order, integratorFee.percent), asPaid(route, least))) return withoutFee(order);
  return { ...order, route: { ...route, fees: route.fees.map((one) => (one === term ? { ...term, least } : one)) } };
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
 * What it earned leaves the hot account once. It is a step of its own, so that a venue account which lacks the money keeps nobody
 * from hearing that the customer was paid.
 */
export function feePriced(order: Order): Outcome {
  const due = feeDue(order);
  const before = feePayments(order);
  if (!due || order.state.phase !== 'completed' || before.some(({ state }) => state.state !== 'refused'))
    return 'ignore';
  const { fee, to, taken, paid } = due;
  const source = owedTo(fee.integrationId);
  const exchange = paid.asset === taken.asset ? [] : [move(source, 'treasury', taken), move('treasury', source, paid)];
  const purpose = { for: 'integrator_fee', integration: fee.integrationId, number: before.length } as const;
  const { address, binding } = to;
  const payment = newPayment({ owner: order.id, purpose, from: 'hot', amount: paid, to: address, binding, source });
  // What was exchanged for a payment that was refused is in the right form already.
  const postings = before.length === 0 ? exchange : [];
  const paying = withPaid(order, opened(payment));
  return { ...paying, postings: [...moving(postings), ...paying.postings] };
}

/** A person has it tried again: the address may take it now. */
export const feeRetried = (order: Order): Outcome =>
  feePayments(order).at(-1)?.state.state === 'refused' ? startFee(stay(order)) : 'ignore';

/** The customer is paid, and what becomes of the fee was not decided yet. */
export const isFeeOpen = (order: Order): boolean => feeDue(order) !== undefined && feePayments(order).length === 0;
