import { type CaseRef, transferSubject } from '../case/case.ts';
import { isSettled, type Part, type Payment, progressOf } from './payment.ts';

const PARTS: readonly Part[] = ['main', 'gas', 'back'];

/** Which cases about a payment are over, as its state shows. */
export function paymentCasesOver(payment: Payment): readonly CaseRef[] {
  return PARTS.flatMap((part): readonly CaseRef[] => {
    const state = progressOf(payment, part)?.state;
    const subject = transferSubject(payment.id, part);
    const isMined = state === 'confirmed' || state === 'settled';
    // Whatever was said of the bytes of a payment that was given up is over with it.
    const isOver = state === 'settled' || isSettled(payment);
    return [
      ...(isMined || isOver ? [{ case: 'payment_stuck', subject } as const] : []),
      ...(isOver ? [{ case: 'payment_dead', subject } as const, { case: 'settlement_refused', subject } as const] : []),
    ];
  });
}
