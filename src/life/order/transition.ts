import { assert } from '../../kernel/assert.ts';
import { intentId } from '../../kernel/ids.ts';
import type { Effect } from './effect.ts';
import type { Fact, FactKind, IntentRef, Of } from './fact.ts';
import { claimIntent, gasPriced, giveRefundAddress } from './machine/claim.ts';
import { collected, collectionPriced, collectionRefused, gasArrived, screened } from './machine/collect.ts';
import { afterwards, closeWait, isBelowExpected, stray, whileAwaiting, whileConfirming } from './machine/deposit.ts';
import { stockReserved, ticketDone } from './machine/execution.ts';
import { stockShort } from './machine/leg.ts';
import {
  payoutAddressGiven,
  payoutFinal,
  payoutLeg,
  payoutRefused,
  payoutReserved,
  payoutSent,
  payoutShort,
  payoutSigned,
  refundInstead,
} from './machine/payout.ts';
import {
  fundFinal,
  fundRefused,
  fundSigned,
  legDeclined,
  legDelivered,
  legFailed,
  legPlaced,
  legReturned,
} from './machine/provider.ts';
import { rewarded } from './machine/reward.ts';
import type { Order } from './order.ts';
import type { Rules } from './rules.ts';
import { type In, NEXT, type Phase, type State } from './state.ts';
import { type Outcome, type Step, stay, withEffects } from './step.ts';

type Moves = {
  readonly [P in Phase]: {
    readonly [K in FactKind]?: (order: Order, state: In<P>, fact: Of<K>, rules: Rules) => Outcome;
  };
};

/** What each phase makes of the facts it waits for. Everything else falls to `OTHERWISE`. */
const MOVES: Moves = {
  awaiting_deposit: {
    deposit_observed: (order, _, fact, rules) => whileAwaiting(order, fact, rules),
    deadline_passed: (order, _, fact, rules) =>
      fact.at < order.expiresAt ? 'ignore' : closeWait(order, fact.at, rules),
    wait_closed: (order, _, fact, rules) =>
      isBelowExpected(order, rules) ? closeWait({ ...order, waitClosed: true }, fact.at, rules) : 'ignore',
  },
  confirming: { deposit_observed: (order, _, fact, rules) => whileConfirming(order, fact, rules) },
  below_minimum: {
    deposit_observed: (order, _, fact, rules) => whileAwaiting(order, fact, rules),
    deadline_passed: (order, _, fact, rules) =>
      fact.at < order.expiresAt ? 'ignore' : closeWait(order, fact.at, rules),
  },
  screening: { deposit_screened: (order, _, fact) => screened(order, fact) },
  funding_gas: {
    gas_priced: collectionPriced,
    intent_signed: stay,
    intent_sent: stay,
    intent_final: gasArrived,
    intent_refused: (order, _, fact) => collectionRefused(order, fact),
  },
  collecting: {
    intent_signed: stay,
    intent_sent: stay,
    intent_final: (order, _, fact) => collected(order, fact),
    intent_refused: (order, _, fact) => collectionRefused(order, fact),
  },
  stocking: { stock_reserved: stockReserved, inventory_short: stockShort },
  trading: { ticket_done: ticketDone },
  placing: { leg_placed: legPlaced, leg_declined: legDeclined },
  funding: { intent_signed: fundSigned, intent_sent: stay, intent_final: fundFinal, intent_refused: fundRefused },
  swapping: { leg_delivered: legDelivered, leg_returned: legReturned, leg_failed: legFailed },
  provider_failed: { leg_delivered: legDelivered, leg_returned: legReturned },
  payout_due: { payout_reserved: payoutReserved, inventory_short: payoutShort, refund_address_given: refundInstead },
  payout_reserved: { intent_signed: payoutSigned, intent_refused: payoutRefused },
  payout_signed: {
    intent_signed: payoutSigned,
    intent_sent: payoutSent,
    intent_final: payoutFinal,
    intent_refused: payoutRefused,
  },
  payout_sent: { intent_signed: payoutSigned, intent_final: payoutFinal, intent_refused: payoutRefused },
  payout_refused: { payout_address_given: payoutAddressGiven, refund_address_given: refundInstead },
  refunding: {},
  completed: {},
  refunded: {},
  expired: {},
  failed: {},
};

