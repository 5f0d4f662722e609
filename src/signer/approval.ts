import { approvalText } from '../kernel/binding.ts';
import { exceeds, isOutflow, limitOf, worth } from './limits.ts';
import type { TransferRequest } from './request.ts';
import { type Ground, type Refusal, refuse } from './verdict.ts';

/**
 * A payment that brings what its owner was paid as this kind above the value waits for a second yes: in parts it is as much. The
 * yes is to this very payment, and the detail is what they sign.
 */
export function unapproved(request: TransferRequest, { house, past }: Ground): Refusal | undefined {
  const { owner, kind, asset, atoms, intent, approval = '' } = request;
  const limit = limitOf(house.limits, asset);
  if (!house.approval || !limit || !isOutflow(kind)) return undefined;
  const { above, approvers } = house.approval;
  // What the house buys is bounded by the day; an order is one thing, however many parts it is paid in.
  const before = owner === 'treasury' ? 0n : past.paid(owner, kind, asset, intent);
  if (!exceeds(worth(limit, before + atoms), above)) return undefined;
  const text = approvalText(request);
  return approvers(text, approval) ? undefined : refuse('approval_awaited', text);
}
