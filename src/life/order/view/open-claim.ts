import { type Claim, type Order, refundPayment } from '../order.ts';

/** The first claim that is not paid back yet. Specks are nobody's business. */
export function openClaimOf(order: Order): Claim | undefined {
  return order.claims.find(({ stage, isSpeck }) => stage !== 'completed' && stage !== 'replaced' && !isSpeck);
}

/** Whether anything is still owed, by whatever claim. */
export const isOwing = (order: Order): boolean => openClaimOf(order) !== undefined;

/** How far a claim is, in the words of the interface (D38). */
export type RecoveryPhase = 'address_required' | 'checking' | 'queued' | 'sending' | 'completed' | 'blocked';

export function recoveryPhase(order: Order, claim: Pick<Claim, 'number' | 'stage'>): RecoveryPhase {
  if (claim.stage === 'replaced' || claim.stage === 'kept') return 'blocked';
  if (claim.stage === 'pricing') return 'checking';
  if (claim.stage !== 'paying') return claim.stage;
  switch (refundPayment(order, claim)?.state.state) {
    case 'due':
      return 'checking';
    case 'awaiting_gas':
      return 'queued';
    default:
      return 'sending';
  }
}
