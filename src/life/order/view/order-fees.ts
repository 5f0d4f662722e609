import { type Amount, isZero, scale } from '../../../kernel/amount.ts';
import type { FeeType } from '../../quote/quote.ts';
import { arrived } from '../fee-destination.ts';
import type { Order } from '../order.ts';

export interface OrderFee {
  readonly type: FeeType;
  readonly amount: Amount;
}

/** What is kept of the order, as it stands: costs in what they are taken in, rates as a part of the deposit. */
export function orderFees(order: Pick<Order, 'route' | 'used' | 'asked'>): readonly OrderFee[] {
  const deposit = arrived(order);
  return order.route.fees
    .flatMap(({ type, rate, flat }): readonly OrderFee[] => [
      ...(rate ? [{ type, amount: scale(deposit, rate, 'down') }] : []),
      ...(flat ? [{ type, amount: flat }] : []),
    ])
    .filter(({ amount }) => !isZero(amount));
}
