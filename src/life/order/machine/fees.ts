import { type Amount, add, atLeast, scale, zero } from '../../../kernel/amount.ts';
import type { FeeTerm } from '../../quote/quote.ts';
import type { Order } from '../order.ts';

/** Fees of one side on a given amount; together never more than it. */
export function feesOn(terms: readonly FeeTerm[], side: FeeTerm['side'], base: Amount): Amount {
  const taken = terms
    .filter((term) => term.side === side && term.asset === base.asset)
    .reduce((sum, term) => add(sum, feeOf(term, base)), zero(base.asset));
  return atLeast(base, taken) ? taken : base;
}

function feeOf(term: FeeTerm, base: Amount): Amount {
  const byRate = term.rate ? scale(base, term.rate, 'down') : zero(base.asset);
  return term.flat ? add(byRate, term.flat) : byRate;
}

export const inputFees = (order: Order): Amount => feesOn(order.route.fees, 'input', order.used);
