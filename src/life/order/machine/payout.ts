import { type Amount, isZero, subtract } from '../../../kernel/amount.ts';
import type { Instant } from '../../../kernel/clock.ts';
import type { Of } from '../fact.ts';
import type { Destination, Order } from '../order.ts';
import type { In, State } from '../state.ts';
import {
  accountOf,
  enter,
  intentAccount,
  isProven,
  move,
  type Outcome,
  raiseCase,
  type Step,
  stay,
  then,
  wasted,
  withEffects,
  withIntent,
  withPostings,
} from '../step.ts';
import { giveRefundAddress } from './claim.ts';
import { giveBack } from './deposit.ts';
import { offVenue } from './exchange.ts';
import { feesAt } from './fees.ts';

/** A payout that was refused is followed by at most one other, to the replacement. */
export const payoutLeg = (order: Order): number => (order.replacement ? 1 : 0);
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
    return enter(order, state, raiseCase('execution yielded less than the fees'));
  }
  const due: State = { phase: 'payout_due', held, out, exchanged: false, shortOf: undefined };
  return enter(order, due, { effect: 'reserve_payout' });
}

/** The gate: what execution yielded is exchanged for the treasury's coins where it lies elsewhere, and set apart for one payment. */
export function payoutReserved(order: Order, state: In<'payout_due'>): Step {
  const { held, out } = state;
  const leg = payoutLeg(order);
  const to = payoutTo(order);
  const apart = intentAccount(order, 'payout', leg);
  const reserved = enter(order, { phase: 'payout_reserved', out });
  const paid = withIntent(reserved, {
    kind: 'payout',
    leg,
    from: 'hot',
    amount: out,
    to: to.address,
    binding: to.binding,
  });
  if (state.exchanged) return withPostings(paid, move(accountOf(order), apart, out));
  const { gross, fees } = yielded(order, held);
  if (held.asset === gross.asset)
    return withPostings(paid, move(accountOf(order), apart, out), move(accountOf(order), 'fees', fees));
  return withPostings(
    paid,
    move(accountOf(order), 'treasury', held),
    move('treasury', apart, out),
    move('treasury', 'fees', fees),
  );
}

/** Signed anew where the bytes before were proven dead; the same ones again are no news. */
export function payoutSigned(
  order: Order,
  state: In<'payout_reserved' | 'payout_signed' | 'payout_sent'>,
  fact: Of<'intent_signed'>,
): Outcome {
  if ('txHash' in state && state.txHash === fact.txHash) return 'ignore';
  return enter(order, { phase: 'payout_signed', out: state.out, txHash: fact.txHash });
}

export function payoutSent(order: Order, state: In<'payout_signed'>): Step {
  return enter(order, { ...state, phase: 'payout_sent' });
}

export function payoutFinal(order: Order, state: In<'payout_signed' | 'payout_sent'>, fact: Of<'intent_final'>): Step {
  const { out } = state;
  return withPostings(
    enter(order, { phase: 'completed', out, txHash: fact.txHash, at: fact.at }),
    move(intentAccount(order, 'payout', fact.intent.leg), 'world', fact.amount),
    move('treasury', 'world', fact.cost),
  );
}

/** Nothing was sent, or what was sent executed and failed: the money is the order's again. */
export function payoutRefused(
  order: Order,
  state: In<'payout_reserved' | 'payout_signed' | 'payout_sent'>,
  fact: Of<'intent_refused'>,
): Outcome {
  if (!isProven(fact, state.phase !== 'payout_reserved')) return 'ignore';
  const { out } = state;
  const refused = order.replacement
    ? withEffects(owe(order, out), raiseCase(`the second payout address was refused too: ${fact.reason}`))
    : enter(order, { phase: 'payout_refused', out, reason: fact.reason });
  return withPostings(
    refused,
    move(intentAccount(order, 'payout', fact.intent.leg), accountOf(order), out),
    ...wasted(fact, 'treasury'),
  );
}

/** What execution yielded cannot be paid, so it is given back as it is. */
const owe = (order: Order, out: Amount): Step =>
  giveBack(order, { amount: out, from: 'hot', reason: 'the destination could not be paid' });

/** Between a payout that was refused and the next one being set apart, the customer may have the money back instead. */
export const mayRefundInstead = (order: Order): boolean =>
  order.state.phase === 'payout_refused' || (order.state.phase === 'payout_due' && order.replacement !== undefined);

/** An explicit refund outranks a payout that is still to be made: from here on there is only the claim to pay. */
export function refundInstead(
  order: Order,
  { out }: In<'payout_refused' | 'payout_due'>,
  { to }: Of<'refund_address_given'>,
): Outcome {
  const claimed = giveRefundAddress(order, to);
  if (claimed !== 'ignore' || !mayRefundInstead(order) || to.asset !== out.asset) return claimed;
  const owed = owe(order, out);
  const given = giveRefundAddress(owed.order, to);
  return given === 'ignore' ? 'ignore' : then(owed, () => given);
}

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

export function payoutShort(order: Order, state: In<'payout_due'>, fact: Of<'inventory_short'>): Step {
  return stay({ ...order, state: { ...state, shortOf: fact.asset } });
}
