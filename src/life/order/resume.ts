import type { Instant } from '../../kernel/clock.ts';
import { intentId } from '../../kernel/ids.ts';
import type { Effect } from './effect.ts';
import { payoutLeg } from './machine/payout.ts';
import type { Claim, Order } from './order.ts';
import { depositAccount, laneOf } from './step.ts';

/** The instructions that an order's state calls for. All of them may be repeated; handlers find before they act. */
export function resume(order: Order, now: Instant): readonly Effect[] {
  return [...ofPhase(order, now), ...order.claims.flatMap((claim) => ofClaim(order, claim))];
}

function ofPhase(order: Order, now: Instant): readonly Effect[] {
  const { state } = order;
  const payout = intentId(order.id, 'payout', payoutLeg(order));
  switch (state.phase) {
    case 'awaiting_deposit':
    case 'below_minimum':
      return [{ effect: 'judge_deadline', due: order.expiresAt }];
    case 'screening':
      return [{ effect: 'screen_deposit' }];
    case 'funding_gas':
      return state.hot
        ? signOf(order, 'gas', 0)
        : [
            {
              effect: 'price_gas',
              forWhat: { kind: 'sweep', leg: 0 },
              from: depositAccount(order),
              amount: order.used,
            },
          ];
    case 'collecting':
      return signOf(order, 'sweep', 0);
    case 'stocking':
      return [{ effect: 'reserve_stock' }];
    case 'trading':
      return [{ effect: 'work_ticket', chunk: state.run.chunk, attempt: state.run.attempt, due: now }];
    case 'payout_due':
      return [{ effect: 'reserve_payout' }];
    case 'payout_reserved':
      return [{ effect: 'sign_intent', intent: payout, lane: laneOf({ amount: state.out, from: 'hot' }) }];
    case 'payout_signed':
      return [{ effect: 'send_intent', intent: payout }];
    case 'payout_sent':
      return [{ effect: 'confirm_intent', intent: payout }];
    case 'confirming':
    case 'payout_refused':
    case 'refunding':
    case 'completed':
    case 'refunded':
    case 'expired':
    case 'failed':
      return [];
  }
}

/** Signing again gives the saved bytes again, and sending and confirming follow from it. */
function signOf(order: Order, kind: 'gas' | 'sweep' | 'refund', leg: number): readonly Effect[] {
  const from = kind === 'gas' ? 'hot' : depositAccount(order);
  return [{ effect: 'sign_intent', intent: intentId(order.id, kind, leg), lane: laneOf({ amount: order.used, from }) }];
}

function ofClaim(order: Order, claim: Claim): readonly Effect[] {
  switch (claim.stage) {
    case 'checking':
      return [
        { effect: 'price_gas', forWhat: { kind: 'refund', leg: claim.leg }, from: claim.from, amount: claim.amount },
      ];
    case 'queued':
      return signOf(order, 'gas', claim.leg);
    case 'sending':
      return signOf(order, 'refund', claim.leg);
    case 'address_required':
    case 'completed':
    case 'blocked':
      return [];
  }
}
