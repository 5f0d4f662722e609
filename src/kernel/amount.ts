import { assert } from './assert.ts';
import type { Brand } from './brand.ts';
import type { AssetId } from './ids.ts';
import { type Ratio, type Rounding, scaleInt } from './ratio.ts';

/** Whole smallest units of some asset; never negative. */
export type Atoms = Brand<bigint, 'Atoms'>;

/** Money travels with its asset; two amounts meet only if they share it. */
export interface Amount {
  readonly asset: AssetId;
  readonly atoms: Atoms;
}

/** numeric(78,0) holds 2^256; anything longer than that on the wire is refused before BigInt sees it. */
const MAX_DIGITS = 78;
const ATOMS = /^(?:0|[1-9]\d*)$/;

export function atoms(value: bigint): Atoms {
  assert(value >= 0n, () => `negative atoms: ${value}`);
  return value as Atoms;
}

/** Wire text to atoms: canonical base-10 digits only (BigInt("") is 0n and BigInt("0x1f") is 31n). */
export function parseAtoms(text: unknown): Atoms | undefined {
  if (typeof text !== 'string' || text.length > MAX_DIGITS || !ATOMS.test(text)) return undefined;
  return BigInt(text) as Atoms;
}

export function amount(asset: AssetId, value: bigint): Amount {
  return { asset, atoms: atoms(value) };
}

export const zero = (asset: AssetId): Amount => amount(asset, 0n);

function together(a: Amount, b: Amount): void {
  assert(a.asset === b.asset, () => `amounts of two assets: ${a.asset} and ${b.asset}`);
}

export function add(a: Amount, b: Amount): Amount {
  together(a, b);
  return amount(a.asset, a.atoms + b.atoms);
}

/** a - b; asserts that it does not go below zero. */
export function subtract(a: Amount, b: Amount): Amount {
  together(a, b);
  return amount(a.asset, a.atoms - b.atoms);
}

export function atLeast(a: Amount, b: Amount): boolean {
  together(a, b);
  return a.atoms >= b.atoms;
}

export function equal(a: Amount, b: Amount): boolean {
  together(a, b);
  return a.atoms === b.atoms;
}

export const isZero = (a: Amount): boolean => a.atoms === 0n;

export function smaller(a: Amount, b: Amount): Amount {
  return atLeast(a, b) ? b : a;
}

export function scale(a: Amount, by: Ratio, rounding: Rounding): Amount {
  return amount(a.asset, scaleInt(a.atoms, by, rounding));
}

/** What an amount comes to in another asset, at so many atoms of that for each of its own. */
export function convert(a: Amount, to: AssetId, rate: Ratio, rounding: Rounding): Amount {
  return amount(to, scaleInt(a.atoms, rate, rounding));
}

/** 1234567n with 6 decimals is "1.234567"; trailing zeros are dropped. */
export function formatUnits(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return sign + (fraction ? `${whole}.${fraction}` : whole);
}

/** "1.2345" to whole units of the given decimals; digits beyond them are refused, not rounded. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const parts = /^(\d{1,60})(?:\.(\d{1,40}))?$/.exec(text);
  if (!parts) return undefined;
  const fraction = (parts[2] ?? '').replace(/0+$/, '');
  if (fraction.length > decimals) return undefined;
  return BigInt((parts[1] ?? '') + fraction.padEnd(decimals, '0'));
}

/** Whole units with `from` decimals as whole units with `to` decimals. */
export function rescale(value: bigint, from: number, to: number, rounding: Rounding): bigint {
  if (to >= from) return value * 10n ** BigInt(to - from);
  return scaleInt(value, { num: 1n, den: 10n ** BigInt(from - to) }, rounding);
}
