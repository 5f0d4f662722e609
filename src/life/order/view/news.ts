import { isZero } from '../../../kernel/amount.ts';
import type { Draft } from '../create.ts';
import type { Order } from '../order.ts';
import type { Rules } from '../rules.ts';
import { feeReport } from './report.ts';
import { customerState, v2Status } from './v2-customer.ts';

/** What can happen to an order that a partner may want to be told. */
export type OrderNews =
  | 'order.created'
  | 'order.deposit_seen'
  | 'order.deposit_confirmed'
  | 'order.notice'
  | 'order.action_required'
  | 'order.completed'
  | 'order.refunded'
  | 'order.failed'
  | 'order.expired'
  | 'fee.paid'
  | 'fee.skipped';

const OUTCOMES = ['completed', 'refunded', 'failed', 'expired'] as const;

/** A new order, and that its fee will not be paid, where that is known already. */
export const firstNews = (draft: Draft): readonly OrderNews[] =>
  feeReport(draft).status === 'skipped' ? ['order.created', 'fee.skipped'] : ['order.created'];

/** What became true between two states of an order, in the order in which it is told; read from what the public sees. */
export function newsOf(before: Order, after: Order, rules: Rules): readonly OrderNews[] {
  const state = customerState(after, rules);
  const isNewState = JSON.stringify(customerState(before, rules)) !== JSON.stringify(state);
  const status = v2Status(after);
  const outcome = v2Status(before) === status ? undefined : OUTCOMES.find((one) => one === status);
  const fee = feeReport(after).status;
  const isNewFee = feeReport(before).status !== fee;
  const news: readonly (OrderNews | false | undefined)[] = [
    !before.funds.txHash && after.funds.txHash !== undefined && 'order.deposit_seen',
    isZero(before.used) && !isZero(after.used) && 'order.deposit_confirmed',
    isNewState && state.kind === 'notice' && 'order.notice',
    isNewState && state.kind === 'action_required' && 'order.action_required',
    outcome && `order.${outcome}`,
    isNewFee && fee === 'paid' && 'fee.paid',
    isNewFee && fee === 'skipped' && 'fee.skipped',
  ];
  return news.filter((one) => one !== undefined && one !== false);
}
