import { type Amount, equal, isZero, scale } from '../../../kernel/amount.ts';
import { type Instant, isoTime } from '../../../kernel/clock.ts';
import { type Address, type AssetId, chainOf, type TxHash } from '../../../kernel/ids.ts';
import { ratio } from '../../../kernel/ratio.ts';
import { txHashOf } from '../../payment/payment.ts';
import { isHeld } from '../hold.ts';
import { isWaiting } from '../machine/claim.ts';
import { isDust, isLate } from '../machine/deposit.ts';
import { refundable } from '../machine/shortage.ts';
import { type Claim, type KeptClaim, netOf, type Order, payoutPayment, refundPayment } from '../order.ts';
import type { Rules } from '../rules.ts';
import { type In, IS_FINAL, type Phase, type Shortage } from '../state.ts';
import { isOwing, openClaimOf, type RecoveryPhase, recoveryPhase } from './open-claim.ts';

export type V2Status =
  | 'awaiting_deposit'
  | 'awaiting_xmr1'
  | 'awaiting_trx1'
  | 'processing'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'refunded';

const STATUS: Readonly<Record<Phase, V2Status>> = {
  awaiting_deposit: 'awaiting_deposit',
  confirming: 'processing',
  below_minimum: 'awaiting_deposit',
  screening: 'processing',
  collecting: 'processing',
  stocking: 'processing',
  trading: 'processing',
  placing: 'processing',
  swapping: 'processing',
  provider_failed: 'processing',
  payout_due: 'processing',
  paying: 'processing',
  payout_refused: 'processing',
  refunding: 'processing',
  completed: 'completed',
  refunded: 'refunded',
  expired: 'expired',
  failed: 'failed',
};

/** What a withdrawal waits for has a name of its own, for the two that the document names (D36). */
const AWAITED: Readonly<Record<string, V2Status>> = { xmr: 'awaiting_xmr1', trx: 'awaiting_trx1' };

export function v2Status({ state, bridge }: Pick<Order, 'state' | 'bridge'>): V2Status {
  const status = STATUS[state.phase];
  if (status !== 'awaiting_deposit' || bridge?.direction !== 'withdraw') return status;
  return AWAITED[bridge.asset] ?? status;
}

type ProcessingStep = 'deposit_seen' | 'confirming' | 'funding' | 'executing' | 'paying_out';

export type CustomerState =
  | { readonly kind: 'awaiting_deposit' }
  | {
      readonly kind: 'notice';
      readonly notice: 'below_expected' | 'below_minimum' | 'checking';
      readonly observedDepositAmount: string;
      readonly minimumDepositAmount?: string;
      readonly topUpUntil?: string;
    }
  | { readonly kind: 'processing'; readonly step: ProcessingStep }
  | {
      readonly kind: 'paused';
      readonly reason: 'preparing_refund' | 'below_minimum';
      readonly observedDepositAmount?: string;
      readonly minimumDepositAmount?: string;
    }
  | { readonly kind: 'action_required'; readonly action: 'refund_address' | 'payout_address' }
  /** `stillOwed`: the outcome stands, and something beside it is not paid back yet; `refundRecoveries` tells what. */
  | { readonly kind: 'completed'; readonly stillOwed?: true }
  | { readonly kind: 'refunded'; readonly stillOwed?: true }
  | { readonly kind: 'failed'; readonly code: string; readonly stillOwed?: true }
  | { readonly kind: 'expired' };

