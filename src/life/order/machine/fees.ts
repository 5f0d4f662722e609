import type { Amount } from '../../../kernel/amount.ts';
import { subtract } from '../../../kernel/amount.ts';
import { feesOn } from '../../quote/fees-on.ts';
import type { Order } from '../order.ts';

/** What is taken of `held` before that leg. It stays with the order until the leg has worked. */
export const feesAt = (order: Order, leg: number, held: Amount): Amount => feesOn(order.route.fees, leg, held);

/** What the leg has to spend. */
export const budgetAt = (order: Order, leg: number, held: Amount): Amount => subtract(held, feesAt(order, leg, held));
