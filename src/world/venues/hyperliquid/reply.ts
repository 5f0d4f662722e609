import { parseUnits } from '../../../kernel/amount.ts';
import { type Ratio, type Rounding, ratioFromDecimal, scaleInt } from '../../../kernel/ratio.ts';
import { readingOf } from '../../outbound/reading.ts';

export type { Reply as Fields } from '../../outbound/reading.ts';

export const VENUE = 'venue';

const DECIMAL = /^\d{1,30}(?:\.\d{1,30})?$/;

/** Longer than any name or hash that the venue sends. */
const MAX_TEXT_CHARS = 200;

export const {
  malformed,
  record: fields,
  list,
  text,
  whole,
} = readingOf(VENUE, 'ambiguous', ({ length }) => length <= MAX_TEXT_CHARS);

/** Decimal text of something that is never negative. */
export function decimal(value: unknown, where: string): string {
  return typeof value === 'string' && DECIMAL.test(value) ? value : malformed(where);
}

export function decimalRatio(value: unknown, where: string): Ratio {
  return ratioFromDecimal(decimal(value, where));
}

/** Atoms of something counted in exactly these decimals; more digits than that are not rounded away. */
export function exactAtoms(value: unknown, decimals: number, where: string): bigint {
  return parseUnits(decimal(value, where), decimals) ?? malformed(where);
}

export function roundedAtoms(value: unknown, decimals: number, rounding: Rounding, where: string): bigint {
  return scaleInt(10n ** BigInt(decimals), decimalRatio(value, where), rounding);
}
