import { present } from '../src/kernel/assert.ts';
import { inverse, ratioFromDecimal, scaleInt } from '../src/kernel/ratio.ts';
import type { PlaceToken } from './place.ts';
import type { Prices } from './prices.ts';

/** In dollars: what the desk starts with of every asset on most chains. */
const EACH = 2_000_000n;

export function startOf({ symbol, decimals }: Pick<PlaceToken, 'symbol' | 'decimals'>, prices: Prices): bigint {
  const price = ratioFromDecimal(present(prices[symbol], `price of ${symbol}`));
  return scaleInt(EACH * 10n ** BigInt(decimals), inverse(price), 'up');
}
