import type { Amount } from './amount.ts';
import type { Brand } from './brand.ts';
import { type Ratio, scaleInt } from './ratio.ts';

/** Millionths of a dollar, for display and for thresholds. There is no way back from here to atoms. */
export type UsdMicros = Brand<bigint, 'UsdMicros'>;

/** Dollar micros per atom of one asset. */
export type UsdPrice = Brand<Ratio, 'UsdPrice'>;

export const usd = (dollars: number): UsdMicros => BigInt(Math.round(dollars * 1_000_000)) as UsdMicros;

/** A price of `perUnit` dollars for one whole unit of an asset with `decimals`. */
export function usdPrice(perUnit: Ratio, decimals: number): UsdPrice {
  return { num: perUnit.num * 1_000_000n, den: perUnit.den * 10n ** BigInt(decimals) } as UsdPrice;
}

export function usdValue(a: Amount, price: UsdPrice): UsdMicros {
  return scaleInt(a.atoms, price, 'down') as UsdMicros;
}

/** "12.34": two decimals, rounded down. */
export function showUsd(value: UsdMicros): string {
  const cents = value / 10_000n;
  const sign = cents < 0n ? '-' : '';
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Decimal text as a number, where the interface shows one; nothing is reckoned with it. */
export const shownNumber = (decimal: string): number => Number(decimal);
