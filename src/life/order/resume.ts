import { isZero } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import { isPaid } from '../payment/payment.ts';
import { resumePayment } from '../payment/steps.ts';
import type { Effect } from './effect.ts';
import { isFeeOpen } from './machine/fees.ts';
import { type Claim, dealPayment, type Order } from './order.ts';

/** The instructions that an order's state calls for. All of them may be repeated; handlers find before they act. */
export function resume(order: Order, now: Instant): readonly Effect[] {
  return [
    ...ofPhase(order, now),
    ...order.claims.flatMap((claim) => ofClaim(claim, now)),
    ...order.payments.flatMap(resumePayment),
  ];
}

/** What is kept because nobody knows its worth is not priced again by the clock. */
function ofClaim({ stage, number, kept }: Claim, now: Instant): readonly Effect[] {
  if (stage === 'pricing') return [{ effect: 'price_claim', claim: number }];
  if (stage === 'kept' && kept?.why === 'small')
    return [{ effect: 'price_claim', claim: number, due: kept.due ?? now }];
  return [];
}

function ofPhase(order: Order, now: Instant): readonly Effect[] {
  const { state } = order;
  switch (state.phase) {
    case 'awaiting_deposit':
      return [{ effect: 'judge_deadline', due: state.until ?? order.expiresAt }];
    case 'below_minimum':
      return [{ effect: 'judge_deadline', due: order.expiresAt }];
    case 'confirming':
      // Nothing of it may be final yet, and then only the chain can move it.
      return isZero(order.funds.confirmed) ? [] : [{ effect: 'judge_deadline', due: state.rest?.until ?? now }];
    case 'screening':
      return [{ effect: 'screen_deposit' }];
    case 'stocking':
      return [{ effect: 'reserve_stock' }];
    case 'trading':
      return [{ effect: 'work_ticket', chunk: state.run.chunk, attempt: state.run.attempt, due: now }];
    case 'placing':
      return [{ effect: 'place_leg', number: order.deals, due: now }];
    case 'swapping':
    case 'provider_failed': {
      const paid = dealPayment(order, state.deal);
      return paid && isPaid(paid) ? [{ effect: 'watch_leg', number: state.deal.number }] : [];
    }
    case 'payout_due':
      return [{ effect: 'reserve_payout' }];
    case 'completed':
      return isFeeOpen(order) ? [{ effect: 'pay_fee' }] : [];
    case 'collecting':
    case 'paying':
    case 'payout_refused':
    case 'refunding':
    case 'refunded':
    case 'expired':
    case 'failed':
      return [];
  }
}
