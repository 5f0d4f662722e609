import type { Part } from '../../kernel/transfer-part.ts';
import type { PaymentEffect } from './effect.ts';
import { isAwaited, isMainOver, laneOf, type Payment, type PaymentState } from './payment.ts';

export const sign = (payment: Payment, part: Part) =>
  ({
    ...({ effect: 'sign_transfer', payment: payment.id, part, lane: laneOf(payment, part) } as const),
    ...(isAwaited(payment) ? {} : ({ letsPass: true } as const)),
  }) as const;
export const send = ({ id }: Payment, part: Part): PaymentEffect => ({ effect: 'send_transfer', payment: id, part });
export const watch = ({ id }: Payment, part: Part): PaymentEffect => ({ effect: 'watch_transfer', payment: id, part });

export function firstEffect(payment: Payment): PaymentEffect {
  return payment.state.state === 'due' ? { effect: 'price_payment', payment: payment.id } : sign(payment, 'main');
}

/** The instructions that its state calls for: signing again gives the saved bytes again, and all else follows from it. */
export function resumePayment(payment: Payment): readonly PaymentEffect[] {
  const back = isMainOver(payment) ? resumePart(payment, 'back', payment.back?.progress) : [];
  return [...resumePart(payment, 'gas', payment.gas?.progress), ...resumePart(payment, 'main', payment.state), ...back];
}

function resumePart(payment: Payment, part: Part, state: PaymentState | undefined): readonly PaymentEffect[] {
  switch (state?.state) {
    case 'due':
      return [firstEffect(payment)];
    case 'reserved':
      return [sign(payment, part)];
    case 'signed':
      return [send(payment, part)];
    case 'sent':
    case 'confirmed':
    case 'held':
      return [watch(payment, part)];
    default:
      return [];
  }
}
