import { type Amount, isZero, subtract } from '../../../kernel/amount.ts';
import type { Instant } from '../../../kernel/clock.ts';
import type { Heard } from '../../payment/advance.ts';
import { move } from '../../payment/posting.ts';
import type { Of } from '../fact.ts';
import type { Destination, Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import type { In, State } from '../state.ts';
import { accountOf, enter, type Outcome, type Step, stay, withCase, withPayment, withPostings } from '../step.ts';
import { giveRefundAddress, openClaim } from './claim.ts';
import { offVenue } from './exchange.ts';
import { earn, feesAt, startFee } from './fees.ts';
import { giveBack } from './give-back.ts';
import { refundable, shortage } from './shortage.ts';

/** A payout that was refused is followed by at most one other, to the replacement. */
export const payoutNumber = (order: Order): number => (order.replacement ? 1 : 0);
export const payoutTo = (order: Order): Destination => order.replacement ?? order.fallback ?? order.destination;

/** What was earned, in the asset to be delivered, before and after the last fees. */
function yielded(order: Order, held: Amount) {
  const last = order.route.legs.length;
  const gross = offVenue(order, last, held);
  const fees = feesAt(order, last, gross);
  return { gross, fees, out: subtract(gross, fees) };
}

export function startPayout(order: Order, held: Amount, at: Instant): Step {
  const { out } = yielded(order, held);
  if (isZero(out)) {
    const state = { phase: 'failed', code: 'nothing_left_after_fees', at } as const;
    return withCase(enter(order, state), { case: 'nothing_left_after_fees' });
  }
  const due: State = { phase: 'payout_due', held, out, exchanged: false, shortOf: undefined };
  return enter(order, due, { effect: 'reserve_payout' });
}

/** The gate: what execution yielded is exchanged for the treasury's coins where it lies elsewhere, and set apart for one payment. */
export function payoutReserved(order: Order, state: In<'payout_due'>): Step {
  const { held, out } = state;
  const to = payoutTo(order);
  const paying = (step: Step): Step =>
    withPayment(step, {
      purpose: { for: 'payout', number: payoutNumber(order) },
      from: 'hot',
      amount: out,
      to: to.address,
      binding: to.binding,
    });
  const entered = enter(order, { phase: 'paying', out });
  if (state.exchanged) return paying(entered);
  const { gross } = yielded(order, held);
  const account = accountOf(order);
  const exchange =
    held.asset === gross.asset ? [] : [move(account, 'treasury', held), move('treasury', account, gross)];
  return paying(earn(withPostings(entered, ...exchange), account, order.route.legs.length, gross));
}

/** Confirmed is what a customer is shown. A payout that fails for good after that is owed, to an address that the customer names. */
export function payoutHeard(order: Order, heard: Heard, at: Instant): Step {
  const { state } = order;
  const { amount: out } = heard.payment;
  switch (heard.heard) {
    case 'paid':
      return state.phase === 'paying' ? startFee(enter(order, { phase: 'completed', out, at })) : stay(order);
    case 'settled':
      return stay(order);
    case 'unpaid':
      if (state.phase === 'paying') return payoutRefused(order, out, heard.reason);
      return openClaim(order, { kind: 'source', amount: out, from: 'hot', to: undefined, reason: UNPAYABLE });
  }
}

/** Nothing was sent, or what was sent executed and failed for good: the money is the order's again. */
function payoutRefused(order: Order, out: Amount, reason: string): Step {
  return order.replacement
    ? withCase(owe(order, out), { case: 'both_payouts_refused', reason })
    : enter(order, { phase: 'payout_refused', out, reason });
}

const UNPAYABLE = 'the destination could not be paid';

/** What execution yielded cannot be paid, so it is given back as it is. */
const owe = (order: Order, out: Amount): Step => giveBack(order, { amount: out, from: 'hot', reason: UNPAYABLE });

/** An explicit refund outranks what is still to be done: from here on there is only the claim to pay. */
export function refundInstead(order: Order, state: State, { to }: Of<'refund_address_given'>): Outcome {
  const claimed = giveRefundAddress(order, to);
  const back = refundable(order);
  if (claimed !== 'ignore' || back?.asset !== to.asset) return claimed;
  const isOurs = 'isOverdue' in state && state.isOverdue === true;
  const reason = isOurs ? UNSERVED : UNPAYABLE;
  return giveBack({ ...order, refundTo: order.refundTo ?? to }, { amount: back, from: 'hot', reason, to, isOurs });
}

const UNSERVED = 'it could not be served in time';

export function payoutAddressGiven(
  order: Order,
  state: In<'payout_refused'>,
  fact: Of<'payout_address_given'>,
): Outcome {
  if (order.replacement || fact.to.asset !== payoutTo(order).asset) return 'ignore';
  const { out } = state;
  const due: State = { phase: 'payout_due', held: out, out, exchanged: true, shortOf: undefined };
  return enter({ ...order, replacement: fact.to }, due, { effect: 'reserve_payout' });
}

export function payoutShort(order: Order, state: In<'payout_due'>, fact: Of<'inventory_short'>, rules: Rules): Step {
  return stay({ ...order, state: { ...state, ...shortage(state, fact, rules) } });
}