/** What the customer sees and may do. Money waiting for an address outranks every other news. */
export function customerState(order: Order, rules: Rules): CustomerState {
  if (order.claims.some(isWaiting)) {
    return { kind: 'action_required', action: 'refund_address' };
  }
  const { state } = order;
  // What was credited has left the chain: it is looked for, and nothing else happens.
  if (isHeld(order) && !IS_FINAL[state.phase])
    return { kind: 'notice', notice: 'checking', observedDepositAmount: order.funds.seen.atoms.toString() };
  switch (state.phase) {
    case 'awaiting_deposit':
      return whileAwaiting(order, state, rules);
    case 'confirming':
      return { kind: 'processing', step: order.funds.have === 0 ? 'deposit_seen' : 'confirming' };
    case 'below_minimum':
      return {
        kind: 'paused',
        reason: 'below_minimum',
        observedDepositAmount: order.funds.seen.atoms.toString(),
        minimumDepositAmount: order.minimum.atoms.toString(),
      };
    case 'screening':
    case 'collecting':
      return { kind: 'processing', step: 'funding' };
    case 'stocking':
      return whileWaiting(state, 'executing');
    case 'trading':
    case 'placing':
    case 'swapping':
      return { kind: 'processing', step: 'executing' };
    case 'payout_due':
      return whileWaiting(state, 'paying_out');
    case 'paying':
      return { kind: 'processing', step: 'paying_out' };
    case 'payout_refused':
      return order.replacement
        ? { kind: 'processing', step: 'paying_out' }
        : { kind: 'action_required', action: 'payout_address' };
    case 'refunding':
    case 'provider_failed':
      return { kind: 'paused', reason: 'preparing_refund' };
    case 'expired':
      return isOwing(order) ? { kind: 'paused', reason: 'preparing_refund' } : { kind: 'expired' };
    case 'completed':
    case 'refunded':
      return { kind: state.phase, ...owing(order) };
    case 'failed':
      return { kind: 'failed', code: state.code, ...owing(order) };
  }
}

const owing = (order: Order): { readonly stillOwed?: true } => (isOwing(order) ? { stillOwed: true } : {});

/** Who has waited too long for stock may have it back; it goes on by itself if the stock comes first. */
const whileWaiting = ({ isOverdue }: Shortage, step: ProcessingStep): CustomerState =>
  isOverdue ? { kind: 'action_required', action: 'refund_address' } : { kind: 'processing', step };

function whileAwaiting(order: Order, { until }: In<'awaiting_deposit'>, rules: Rules): CustomerState {
  const { seen } = order.funds;
  // Whoever has paid must not be asked to pay again.
  if (until !== undefined) return { kind: 'notice', notice: 'checking', observedDepositAmount: seen.atoms.toString() };
  if (isZero(seen) && openClaimOf(order)) return { kind: 'paused', reason: 'preparing_refund' };
  if (isDust(order, rules)) return { kind: 'awaiting_deposit' };
  const observedDepositAmount = seen.atoms.toString();
  if (isLate(order)) return { kind: 'notice', notice: 'checking', observedDepositAmount };
  if (order.deposits === 'as_it_comes') {
    return {
      kind: 'notice',
      notice: 'below_minimum',
      observedDepositAmount,
      minimumDepositAmount: order.minimum.atoms.toString(),
    };
  }
  return { kind: 'notice', notice: 'below_expected', observedDepositAmount, topUpUntil: isoTime(order.expiresAt) };
}

export interface RefundRecovery {
  readonly kind: 'source' | 'wrong_chain';
  readonly asset: AssetId;
  /** What is given back; network costs are deducted once they are known. */
  readonly amount: Amount;
  readonly deducted: Amount | undefined;
  /** Why it is not given back for now. */
  readonly kept: KeptClaim | undefined;
  readonly phase: RecoveryPhase;
  readonly suggestedAddress: Address | undefined;
}

/** The claim that needs attention first, else the last one settled. */
export function refundRecovery(order: Order): RefundRecovery | undefined {
  const claim =
    order.claims.find(isWaiting) ??
    toTakeBack(order) ??
    openClaimOf(order) ??
    order.claims.findLast(({ isSpeck }) => !isSpeck);
  return claim && recoveryOf(order, claim);
}

/** What may be had back instead of waiting for stock, as a claim would show it. */
function toTakeBack(order: Order): Shown | undefined {
  const { state } = order;
  const amount = 'isOverdue' in state && state.isOverdue ? refundable(order) : undefined;
  return amount && { kind: 'source', amount, number: order.claims.length + 1, stage: 'address_required' };
}

type Shown = Pick<Claim, 'kind' | 'amount' | 'number' | 'stage' | 'charged' | 'gasSpent' | 'kept'> &
  Partial<Pick<Claim, 'to'>>;

