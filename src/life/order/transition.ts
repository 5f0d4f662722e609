import { assert } from '../../kernel/assert.ts';
import type { Instant } from '../../kernel/clock.ts';
import { advance } from '../payment/advance.ts';
import type { PaymentFact } from '../payment/fact.ts';
import type { Fact, Of, OrderFact, OrderFactKind } from './fact.ts';
import { isHeld, isTooLate } from './hold.ts';
import { claimPriced, giveRefundAddress } from './machine/claim.ts';
import { collectionRetried, giveBackDecided, screened } from './machine/collect.ts';
import {
  afterwards,
  closeWait,
  isBelowExpected,
  restOverdue,
  stray,
  whileAwaiting,
  whileConfirming,
} from './machine/deposit.ts';
import { stockReserved, stockShort, ticketDone } from './machine/execution.ts';
import { feePriced, feeRetried } from './machine/fees.ts';
import { hear } from './machine/hear.ts';
import { payoutAddressGiven, payoutReserved, payoutShort, refundInstead } from './machine/payout.ts';
import { legDeclined, legDelivered, legFailed, legPlaced, legReturned } from './machine/provider.ts';
import { rewarded } from './machine/reward.ts';
import type { Order } from './order.ts';
import { resume } from './resume.ts';
import type { Rules } from './rules.ts';
import { type In, NEXT, type Phase, type State } from './state.ts';
import { type Outcome, withPaid } from './step.ts';

type Moves = {
  readonly [P in Phase]: {
    readonly [K in OrderFactKind]?: (order: Order, state: In<P>, fact: Of<K>, rules: Rules) => Outcome;
  };
};

/** What each phase makes of the facts it waits for. Everything else falls to `OTHERWISE`. */
const MOVES: Moves = {
  awaiting_deposit: {
    deposit_observed: (order, _, fact, rules) => whileAwaiting(order, fact, rules),
    deadline_passed: (order, state, fact, rules) =>
      fact.at < (state.until ?? order.expiresAt) ? 'ignore' : closeWait(order, fact.at, rules),
    wait_closed: (order, _, fact, rules) =>
      isBelowExpected(order, rules) ? closeWait({ ...order, waitClosed: true }, fact.at, rules) : 'ignore',
  },
  confirming: {
    deposit_observed: (order, _, fact, rules) => whileConfirming(order, fact, rules),
    deadline_passed: (order, state, fact, rules) => restOverdue(order, state, fact.at, rules),
  },
  below_minimum: {
    deposit_observed: (order, _, fact, rules) => whileAwaiting(order, fact, rules),
    deadline_passed: (order, _, fact, rules) =>
      fact.at < order.expiresAt ? 'ignore' : closeWait(order, fact.at, rules),
  },
  screening: { deposit_screened: (order, _, fact, rules) => screened(order, fact, rules) },
  collecting: {},
  stocking: { stock_reserved: stockReserved, inventory_short: stockShort, refund_address_given: refundInstead },
  trading: { ticket_done: ticketDone },
  placing: { leg_placed: legPlaced, leg_declined: legDeclined },
  swapping: { leg_delivered: legDelivered, leg_returned: legReturned, leg_failed: legFailed },
  provider_failed: { leg_delivered: legDelivered, leg_returned: legReturned },
  payout_due: { payout_reserved: payoutReserved, inventory_short: payoutShort, refund_address_given: refundInstead },
  paying: {},
  payout_refused: { payout_address_given: payoutAddressGiven, refund_address_given: refundInstead },
  refunding: {},
  completed: {},
  refunded: {},
  expired: {},
  failed: {},
};

type Otherwise = {
  readonly [K in OrderFactKind]: (order: Order, state: State, fact: Of<K>, rules: Rules) => Outcome;
};

/** Complete by type. Observers repeat themselves, so most answers are 'ignore'; unexpected money never is. */
const OTHERWISE: Otherwise = {
  deposit_observed: (order, _, fact, rules) => afterwards(order, fact, rules),
  stray_observed: (order, _, fact, rules) => stray(order, fact, rules),
  reward_observed: (order, _, fact) => rewarded(order, fact),
  refund_address_given: (order, _, fact) => giveRefundAddress(order, fact.to),
  claim_priced: (order, _, fact, rules) => claimPriced(order, fact, rules),
  fee_priced: (order) => feePriced(order),
  fee_retried: (order) => feeRetried(order),
  collection_retried: (order) => collectionRetried(order),
  give_back_decided: (order, _, fact) => giveBackDecided(order, fact),
  deadline_passed: () => 'ignore',
  wait_closed: () => 'ignore',
  deposit_screened: () => 'ignore',
  stock_reserved: () => 'ignore',
  payout_reserved: () => 'ignore',
  inventory_short: () => 'ignore',
  ticket_done: () => 'ignore',
  leg_placed: () => 'ignore',
  leg_declined: () => 'ignore',
  leg_delivered: () => 'ignore',
  leg_returned: () => 'ignore',
  leg_failed: () => 'ignore',
  payout_address_given: () => 'ignore',
};

/**
 * The one function that moves an order. Pure: time and everything else it needs is in the fact.
 * Asserts that the move is on the map.
 */
export function transition(order: Order, fact: Fact, rules: Rules): Outcome {
  if (isTooLate(order, fact)) return 'ignore';
  const outcome = 'payment' in fact ? payment(order, fact, rules) : answer(order, fact, rules);
  if (outcome === 'ignore') return 'ignore';
  const { phase } = outcome.order.state;
  const before = order.state.phase;
  assert(phase === before || NEXT[before].includes(phase), `illegal move of ${order.id}: ${before} to ${phase}`);
  const isReleased = isHeld(order) && !isHeld(outcome.order);
  const state = isReleased ? asPatient(outcome.order.state, fact.at) : outcome.order.state;
  const now = { ...outcome.order, state, version: order.version + 1, updatedAt: changedAt(order, fact) };
  // What was held back is asked for again, all of it: each instruction is looked up before it is carried out.
  const goesOn = isReleased ? resume(now, fact.at) : [];
  return { ...outcome, order: now, effects: [...outcome.effects, ...goesOn] };
}

/** Nobody was asked while the order was held, so that no patience with them ran out meanwhile. */
function asPatient(state: State, at: Instant): State {
  switch (state.phase) {
    case 'placing':
      return { ...state, since: at };
    case 'trading':
      return { ...state, run: { ...state.run, idleSince: undefined } };
    default:
      return state;
  }
}

/** That a payment became final after it was shown is nothing that anybody sees. */
const changedAt = (order: Order, fact: Fact): Order['updatedAt'] =>
  fact.fact === 'transfer_settled' && fact.worked ? order.updatedAt : fact.at;

/** The payment is moved by its own machine; the order hears what came of it. */
function payment(order: Order, fact: PaymentFact, rules: Rules): Outcome {
  const known = order.payments.find(({ id }) => id === fact.payment);
  const advanced = known ? advance(known, fact) : 'ignore';
  if (advanced === 'ignore') return 'ignore';
  return advanced.heard.reduce((step, heard) => hear(step, heard, fact.at, rules), withPaid(order, advanced));
}

type Move = (order: Order, state: State, fact: OrderFact, rules: Rules) => Outcome;

function answer(order: Order, fact: OrderFact, rules: Rules): Outcome {
  const named = MOVES[order.state.phase][fact.fact] as Move | undefined;
  const otherwise = OTHERWISE[fact.fact] as Move;
  return (named ?? otherwise)(order, order.state, fact, rules);
}
