import type { Part } from '../../kernel/transfer-part.ts';
import type { Payment, PaymentState } from './payment.ts';

/** Whether this part of a payment moves no money: what goes ahead is only lent, or comes back. */
export const isLoan = ({ gas }: Pick<Payment, 'gas'>, part: Part): boolean =>
  part === 'back' || (part === 'gas' && gas?.isLent === true);

/** What was lent is owed from the moment on at which it is there. */
export function arrivedAhead(payment: Payment): Payment {
  const { gas } = payment;
  return gas?.isLent ? { ...payment, back: { amount: gas.amount, progress: { state: 'reserved' } } } : payment;
}

const isOpen = ({ state }: PaymentState): boolean => state !== 'settled' && state !== 'refused';

/** What is lent can be given up until it is there, and what comes back until it is back. */
export function givenUp(payment: Payment, part: Part, reason: string): Payment | 'ignore' {
  const { gas, back } = payment;
  const refused = { state: 'refused', reason } as const;
  if (part === 'back')
    return back && isOpen(back.progress) ? { ...payment, back: { ...back, progress: refused } } : 'ignore';
  const canBe = gas && isOpen(gas.progress) && gas.progress.state !== 'confirmed';
  return canBe ? { ...payment, gas: { ...gas, progress: refused } } : 'ignore';
}
