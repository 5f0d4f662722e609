import { assert } from './assert.ts';

/** An exact fraction, never negative. */
export interface Ratio {
  readonly num: bigint;
  readonly den: bigint;
}

export type Rounding = 'down' | 'up';

export function ratio(num: bigint, den: bigint): Ratio {
  assert(den > 0n && num >= 0n, () => `not a ratio: ${num}/${den}`);
  return { num, den };
}

export const ONE: Ratio = { num: 1n, den: 1n };

/** Reads "0.003", "12" or "1.5e-7" exactly. */
export function ratioFromDecimal(text: string): Ratio {
  const parts = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  assert(parts !== null, `not a decimal: ${text.slice(0, 40)}`);
  const fraction = parts[2] ?? '';
  const exponent = Number(parts[3] ?? '0') - fraction.length;
  const digits = BigInt((parts[1] ?? '') + fraction);
  return exponent >= 0 ? ratio(digits * 10n ** BigInt(exponent), 1n) : ratio(digits, 10n ** BigInt(-exponent));
}

export const percent = (text: string): Ratio => times(ratioFromDecimal(text), ratio(1n, 100n));

export function times(a: Ratio, b: Ratio): Ratio {
  return { num: a.num * b.num, den: a.den * b.den };
}

export function inverse(a: Ratio): Ratio {
  return ratio(a.den, a.num);
}

/** 1 - a; a must not exceed one. */
export function lessThanOneBy(a: Ratio): Ratio {
  return ratio(a.den - a.num, a.den);
}

/** 1 + a. */
export function oneMoreThan(a: Ratio): Ratio {
  return ratio(a.den + a.num, a.den);
}

export function compare(a: Ratio, b: Ratio): -1 | 0 | 1 {
  const difference = a.num * b.den - b.num * a.den;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** value × ratio in whole units; the caller says where the remainder goes. */
export function scaleInt(value: bigint, by: Ratio, rounding: Rounding): bigint {
  assert(value >= 0n, 'scaling a negative value');
  const product = value * by.num;
  return rounding === 'down' ? product / by.den : (product + by.den - 1n) / by.den;
}
