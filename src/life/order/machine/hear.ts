import type { Instant } from '../../../kernel/clock.ts';
import type { Heard } from '../../payment/advance.ts';
import type { PurposeName, PurposeOf } from '../../payment/payment.ts';
import type { Claim, Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import type { State } from '../state.ts';
import { type Step, stay, then, withCase } from '../step.ts';
import { refundHeard } from './claim.ts';
import { collectionHeard } from './collect.ts';
import { payoutHeard } from './payout.ts';
import { dealHeard } from './provider.ts';

const isPaidBack = (stage: Claim['stage']): boolean => stage === 'completed' || stage === 'replaced';

type Hears = {
  readonly [N in PurposeName]: (order: Order, purpose: PurposeOf<N>, heard: Heard, at: Instant, rules: Rules) => Step;
};

/** Complete by type: what each kind of payment means to the order that it belongs to. */
const HEARS: Hears = {
  payout: (order, _, heard, at) => payoutHeard(order, heard, at),
  refund: (order, purpose, heard, at) => closeRefund(refundHeard(order, purpose, heard), at),
  provider_deal: dealHeard,
  collection: (order, _, heard, at) => collectionHeard(order, heard, at),
  integrator_fee: (order, _, heard) =>
    heard.heard === 'unpaid' ? withCase(stay(order), { case: 'fee_refused', reason: heard.reason }) : stay(order),
  // The house's own belong to no order.
  rebalance: stay,
  cold_sweep: stay,
  stock_fill: stay,
  output_split: stay,
  forgotten: stay,
};

/** Tells the order what became of one of its payments. */
export function hear(step: Step, heard: Heard, at: Instant, rules: Rules): Step {
  const { purpose } = heard.payment;
  // The table is keyed by the very name that selects the purpose; TypeScript cannot follow that through the union.
  const listen = HEARS[purpose.for] as Hears[PurposeName] & ((...told: unknown[]) => Step);
  return then(step, (order) => listen(order, purpose as never, heard, at, rules));
}

/**
 * A refund that arrived ends the order as refunded if it was its own outcome, or all there was to an expired order, or to one
 * that nothing of what was asked for came to. While more is under way, or waits for an address, the order is not over. What
 * only a person can move does not hold it.
 */
function closeRefund(step: Step, at: Instant): Step {
  const { state, claims, funds } = step.order;
  const isAllThereWas =
    state.phase === 'expired' || (state.phase === 'awaiting_deposit' && funds.firstSeenAt === undefined);
  if (state.phase !== 'refunding' && !isAllThereWas) return step;
  const shown = claims.filter(({ isSpeck }) => !isSpeck);
  const own = state.phase === 'refunding' ? state.claim : shown.findLast(({ stage }) => stage === 'completed')?.number;
  const claim = shown.find(({ number }) => number === own);
  const isDone =
    claim?.stage === 'completed' &&
    shown.every(({ stage }) => isPaidBack(stage) || (stage === 'blocked' && state.phase !== 'expired'));
  if (!claim || !isDone) return step;
  const refunded: State = { phase: 'refunded', claim: claim.number, reason: claim.reason, at };
  return { ...step, order: { ...step.order, state: refunded } };
}
