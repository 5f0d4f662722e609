import { amount, isZero, rescale, subtract } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { Instant } from '../../../kernel/clock.ts';
import { feesOn } from '../../quote/fees-on.ts';
import type { Fact } from '../event.ts';
import type { Destination, Order } from '../order.ts';
import type { Execution, State } from '../state.ts';
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
  wasted,
  withIntent,
  withPostings,
} from '../step.ts';
import { inputFees } from './fees.ts';

type Of<K extends Fact['fact']> = Extract<Fact, { fact: K }>;
type In<P extends State['phase']> = Extract<State, { phase: P }>;

/** A payout that was refused before anything was sent is followed by at most one other, to the replacement. */
export const payoutLeg = (order: Order): number => (order.replacement ? 1 : 0);
export const payoutTo = (order: Order): Destination => order.replacement ?? order.destination;

/** What was earned, in the asset to be delivered, before and after output fees. */
function yielded(order: Order, run: Execution) {
  const leg = present(order.route.legs[run.leg], 'leg');
  const gross = amount(order.to.id, rescale(run.got.atoms, leg.receiveDecimals, order.to.decimals, 'down'));
  const fees = feesOn(order.route.fees, 'output', gross);
  return { gross, fees, out: subtract(gross, fees) };
}

/** Execution is done: the fees that stayed behind are earned, and the payout falls due. */
export function startPayout(order: Order, run: Execution, at: Instant): Step {
  const { out } = yielded(order, run);
  const earned = move(accountOf(order), 'fees', inputFees(order));
  if (isZero(out)) {
    const state = { phase: 'failed', code: 'nothing_left_after_fees', at } as const;
    return withPostings(enter(order, state, raiseCase('execution yielded less than the fees')), earned);
  }
  const due: State = { phase: 'payout_due', run, out, exchanged: false, shortOf: undefined };
  return withPostings(enter(order, due, { effect: 'reserve_payout' }), earned);
}

/** The gate: what execution yielded is exchanged for the treasury's coins and set apart for one payment. */
export function payoutReserved(order: Order, state: In<'payout_due'>): Step {
  const { run, out } = state;
  const leg = payoutLeg(order);
  const to = payoutTo(order);
  const held = intentAccount(order, 'payout', leg);
  const reserved = enter(order, { phase: 'payout_reserved', run, out });
  const paid = withIntent(reserved, {
    kind: 'payout',
    leg,
    from: 'hot',
    amount: out,
    to: to.address,
    binding: to.binding,
  });
  if (state.exchanged) return withPostings(paid, move(accountOf(order), held, out));
  return withPostings(
    paid,
    move(accountOf(order), 'treasury', run.got),
    move('treasury', held, out),
    move('treasury', 'fees', yielded(order, run).fees),
  );
}

export function payoutSigned(order: Order, state: In<'payout_reserved'>, fact: Of<'intent_signed'>): Step {
  return enter(order, { ...state, phase: 'payout_signed', txHash: fact.txHash });
}

export function payoutSent(order: Order, state: In<'payout_signed'>): Step {
  return enter(order, { ...state, phase: 'payout_sent' });
}

export function payoutFinal(order: Order, state: In<'payout_signed' | 'payout_sent'>, fact: Of<'intent_final'>): Step {
  const { run, out } = state;
  return withPostings(
    enter(order, { phase: 'completed', run, out, txHash: fact.txHash, at: fact.at }),
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
  const { run, out } = state;
  const refused: State = { phase: 'payout_refused', run, out, reason: fact.reason };
  const effects = order.replacement ? [raiseCase(`the second payout address was refused too: ${fact.reason}`)] : [];
  return withPostings(
    enter(order, refused, ...effects),
    move(intentAccount(order, 'payout', fact.intent.leg), accountOf(order), out),
    ...wasted(fact, 'treasury'),
  );
}

export function payoutAddressGiven(
  order: Order,
  state: In<'payout_refused'>,
  fact: Of<'payout_address_given'>,
): Outcome {
  if (order.replacement) return 'ignore';
  const { run, out } = state;
  const due: State = { phase: 'payout_due', run, out, exchanged: true, shortOf: undefined };
  return enter({ ...order, replacement: fact.to }, due, { effect: 'reserve_payout' });
}

export function payoutShort(order: Order, state: In<'payout_due'>, fact: Of<'inventory_short'>): Step {
  return stay({ ...order, state: { ...state, shortOf: fact.asset } });
}
