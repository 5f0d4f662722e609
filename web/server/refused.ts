import { type Quote, WherryError } from '../../sdk/src/index.ts';
import type { Trouble } from '../parts/field.tsx';
import { looksLikeAnother } from './forms.ts';
import { money, type View } from './view.ts';

/** What the form was about, so that a refusal can name field, limit and remedy. */
export interface Asked {
  /** The name of the field that takes the address, and what stood in it. */
  readonly addressField: string;
  readonly address: string;
  readonly chainId: number;
  readonly amountField?: string;
  readonly from?: { readonly decimals: number; readonly symbol: string };
}

/** The refusal is of an address, whichever of those that were given. */
export const isAboutAddress = (error: unknown): boolean =>
  error instanceof WherryError && (error.code === 'invalid_address' || error.code === 'address_refused');

const RETRY_SECONDS = 60;

/** The desk's refusal in the words of the visitor. What is no refusal is thrown on. */
export function troubleOf(view: View, error: unknown, asked: Asked): Trouble {
  if (!(error instanceof WherryError)) throw error;
  const { errors } = view.words;
  const { chainId, address, addressField, from } = asked;
  const amountField = asked.amountField ?? 'send';
  const limit = (name: string): string | undefined => {
    const atoms = error.details[name];
    return from && typeof atoms === 'string' ? money(atoms, from.decimals, from.symbol) : undefined;
  };
  switch (error.code) {
    case 'invalid_address':
      return { field: addressField, text: wrongAddress(view, address, chainId) };
    case 'address_refused':
      return { field: addressField, text: errors.addressRefused };
    case 'amount_below_minimum': {
      const least = limit('minFromAmount');
      return { field: amountField, text: least === undefined ? errors.amountBounds : errors.belowMinimum(least) };
    }
    case 'amount_above_maximum': {
      const most = limit('maxFromAmount');
      return { field: amountField, text: most === undefined ? errors.amountBounds : errors.aboveMaximum(most) };
    }
    case 'invalid_amount':
      return { field: amountField, text: errors.amountUnreadable };
    case 'unsupported_pair':
    case 'unsupported_chain':
    case 'unsupported_token':
      return { field: 'from', text: errors.noRoute };
    case 'rate_limited':
      return { field: 'main', text: errors.rateLimited(error.retryAfter ?? RETRY_SECONDS) };
    case 'unavailable':
      return { field: 'main', text: whyUnavailable(view, error) };
    default:
      if (error.status >= 500) throw error;
      return { field: 'main', text: errors.other(error.message) };
  }
}

/** A quote is also given for less than can be ordered: then this is what is wrong with it. */
export function tooLittle(
  { words }: View,
  { fromAmount, fromDecimals, fromSymbol, limits }: Quote,
): string | undefined {
  if (BigInt(fromAmount) >= BigInt(limits.minFromAmount)) return undefined;
  return words.errors.belowMinimum(money(limits.minFromAmount, fromDecimals, fromSymbol));
}

/** What the desk finds wrong with the destination, whatever else is wrong or missing: it names every field at once. */
export function destinationTrouble(view: View, error: unknown, asked: Asked): Trouble | undefined {
  if (!(error instanceof WherryError)) throw error;
  const named = Array.isArray(error.details.errors) ? (error.details.errors as readonly Partial<NamedField>[]) : [];
  const found = named.find(({ field }) => field === 'toAddress');
  if (!found) return undefined;
  const { addressField: field, address, chainId } = asked;
  const text =
    found.code === 'address_refused' ? view.words.errors.addressRefused : wrongAddress(view, address, chainId);
  return { field, text };
}

interface NamedField {
  readonly field: string;
  readonly code: string;
}

/** What is missing, in the words of the visitor; a desk that is newer than these pages may name something else. */
export function whyUnavailable({ words: { errors } }: Pick<View, 'words'>, error: unknown): string {
  const missing = error instanceof WherryError ? error.details.missing : undefined;
  const known = Object.entries(errors.unavailable).find(([name]) => name === missing);
  return known?.[1] ?? errors.unavailable.answer;
}

function wrongAddress({ words, book }: View, address: string, chainId: number): string {
  const { name, family } = book.chain(chainId);
  const other = looksLikeAnother(address, family);
  return other ? words.errors.addressOf(other, name) : words.errors.addressWrong(name);
}
