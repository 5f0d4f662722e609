import { type Amount, add, atLeast, isZero, scale, zero } from '../../kernel/amount.ts';
import type { FeeTerm } from './quote.ts';

/** A fee that would not cover its own transfer is not taken (5.4); neither is one of nothing. */
export const isFeeTaken = (fee: Amount, least: Amount): boolean => !isZero(fee) && atLeast(fee, least);

/** What one term takes. Rates are of the whole amount, whatever the other terms take; the customer keeps the dust. */
export function feeOf({ rate, flat, least }: Pick<FeeTerm, 'rate' | 'flat' | 'least'>, whole: Amount): Amount {
  const share = rate ? scale(whole, rate, 'down') : zero(whole.asset);
  const byRate = least && !isFeeTaken(share, least) ? zero(whole.asset) : share;
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
