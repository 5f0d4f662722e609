import { type Amount, isZero } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { Instant } from '../../../kernel/clock.ts';
import { move } from '../../payment/posting.ts';
import type { Leg } from '../../quote/quote.ts';
import type { Order } from '../order.ts';
import type { In, State } from '../state.ts';
import { accountOf, enter, type Step, stay, then, withPostings } from '../step.ts';
import { firstStock, offVenue, stockFor } from './exchange.ts';
import { budgetAt, earn } from './fees.ts';
import { giveBack } from './give-back.ts';
import { startPayout } from './payout.ts';

export const legOf = (order: Order, index: number): Leg =>
  present(order.route.legs[index], `leg ${index} of ${order.id}`);

/** The order's money stands before this leg, or before the payout where none is left. */
export function enterLeg(order: Order, index: number, held: Amount, at: Instant): Step {
  const leg = order.route.legs[index];
  if (!leg) return startPayout(order, held, at);
  if (leg.leg !== 'provider')
    return stock(order, index, held, firstStock(leg, stockFor(leg, budgetAt(order, index, held))));
  return held.asset === leg.input.asset
    ? place(order, index, held, at)
    : stock(order, index, held, offVenue(order, index, held));
}

const stock = (order: Order, leg: number, held: Amount, wanted: Amount): Step =>
  isZero(wanted)
    ? giveBack(order, { amount: held, from: 'hot', reason: TOO_LITTLE })
    : enter(order, { phase: 'stocking', leg, held, stock: wanted, shortOf: undefined }, { effect: 'reserve_stock' });

const TOO_LITTLE = 'too little was left to go on with';

export function place(order: Order, leg: number, held: Amount, at: Instant): Step {
  if (isZero(budgetAt(order, leg, held))) return giveBack(order, { amount: held, from: 'hot', reason: TOO_LITTLE });
  const state: State = { phase: 'placing', leg, held, since: at, refusals: 0 };
  return enter(order, state, { effect: 'place_leg', number: order.deals, due: at });
}

/** What is not spent in a leg before a provider's is already exchanged: all of it lies on the hot account then. */
export function exchangedForHot(order: Order, state: In<'stocking'>, at: Instant): Step {
  return withPostings(
    place(order, state.leg, state.stock, at),
    move(accountOf(order), 'treasury', state.held),
    move('treasury', accountOf(order), state.stock),
  );
}

/** A bridge is nothing but the exchange. */
export function bridged(order: Order, state: In<'stocking'>, at: Instant): Step {
  return withPostings(
    legDone(order, state, state.stock, at),
    move(accountOf(order), 'treasury', budgetAt(order, state.leg, state.held)),
    move('treasury', accountOf(order), state.stock),
  );
}

/** The leg has worked: what it cost to come here is earned, and its yield stands before the next. */
export function legDone(
  order: Order,
  state: { readonly leg: number; readonly held: Amount },
  got: Amount,
  at: Instant,
  waived?: Amount,
): Step {
  const worked = earn(stay(order), accountOf(order), state.leg, state.held, waived);
  return then(worked, (now) => enterLeg(now, state.leg + 1, got, at));
}
