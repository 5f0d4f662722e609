import type { FeeField } from '../kernel/fee-field.ts';
import type { Address } from '../kernel/ids.ts';

export type FeeAddressParser = (text: string) => Address | undefined;

/** What counts as an address in each field of an integration. The chains themselves decide it; they come in as values. */
export type FeeAddressParsers = Readonly<Record<FeeField, FeeAddressParser>>;
