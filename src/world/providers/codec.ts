import { type Atoms, atLeast, isZero, parseAtoms, scale } from '../../kernel/amount.ts';
import { type Instant, instant } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { lessThanOneBy, type Ratio, scaleInt } from '../../kernel/ratio.ts';
import { type Reading, type Reply, readingOf } from '../outbound/reading.ts';
import type { ProviderQuote, Swap } from './provider.ts';

export interface ProviderReading extends Reading {
  atoms(value: unknown, where: string): Atoms;
  /** ISO 8601. */
  time(value: unknown, where: string): Instant;
}

/** Longer than any address, hash, asset id or reason that a provider sends. */
const MAX_TEXT_CHARS = 600;

export function providerReading(at: string): ProviderReading {
  const reading = readingOf(at, 'ambiguous', ({ length }) => length > 0 && length <= MAX_TEXT_CHARS);
  const { malformed, text } = reading;
  return {
    ...reading,
    atoms: (value, where) => parseAtoms(value) ?? malformed(where, value),
    time(value, where) {
      const ms = Date.parse(text(value, where));
      return Number.isSafeInteger(ms) ? instant(ms) : malformed(where, value);
    },
  };
}

/** A question changes nothing and can be asked again; what an act did before it failed is open. */
export type Purpose = 'question' | 'act';

/** The provider understood, and says no. */
export interface Declined {
  readonly declined: string;
  readonly status: number;
}

export type Answer = { readonly value: unknown } | Declined;

const MAX_REASON_CHARS = 200;

/** What an HTTP reply means. A refusal of what was asked is an answer; of us, or by a provider in trouble, a fault. */
export function answerOf(
  reply: { readonly status: number; readonly body: string },
  call: {
    readonly at: string;
    readonly label: string;
    readonly purpose: Purpose;
    /** Error codes that say no to the moment, not to what was asked. */
    readonly passing?: ReadonlySet<string>;
  },
): Answer {
  const { status, body } = reply;
  const says = `${call.label}: HTTP ${status}`;
  if (status === 200 || status === 201) return { value: providerReading(call.at).json(body, call.label) };
  if (status === 429) throw new Fault('transient', call.at, says);
  if (status === 401 || status === 403) throw new Fault('permanent', call.at, says);
  const { code, message } = errorIn(body);
  if (code !== undefined && call.passing?.has(code)) throw new Fault('transient', call.at, `${says} ${code}`);
  if (status >= 400 && status < 500)
    return { declined: [says, code, message].filter(Boolean).join(' ').slice(0, MAX_REASON_CHARS), status };
  throw new Fault(call.purpose === 'question' ? 'transient' : 'ambiguous', call.at, says);
}

/** The message is for people and logs only: no decision is made on the words of an error. */
function errorIn(body: string): { readonly code: string | undefined; readonly message: string | undefined } {
  try {
    const { errorCode, message } = (JSON.parse(body) ?? {}) as Reply;
    return { code: reasonOr(errorCode, undefined), message: reasonOr(message, undefined) };
  } catch {
    return { code: undefined, message: undefined };
  }
}

/** Foreign words, cut to a length that a log bears. */
export const reasonOr = <T>(value: unknown, otherwise: T): string | T =>
  typeof value === 'string' && value.length > 0 ? value.slice(0, MAX_REASON_CHARS) : otherwise;

/** Rounded down: what is asked of the provider is never laxer than what was asked of us. */
export const basisPoints = (slippage: Ratio): string => scaleInt(10_000n, slippage, 'down').toString();

/** An offer that promises something, and no less than the slippage leaves. */
export function isWithin(swap: Swap, { output, least }: ProviderQuote): boolean {
  const floor = scale(output, lessThanOneBy(swap.slippage), 'down');
  return !isZero(least) && atLeast(output, least) && atLeast(least, floor);
}

export const earlier = (a: Instant, b: Instant): Instant => (a < b ? a : b);

/** For comparing: hexadecimal addresses are the same in any case, base-58 and bech32 ones are not. */
export const spellingOf = (text: string): string => (text.startsWith('0x') ? text.toLowerCase() : text);
