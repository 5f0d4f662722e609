import { type Amount, equal } from '../../kernel/amount.ts';
import type { Part } from '../../kernel/transfer-part.ts';
import { apartOf, arrivesAt, gasApartOf, type Payment } from './payment.ts';
import { type LedgerAccount, move, type Posting } from './posting.ts';

export const bearerOf = ({ bearer }: Payment, part: Part): LedgerAccount => (part === 'main' ? bearer : 'treasury');

/** What a transfer that was mined moved, and what it cost. A loan moves nothing. */
export function spent(payment: Payment, part: Part, cost: Amount): readonly Posting[] {
  return [...moved(payment, part), move(bearerOf(payment, part), 'world', cost)];
}

function moved(payment: Payment, part: Part): readonly Posting[] {
  if (part === 'main') return [move(apartOf(payment), arrivesAt(payment), payment.amount)];
  const { gas } = payment;
  return part === 'gas' && gas && !gas.isLent ? [move(gasApartOf(payment), 'gas', gas.amount)] : [];
}

/** What was posted when it was confirmed is put right where it cost something else in the end. */
export const again = (payment: Payment, part: Part, before: Amount, cost: Amount): readonly Posting[] =>
  equal(before, cost)
    ? []
    : [move('world', bearerOf(payment, part), before), move(bearerOf(payment, part), 'world', cost)];

/** What was set apart for gas and never sent. A loan needs nothing set apart. */
export const gasBack = (payment: Payment): readonly Posting[] =>
  payment.gas && !payment.gas.isLent ? [move(gasApartOf(payment), 'treasury', payment.gas.amount)] : [];
