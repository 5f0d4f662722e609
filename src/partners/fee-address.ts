import type { FeeField } from '../kernel/fee-field.ts';
import type { Address } from '../kernel/ids.ts';
import type { Refusal } from '../kernel/refusal.ts';

/** undefined: it is no address. A refusal: it is one, and nobody is paid there. */
export type FeeAddressParser = (text: string) => Parsed | Promise<Parsed>;
type Parsed = Address | Refusal | undefined;

/** What counts as an address in each field of an integration. The chains themselves decide it; they come in as values. */
export type FeeAddressParsers = Readonly<Record<FeeField, FeeAddressParser>>;
