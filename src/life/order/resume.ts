import type { Instant } from '../../kernel/clock.ts';
import { intentId } from '../../kernel/ids.ts';
import type { Effect } from './effect.ts';
import { payoutLeg } from './machine/payout.ts';
import type { Claim, Order } from './order.ts';
import { depositAccount, laneOf, type Payment } from './step.ts';

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
        ? signOf(order, { kind: 'gas', leg: 0, amount: order.used, from: 'hot' })
        : [
            {
              effect: 'price_gas',
              forWhat: { kind: 'sweep', leg: 0 },
              from: depositAccount(order),
              amount: order.used,
            },
          ];
    case 'collecting':
      return signOf(order, { kind: 'sweep', leg: 0, amount: order.used, from: depositAccount(order) });
    case 'stocking':
      return [{ effect: 'reserve_stock' }];
    case 'trading':
      return [{ effect: 'work_ticket', chunk: state.run.chunk, attempt: state.run.attempt, due: now }];
    case 'placing':
      return [{ effect: 'place_leg', number: order.deals, due: now }];
    case 'funding':
      return signOf(order, { kind: 'fund', leg: state.deal.number, amount: state.deal.terms.input, from: 'hot' });
    case 'swapping':
    case 'provider_failed':
      return [{ effect: 'watch_leg', number: state.deal.number }];
    case 'payout_due':
      return [{ effect: 'reserve_payout' }];
    case 'payout_reserved':
      return signOf(order, { kind: 'payout', leg: payoutLeg(order), amount: state.out, from: 'hot' });
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

/** Signing again gives the saved bytes again, and sending and confirming follow from it. `amount` names the chain. */
function signOf(order: Order, payment: Pick<Payment, 'kind' | 'leg' | 'amount' | 'from'>): readonly Effect[] {
  const intent = intentId(order.id, payment.kind, payment.leg);
  return [{ effect: 'sign_intent', intent, lane: laneOf(payment) }];
}

function ofClaim(order: Order, claim: Claim): readonly Effect[] {
  switch (claim.stage) {
    case 'checking':
      return [
        { effect: 'price_gas', forWhat: { kind: 'refund', leg: claim.leg }, from: claim.from, amount: claim.amount },
      ];
    case 'queued':
      return signOf(order, { ...claim, kind: 'gas', from: 'hot' });
    case 'sending':
      return signOf(order, { ...claim, kind: 'refund' });
    case 'address_required':
    case 'completed':
    case 'blocked':
      return [];
  }
}
