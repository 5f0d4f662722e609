import { type Amount, add, isZero, subtract } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Instant, later } from '../../../kernel/clock.ts';
import { chainOf } from '../../../kernel/ids.ts';
import type { Heard } from '../../payment/advance.ts';
import { isPaid, type PurposeOf } from '../../payment/payment.ts';
import { move } from '../../payment/posting.ts';
import type { Of } from '../fact.ts';
import { dealPayment, type Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import type { In } from '../state.ts';
import { accountOf, enter, type Outcome, type Step, stay, then, withCase, withPayment, withPostings } from '../step.ts';
import { isAsBound, isKeptBack, isShort, mostDelivered, parted } from '../terms-kept.ts';
import { budgetAt, earn, serviceFeeAt } from './fees.ts';
import { giveBack, giveBackPart } from './give-back.ts';
import { legDone, legOf, place } from './leg.ts';

type Waiting = In<'swapping' | 'provider_failed'>;

/** What was agreed is kept, and only then paid for: once, under the deal's own number. Beyond the order's bound nothing is agreed. */
export function legPlaced(order: Order, state: In<'placing'>, { deal, at }: Of<'leg_placed'>, rules: Rules): Outcome {
  const { number, binding, terms } = deal;
  if (number !== order.deals) return 'ignore';
  const { leg, held } = state;
  const wanted = legOf(order, leg);
  if (wanted.leg !== 'provider' || !isAsBound(terms, budgetAt(order, leg, held), wanted))
    return legDeclined(order, state, { fact: 'leg_declined', number, refused: true, at }, rules);
  return withPayment(enter({ ...order, deals: number + 1 }, { phase: 'swapping', leg, held, deal }), {
    purpose: { for: 'provider_deal', deal: number },
    from: 'hot',
    amount: terms.input,
    to: terms.depositAddress,
    binding,
  });
}

/** Asked again for a while; then what there is goes back. */
export function legDeclined(order: Order, state: In<'placing'>, fact: Of<'leg_declined'>, rules: Rules): Outcome {
  if (fact.number !== order.deals) return 'ignore';
  const refusals = state.refusals + (fact.refused ? 1 : 0);
  const isHopeless = refusals >= rules.mostRefusals || fact.at >= later(state.since, rules.tradePatienceMs);
  if (isHopeless) return giveBack(order, { amount: state.held, from: 'hot', reason: NO_ROUTE, isOurs: true });
  const due = later(fact.at, rules.retryLegMs);
  return enter(order, { ...state, refusals }, { effect: 'place_leg', number: order.deals, due });
}

/** Once it is paid the provider is watched; one that was not paid, and never will be by that payment, is looked for anew. */
export function dealHeard(
  order: Order,
  { deal: number }: PurposeOf<'provider_deal'>,
  heard: Heard,
  at: Instant,
  rules: Rules,
): Step {
  const { state } = order;
  const isCurrent = (state.phase === 'swapping' || state.phase === 'provider_failed') && state.deal.number === number;
  switch (heard.heard) {
    case 'paid':
      return isCurrent ? enter(order, state, { effect: 'watch_leg', number }) : stay(order);
    case 'settled':
      return stay(order);
    case 'unpaid':
      // Whoever delivers before the payment for it is final has done so at its own risk; a person sorts it out.
      if (!isCurrent) return withCase(stay(order), { case: 'deal_unpaid_late', deal: number, reason: heard.reason });
      return placeAgain(order, state.leg, state.held, at, rules);
  }
}

const NO_ROUTE = 'no route could carry it out';

/** Another provider is looked for, a few times; then what there is goes back. */
function placeAgain(order: Order, leg: number, held: Amount, at: Instant, rules: Rules): Step {
  return order.deals >= rules.mostDeals
    ? giveBack(order, { amount: held, from: 'hot', reason: NO_ROUTE, isOurs: true })
    : place(order, leg, held, at);
}

/** Whoever was not paid owes nothing: what a provider says of such a deal is not about it. */
function isDue(order: Order, { deal }: Waiting, number: number): boolean {
  const payment = dealPayment(order, deal);
  return number === deal.number && payment !== undefined && isPaid(payment);
}

/** Already counted as inventory when our account showed it; now it is the order's, as far as it was agreed. */
export function legDelivered(order: Order, state: Waiting, fact: Of<'leg_delivered'>, rules: Rules): Outcome {
  if (!isDue(order, state, fact.number)) return 'ignore';
  const { terms } = state.deal;
  const most =
    fact.got.asset === terms.output.asset
      ? mostDelivered(terms, rules)
      : present(fact.most, `what ${fact.got.asset} is worth`);
  const { got, beyond } = parted(fact.got, most);
  const taken = takenUp(order, state, got, beyond);
  if (got.asset !== legOf(order, state.leg).output.asset)
    return then(taken, (now) => deliveredOther(now, state, { ...fact, got }));
  return then(taken, (now) =>
    isShort(got, terms) ? deliveredLess(now, state, { ...fact, got }) : legDone(now, state, got, fact.at),
  );
}

/** What came beyond what was agreed may be anybody's: it stays where it is, and a person finds out whose. */
function takenUp(order: Order, { deal: { provider, terms } }: Waiting, got: Amount, beyond: Amount): Step {
  const taken = withPostings(stay(order), move('treasury', accountOf(order), got));
  return isZero(beyond)
    ? taken
    : withCase(taken, { case: 'provider_delivered_more', provider, deal: terms.id, ...beyond });
}

/** The customer gets what came, and what the desk would have kept for a service that was not given. */
function deliveredLess(order: Order, state: Waiting, { got, at }: Of<'leg_delivered'>): Step {
  const { provider, terms } = state.deal;
  const short = subtract(terms.least, got);
  const fee = serviceFeeAt(order, state.leg, state.held);
  const known = stay({ ...order, shortfall: short });
  const waived = isZero(fee)
    ? known
    : then(known, (now) => giveBackPart(now, { amount: fee, from: 'hot', reason: DELIVERED_LESS }));
  return withCase(
    then(waived, (now) => legDone(now, state, got, at, fee)),
    { case: 'provider_delivered_less', provider, deal: terms.id, ...short },
  );
}

const DELIVERED_LESS = 'less was delivered than agreed, so no service fee is taken';

/** Paid as it is where the customer's address can take it; else it is owed, to an address that the customer names. */
function deliveredOther(order: Order, state: Waiting, { got, to, at }: Of<'leg_delivered'>): Step {
  const isLast = state.leg === order.route.legs.length - 1;
  const note = { case: 'provider_delivered_other', provider: state.deal.provider, asset: got.asset } as const;
  if (isLast && to && chainOf(got.asset) === chainOf(order.to.id))
    return withCase(legDone({ ...order, fallback: to }, state, got, at), note);
  const reason = 'another asset came in than was agreed';
  const earned = earn(stay(order), accountOf(order), state.leg, state.held);
  return withCase(
    then(earned, (now) => giveBack(now, { amount: got, from: 'hot', reason, isOurs: true })),
    note,
  );
}

/** What came back is placed anew, with what was held back for fees. */
export function legReturned(order: Order, state: Waiting, fact: Of<'leg_returned'>, rules: Rules): Outcome {
  if (!isDue(order, state, fact.number)) return 'ignore';
  const { provider, terms } = state.deal;
  const { got, beyond } = parted(fact.got, terms.input);
  const held = add(subtract(state.held, terms.input), got);
  const again = then(takenUp(order, state, got, beyond), (now) => placeAgain(now, state.leg, held, fact.at, rules));
  if (!isKeptBack(got, terms, rules)) return again;
  return withCase(again, {
    case: 'provider_delivered_less',
    ...{ provider, deal: terms.id, ...subtract(terms.input, got) },
  });
}

/** Goes on watching: what the provider shows later, or a person gets out of it, is taken up as it comes. */
export function legFailed(order: Order, state: In<'swapping'>, fact: Of<'leg_failed'>): Outcome {
  if (!isDue(order, state, fact.number)) return 'ignore';
  const { deal } = state;
  return withCase(
    enter(
      order,
      { ...state, phase: 'provider_failed', reason: fact.reason },
      { effect: 'watch_leg', number: deal.number },
    ),
    { case: 'provider_failed', provider: deal.provider, deal: deal.terms.id, reason: fact.reason },
  );
}
