import { parseUnits } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type Ratio, type Rounding, ratioFromDecimal, scaleInt } from '../../../kernel/ratio.ts';

/** Replies are read field by field: what is not as documented is a fault, never a guess. `where` names the field. */
export type Fields = Readonly<Record<string, unknown>>;

export const VENUE = 'venue';

const DECIMAL = /^\d{1,30}(?:\.\d{1,30})?$/;

export function malformed(where: string): never {
  throw new Fault('ambiguous', VENUE, `${where}: not as documented`);
}

export function fields(value: unknown, where: string): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : malformed(where);
}

export function list(value: unknown, where: string): readonly unknown[] {
  return Array.isArray(value) ? value : malformed(where);
}

export function text(value: unknown, where: string): string {
  return typeof value === 'string' && value.length <= 200 ? value : malformed(where);
}

export function whole(value: unknown, where: string): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : malformed(where);
}

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
