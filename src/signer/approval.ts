import { approvalText } from '../kernel/binding.ts';
import type { TxHash } from '../kernel/ids.ts';
import { exceeds, isOutflow, limitOf, worth } from './limits.ts';
import type { TransferRequest } from './request.ts';
import { type Ground, type Refusal, refuse } from './verdict.ts';

/**
 * A payment that brings what its owner was paid as this kind above the value waits for a second yes: in parts it is as much. The
 * yes is to this very payment, and the detail is what they sign.
 */
export function unapproved(request: TransferRequest, { house, past }: Ground): Refusal | undefined {
  const { owner, kind, asset, atoms, intent, afterDead, approval = '' } = request;
  const limit = limitOf(house.limits, asset);
  if (!house.approval || !limit || !isOutflow(kind)) return undefined;
  const { above, approvers } = house.approval;
  // What the house buys is bounded by the day; an order is one thing, however many parts it is paid in.
  const before = owner === 'treasury' ? 0n : past.paid(owner, kind, asset, intent);
  if (!exceeds(worth(limit, before + atoms), above)) return undefined;
  const text = approvalText(request);
  // A yes to other bytes of it is one to the payment.
  const texts = afterDead === undefined ? [text] : [text, approvalText({ ...request, inPlaceOf: afterDead })];
  return texts.some((one) => approvers(one, approval)) ? undefined : refuse('approval_awaited', text);
}

/** Each such life needs a yes of its own, from somebody who has looked for the bytes that it follows. */
export function unapprovedLife(request: TransferRequest, dead: TxHash, { house }: Ground): Refusal | undefined {
  const text = approvalText({ ...request, inPlaceOf: dead });
  return house.approval?.approvers(text, request.approval ?? '') ? undefined : refuse('approval_awaited', text);
}
