import { type Amount, amount, atLeast, formatUnits, isZero } from '../../kernel/amount.ts';
import { inverse, scaleInt } from '../../kernel/ratio.ts';
import { type Refusal, refuse } from '../../kernel/refusal.ts';
import { type UsdMicros, type UsdPrice, usd } from '../../kernel/usd.ts';
import type { Asset, ChainFacts } from '../../world/chains/chain.ts';
import type { Quote } from './quote.ts';
import { type Hop, usesVenue } from './route.ts';

/** Flat fees may take at most one part in this many of the smallest deposit. */
const FEE_SHARE = 5n;
const CENT = 10_000n;

/** Section 8.1 asks this of every swap from or to the coin of the book, which is every one that has a trade in it. */
const COIN_MINIMUM = 25;

/** A route has the larger of the source chain's own minimum and that of the coin. */
export function routeMinimum(from: ChainFacts, hops: readonly Hop[]): UsdMicros {
  return usd(usesVenue(hops) ? Math.max(from.minSwapUsd, COIN_MINIMUM) : from.minSwapUsd);
}

/** The route's minimum rises where network costs are high; it is given in whole cents, rounded up. */
export function minimumDeposit(route: UsdMicros, networkFees: UsdMicros): UsdMicros {
  const isDear = networkFees * FEE_SHARE > route;
  const least = isDear ? networkFees * FEE_SHARE : route;
  return (((least + CENT - 1n) / CENT) * CENT) as UsdMicros;
}

export function minimumAmount(from: Asset, minimum: UsdMicros, price: UsdPrice): Amount {
  return amount(from.id, scaleInt(minimum, inverse(price), 'up'));
}

export function maximumAmount(from: Asset, maximum: UsdMicros, price: UsdPrice): Amount {
  return amount(from.id, scaleInt(maximum, inverse(price), 'down'));
}

/** A quote outside the bounds is shown; an order is not accepted (D19). */
export function outsideBounds({ from, fromAmount, toAmount, minFrom, maxFrom }: Quote): Refusal | undefined {
  if (isZero(toAmount) || !atLeast(fromAmount, minFrom)) return belowMinimum(from, minFrom);
  return atLeast(maxFrom, fromAmount) ? undefined : aboveMaximum(from, maxFrom);
}

export const belowMinimum = (from: Asset, minFrom: Amount): Refusal =>
  refuse('amount_below_minimum', `The minimum for this swap is ${unitsOf(minFrom, from)}.`, {
    minFromAmount: minFrom.atoms.toString(),
  });

export const aboveMaximum = (from: Asset, maxFrom: Amount): Refusal =>
  refuse('amount_above_maximum', `The maximum for this swap is ${unitsOf(maxFrom, from)}.`, {
    maxFromAmount: maxFrom.atoms.toString(),
  });

const unitsOf = ({ atoms }: Amount, { decimals, symbol }: Asset): string => `${formatUnits(atoms, decimals)} ${symbol}`;