/** Complete by type. Observers repeat themselves, so most answers are 'ignore'; unexpected money never is. */
const OTHERWISE: { readonly [K in FactKind]: (order: Order, state: State, fact: Of<K>) => Outcome } = {
  deposit_observed: (order, _, fact) => afterwards(order, fact),
  stray_observed: (order, _, fact) => stray(order, fact),
  reward_observed: (order, _, fact) => rewarded(order, fact),
  refund_address_given: (order, _, fact) => giveRefundAddress(order, fact.to),
  gas_priced: () => 'ignore',
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
  intent_signed: () => 'ignore',
  intent_sent: () => 'ignore',
  intent_final: () => 'ignore',
  intent_refused: () => 'ignore',
  payout_address_given: () => 'ignore',
};

/**
 * The one function that moves an order. Pure: time and everything else it needs is in the fact.
 * Asserts that the move is on the map.
 */
export function transition(order: Order, fact: Fact, rules: Rules): Outcome {
  const outcome = answer(order, fact, rules);
  if (outcome === 'ignore') return 'ignore';
  const finished = closeRefund(followIntent(outcome, fact), fact);
  const { phase } = finished.order.state;
  const before = order.state.phase;
  assert(phase === before || NEXT[before].includes(phase), `illegal move of ${order.id}: ${before} to ${phase}`);
  return { ...finished, order: { ...finished.order, version: order.version + 1, updatedAt: fact.at } };
}

function answer(order: Order, fact: Fact, rules: Rules): Outcome {
  if (fact.fact === 'gas_priced' && fact.forWhat.kind === 'refund') return gasPriced(order, fact);
  if ('intent' in fact) {
    if (isOfClaim(fact.intent)) return claimIntent(order, fact);
    if (!isAwaited(order, fact)) return 'ignore';
  }
  const named = MOVES[order.state.phase][fact.fact] as Move | undefined;
  const otherwise = OTHERWISE[fact.fact] as Move;
  return (named ?? otherwise)(order, order.state, fact, rules);
}

type Move = (order: Order, state: State, fact: Fact, rules: Rules) => Outcome;
type IntentFact = Extract<Fact, { readonly intent: IntentRef }>;

/** Refunds, and the gas sent ahead of them, belong to claims, whatever the order's own phase. */
const isOfClaim = ({ kind, leg }: IntentRef): boolean => kind === 'refund' || (kind === 'gas' && leg > 0);

/** News of any payment but the one that the phase waits for is old, and must not pass for it. */
function isAwaited(order: Order, { fact, intent }: IntentFact): boolean {
  const { state } = order;
  const isSweep = intent.kind === 'sweep' && intent.leg === 0;
  switch (state.phase) {
    case 'funding_gas':
      return state.hot ? intent.kind === 'gas' : isSweep && fact === 'intent_refused';
    case 'collecting':
      return isSweep;
    case 'funding':
      return intent.kind === 'fund' && intent.leg === state.deal.number;
    case 'payout_reserved':
    case 'payout_signed':
    case 'payout_sent':
      return intent.kind === 'payout' && intent.leg === payoutLeg(order);
    default:
      return false;
  }
}

/** Signed bytes are sent, sent bytes are confirmed: the same for every kind of payment. */
function followIntent(step: Step, fact: Fact): Step {
  const next = nextOfIntent(step.order, fact);
  return next ? withEffects(step, next) : step;
}

function nextOfIntent(order: Order, fact: Fact): Effect | undefined {
  if (fact.fact === 'intent_signed') {
    return { effect: 'send_intent', intent: intentId(order.id, fact.intent.kind, fact.intent.leg) };
  }
  if (fact.fact === 'intent_sent') {
    return { effect: 'confirm_intent', intent: intentId(order.id, fact.intent.kind, fact.intent.leg) };
  }
  return undefined;
}

/** A refund that arrived ends the order as refunded if it was its own outcome, or all there was to an expired order. */
function closeRefund(step: Step, fact: Fact): Step {
  const { state, claims } = step.order;
  if (fact.fact !== 'intent_final' || (state.phase !== 'refunding' && state.phase !== 'expired')) return step;
  const own = state.phase === 'refunding' ? state.leg : claims.at(-1)?.leg;
  const claim = claims.find((candidate) => candidate.leg === own);
  const isDone =
    claim?.stage === 'completed' && (state.phase === 'refunding' || claims.every((c) => c.stage === 'completed'));
  if (!claim || !isDone) return step;
  const refunded: State = { phase: 'refunded', leg: claim.leg, reason: claim.reason, at: fact.at };
  return { ...step, order: { ...step.order, state: refunded } };
}