/** Every claim there is, the oldest first; one that another stands for is told by that one. */
export const refundRecoveries = (order: Order): readonly RefundRecovery[] =>
  [
    ...order.claims.filter(({ stage, isSpeck }) => stage !== 'replaced' && !isSpeck),
    ...[toTakeBack(order) ?? []].flat(),
  ].map((claim) => recoveryOf(order, claim));

function recoveryOf(order: Order, claim: Shown): RefundRecovery {
  const refused = order.claims
    .filter((one) => one.stage === 'replaced' && refundPayment(order, one))
    .map(({ to }) => to?.address);
  const suggested = [claim.to, order.refundTo, order.sender].find(
    (known) => known && chainOf(known.asset) === chainOf(claim.amount.asset) && !refused.includes(known.address),
  );
  return {
    kind: claim.kind === 'wrong_chain' ? 'wrong_chain' : 'source',
    asset: claim.amount.asset,
    amount: netOf(claim),
    deducted: claim.charged?.amount,
    kept: claim.stage === 'kept' ? claim.kept : undefined,
    phase: recoveryPhase(order, claim),
    suggestedAddress: suggested?.address,
  };
}

/**
 * The quote rescaled to what arrived, when that differs from what was asked; once it is carried out, to what of it is. An estimate.
 */
export function fundedExpectedOutput(order: Order): Amount | undefined {
  const funded = isZero(order.used) ? order.funds.seen : order.used;
  if (isZero(funded) || equal(funded, order.asked)) return undefined;
  return scale(order.expected, ratio(funded.atoms, order.asked.atoms), 'down');
}

export const actualOutput = (order: Order): Amount | undefined =>
  order.state.phase === 'completed' ? order.state.out : undefined;

/** The asset paid out where it is not the one that was asked for. */
export const deliveredAsset = (order: Order): AssetId | undefined => {
  const paid = actualOutput(order)?.asset;
  return paid === order.to.id ? undefined : paid;
};

/** The version that is under way or was mined. */
export function payoutTxHash(order: Order): TxHash | undefined {
  const payout = payoutPayment(order);
  return payout && txHashOf(payout);
}

/** While the refund that is the order's outcome is under way, what went back beside it is not shown in its place. */
export function refundTxHash(order: Order): TxHash | undefined {
  const { state } = order;
  const isAsked = ({ number }: Claim): boolean => state.phase !== 'refunding' || number === state.claim;
  const claim = order.claims.findLast((one) => one.stage === 'completed' && isAsked(one));
  const refund = claim && refundPayment(order, claim);
  return refund && txHashOf(refund);
}

export function completedAt({ state }: Pick<Order, 'state'>): Instant | undefined {
  return state.phase === 'completed' || state.phase === 'refunded' ? state.at : undefined;
}

const WAITING_FOR_STOCK =
  'The desk has too little stock for this order at the moment. It goes on by itself once there is enough; or give an address to have the money back.';
const DELIVERED_LESS = 'Less was delivered on the way than was agreed. No service fee is taken.';

/** Why it did not go as asked, for a person and for a program. */
export function errorOf({
  state,
  shortfall,
  claims,
}: Pick<Order, 'state' | 'shortfall' | 'claims'>): { readonly code: string; readonly message: string } | undefined {
  const isAsked = claims.some(isWaiting);
  // Where an address is asked for other money, that is the news.
  if ('isOverdue' in state && state.isOverdue && !isAsked)
    return { code: 'waiting_for_stock', message: WAITING_FOR_STOCK };
  switch (state.phase) {
    case 'failed':
      return {
        code: state.code,
        message: `The order could not be carried out (${state.code}). Support has been told.`,
      };
    case 'refunding':
    case 'refunded':
      // While an address is asked for, nothing is returned yet; or a part is, whose sender the chain shows, and the rest is not.
      if (claims.some((claim) => (claim.number === state.claim || claim.reason === state.reason) && isWaiting(claim)))
        return {
          code: 'refund_address_required',
          message: `An address is needed to return the deposit to: ${state.reason}.`,
        };
      if (isAsked) return undefined;
      return { code: 'refunded', message: `The deposit is returned: ${state.reason}.` };
    case 'payout_refused':
      return { code: 'payout_refused', message: `The destination cannot be paid: ${state.reason}.` };
    default:
      return shortfall && { code: 'delivered_less', message: DELIVERED_LESS };
  }
}
