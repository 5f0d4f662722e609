import { type Amount, add, atLeast, scale, zero } from '../../kernel/amount.ts';
import type { FeeTerm } from './quote.ts';

/** What one term takes. Rates are of the whole amount, whatever the other terms take; the customer keeps the dust. */
export function feeOf({ rate, flat, least }: FeeTerm, whole: Amount): Amount {
  const share = rate ? scale(whole, rate, 'down') : zero(whole.asset);
  const byRate = least && !atLeast(share, least) ? zero(whole.asset) : share;
  return flat ? add(byRate, flat) : byRate;
}

/**
 * What the terms before one leg take together, never more than there is. The quote and the order reckon with this one.
 */
export function feesOn(terms: readonly FeeTerm[], at: number, whole: Amount): Amount {
  const taken = terms
    .filter((term) => term.at === at && term.asset === whole.asset)
    .reduce((sum, term) => add(sum, feeOf(term, whole)), zero(whole.asset));
  return atLeast(whole, taken) ? taken : whole;
}
