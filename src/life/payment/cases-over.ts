import type { Part } from '../../kernel/transfer-part.ts';
import { type CaseRef, transferSubject } from '../case/case.ts';
import { ARRIVED, isOver, type Payment, type PaymentState, progressOf } from './payment.ts';

const PARTS: readonly Part[] = ['main', 'gas', 'back'];

/** Bytes of it live that nobody mourns: had others been dead, these took their place. */
const hasSuccessor = (progress: PaymentState | undefined): boolean =>
  (progress?.state === 'signed' || progress?.state === 'sent' || progress?.state === 'confirmed') &&
  progress.proof === undefined;

/** Which cases about a payment are over, as its state shows. */
export function paymentCasesOver(payment: Payment): readonly CaseRef[] {
  return PARTS.flatMap((part): readonly CaseRef[] => {
    const progress = progressOf(payment, part);
    const state = progress?.state;
    const subject = transferSubject(payment.id, part);
    const isMined = state !== undefined && ARRIVED.includes(state);
    // Whatever was said of the bytes of a payment that was given up is over with it.
    const isDone = state === 'settled' || isOver(payment);
    return [
      ...(isMined || isDone ? [{ case: 'payment_stuck', subject } as const] : []),
      ...(isDone || hasSuccessor(progress) ? [{ case: 'payment_dead', subject } as const] : []),
      ...(isDone ? [{ case: 'settlement_refused', subject } as const] : []),
    ];
  });
}
