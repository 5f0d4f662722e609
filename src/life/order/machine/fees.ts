import type { Amount } from '../../../kernel/amount.ts';
import { feesOn } from '../../quote/fees-on.ts';
import type { Order } from '../order.ts';

export const inputFees = (order: Order): Amount => feesOn(order.route.fees, 'input', order.used);
