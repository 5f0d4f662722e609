import { formatUnits } from '../../../kernel/amount.ts';
import { assert } from '../../../kernel/assert.ts';
import { compare, type Ratio, ratio, scaleInt } from '../../../kernel/ratio.ts';
import type { Side } from '../venue.ts';

/** Prices have at most this many significant figures; whole numbers are always allowed. */
const SIGNIFICANT_FIGURES = 5;
/** Spot prices have at most this many decimals, less those of the size. */
const SPOT_PRICE_DECIMALS = 8;

export interface PriceRules {
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  readonly sizeDecimals: number;
}

/** The nearest price on the venue's grid that is not worse for us: a buyer rounds down, a seller up. */
export function priceText(price: Ratio, side: Side, rules: PriceRules): string {
  const perUnit = ratio(price.num * 10n ** BigInt(rules.baseDecimals), price.den * 10n ** BigInt(rules.quoteDecimals));
  const finest = SPOT_PRICE_DECIMALS - rules.sizeDecimals;
  const decimals = Math.min(finest, Math.max(0, SIGNIFICANT_FIGURES - 1 - magnitude(perUnit, finest)));
  const units = scaleInt(10n ** BigInt(decimals), perUnit, side === 'buy' ? 'down' : 'up');
  assert(units > 0n, 'a price below the finest the venue knows');
  return formatUnits(units, decimals);
}

/** The venue's price, for one whole unit, as quote atoms per base atom. */
export function atomPrice(perUnit: Ratio, rules: PriceRules): Ratio {
  return ratio(perUnit.num * 10n ** BigInt(rules.quoteDecimals), perUnit.den * 10n ** BigInt(rules.baseDecimals));
}

/** The power of ten of the first figure; prices smaller than the grid's finest step need no exact answer. */
function magnitude(price: Ratio, finest: number): number {
  const whole = (price.num / price.den).toString();
  if (whole !== '0') return whole.length - 1;
  let power = -1;
  while (power > -finest && compare(price, ratio(1n, 10n ** BigInt(-power))) < 0) power -= 1;
  return power;
}
