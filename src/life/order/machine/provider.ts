import { type Amount, add, equal, subtract } from '../../../kernel/amount.ts';
import { type Instant, later } from '../../../kernel/clock.ts';
import { chainOf } from '../../../kernel/ids.ts';
import type { Of } from '../fact.ts';
import type { Order } from '../order.ts';
import type { Rules } from '../rules.ts';
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
import { giveBack } from './deposit.ts';
import { budgetAt, feesAt } from './fees.ts';
import { legDone, legOf, place } from './leg.ts';

type Waiting = In<'swapping' | 'provider_failed'>;

/** What was agreed is kept, and only then paid for: once, under the deal's own number. */
export function legPlaced(order: Order, { leg, held }: In<'placing'>, { deal }: Of<'leg_placed'>): Outcome {
  const { input, depositAddress: to } = deal.terms;
  if (deal.number !== order.deals || !equal(input, budgetAt(order, leg, held))) return 'ignore';
  const state: State = { phase: 'funding', leg, held, deal, txHash: undefined };
  const { number, binding } = deal;
  const funded = withIntent(enter({ ...order, deals: number + 1 }, state), {
    ...{ kind: 'fund', leg: number, from: 'hot', amount: input, to, binding },
  });
  return withPostings(funded, move(accountOf(order), intentAccount(order, 'fund', number), input));
}

/** Asked again for a while; then what there is goes back. */
export function legDeclined(order: Order, state: In<'placing'>, fact: Of<'leg_declined'>, rules: Rules): Outcome {
  if (fact.number !== order.deals) return 'ignore';
  const refusals = state.refusals + (fact.refused ? 1 : 0);
  const isHopeless = refusals >= rules.mostRefusals || fact.at >= later(state.since, rules.tradePatienceMs);
  if (isHopeless) return giveBack(order, { amount: state.held, from: 'hot', reason: NO_ROUTE });
  const due = later(fact.at, rules.retryLegMs);
  return enter(order, { ...state, refusals }, { effect: 'place_leg', number: order.deals, due });
}

export function fundSigned(order: Order, state: In<'funding'>, fact: Of<'intent_signed'>): Step {
  return stay({ ...order, state: { ...state, txHash: fact.txHash } });
}

export function fundFinal(order: Order, { leg, held, deal }: In<'funding'>, fact: Of<'intent_final'>): Step {
  const state: State = { phase: 'swapping', leg, held, deal, txHash: fact.txHash };
  return withPostings(
    enter(order, state, { effect: 'watch_leg', number: deal.number }),
    move(intentAccount(order, 'fund', deal.number), 'world', fact.amount),
    move('treasury', 'world', fact.cost),
  );
}

/** The provider was not paid, and never will be by that payment. */
export function fundRefused(order: Order, state: In<'funding'>, fact: Of<'intent_refused'>, rules: Rules): Outcome {
  if (!isProven(fact, state.txHash !== undefined)) return 'ignore';
  const { leg, held, deal } = state;
  return withPostings(
    placeAgain(order, leg, held, fact.at, rules),
    move(intentAccount(order, 'fund', deal.number), accountOf(order), deal.terms.input),
    ...wasted(fact, 'treasury'),
  );
}

const NO_ROUTE = 'no route could carry it out';

/** Another provider is looked for, a few times; then what there is goes back. */
function placeAgain(order: Order, leg: number, held: Amount, at: Instant, rules: Rules): Step {
  return order.deals >= rules.mostDeals
    ? giveBack(order, { amount: held, from: 'hot', reason: NO_ROUTE })
    : place(order, leg, held, at);
}

/** Already counted as inventory when our account showed it; now it is the order's. */
export function legDelivered(order: Order, state: Waiting, fact: Of<'leg_delivered'>): Outcome {
  if (fact.number !== state.deal.number) return 'ignore';
  const { got } = fact;
  const taken = withPostings(stay(order), move('treasury', accountOf(order), got));
  const wanted = legOf(order, state.leg).output.asset;
  if (got.asset === wanted) return then(taken, (now) => legDone(now, state, got, fact.at));
  return then(taken, (now) => deliveredOther(now, state, fact));
}

/** Paid as it is where the customer's address can take it; else it is owed, to an address that the customer names. */
function deliveredOther(order: Order, state: Waiting, { got, to, at }: Of<'leg_delivered'>): Step {
  const isLast = state.leg === order.route.legs.length - 1;
  const note = raiseCase(`${state.deal.provider} delivered ${got.asset} in place of what was agreed`);
  if (isLast && to && chainOf(got.asset) === chainOf(order.to.id))
    return withEffects(legDone({ ...order, fallback: to }, state, got, at), note);
  const reason = 'another asset came in than was agreed';
  const back = withEffects(giveBack(order, { amount: got, from: 'hot', reason }), note);
  return withPostings(back, move(accountOf(order), 'fees', feesAt(order, state.leg, state.held)));
}

/** What came back is placed anew, with what was held back for fees. */
export function legReturned(order: Order, state: Waiting, fact: Of<'leg_returned'>, rules: Rules): Outcome {
  if (fact.number !== state.deal.number) return 'ignore';
  const held = add(subtract(state.held, state.deal.terms.input), fact.got);
  const again = placeAgain(order, state.leg, held, fact.at, rules);
  return withPostings(again, move('treasury', accountOf(order), fact.got));
}

/** Goes on watching: what the provider shows later, or a person gets out of it, is taken up as it comes. */
export function legFailed(order: Order, state: In<'swapping'>, fact: Of<'leg_failed'>): Outcome {
  if (fact.number !== state.deal.number) return 'ignore';
  const { deal } = state;
  return enter(
    order,
    { ...state, phase: 'provider_failed', reason: fact.reason },
    { effect: 'watch_leg', number: deal.number },
    raiseCase(`provider ${deal.provider} failed order ${deal.terms.id}: ${fact.reason}`),
  );
}
