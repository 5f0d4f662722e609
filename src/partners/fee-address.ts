import { sha256 } from '@noble/hashes/sha2.js';
import { base58, bech32, bech32m, createBase58check } from '@scure/base';
import type { Address } from '../kernel/ids.ts';
import { MAX_ADDRESS_CHARS } from '../kernel/limits.ts';

/** The families of chains whose deposits pay a fee to an address of their own (5.4). */
export type FeeFamily = 'evm' | 'solana' | 'bitcoin';

export type FeeAddressParser = (text: string) => Address | undefined;
export type FeeAddressParsers = Readonly<Record<FeeFamily, FeeAddressParser>>;

/** Parsers for the families that this desk has no chain of; a chain that is there brings its own. */
export function feeAddressParsers(
  ofChains: Pick<FeeAddressParsers, 'evm'> & Partial<FeeAddressParsers>,
): FeeAddressParsers {
  return { solana: bounded(parseSolana), bitcoin: bounded(parseBitcoin), ...ofChains };
}

const bounded =
  (parse: FeeAddressParser): FeeAddressParser =>
  (text) =>
    text.length > MAX_ADDRESS_CHARS ? undefined : parse(text);

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{25,44}$/;
const SOLANA_BYTES = 32;

function parseSolana(text: string): Address | undefined {
  return BASE58.test(text) && base58.decode(text).length === SOLANA_BYTES ? (text as Address) : undefined;
}

const base58check = createBase58check(sha256);
const HASH_BYTES = 20;
/** P2PKH and P2SH of the main network. */
const VERSIONS = new Set([0x00, 0x05]);

function parseBitcoin(text: string): Address | undefined {
  return isLegacy(text) || isSegwit(text) ? (text as Address) : undefined;
}

function isLegacy(text: string): boolean {
  if (!BASE58.test(text)) return false;
  const payload = attempt(() => base58check.decode(text));
  return payload?.length === 1 + HASH_BYTES && VERSIONS.has(payload[0] ?? -1);
}

/** BIP-173 for version 0, BIP-350 for taproot; programs of later versions have no meaning yet. */
function isSegwit(text: string): boolean {
  const lower = text.toLowerCase();
  if (!/^bc1[0-9a-z]{11,71}$/.test(lower) || (text !== lower && text !== text.toUpperCase())) return false;
  const version = lower[3] === 'q' ? 0 : 1;
  const coder = version === 0 ? bech32 : bech32m;
  const words = attempt(() => coder.decode(lower as `bc1${string}`).words);
  const program = words && words[0] === version ? attempt(() => coder.fromWords(words.slice(1))) : undefined;
  return program !== undefined && (version === 0 ? [20, 32] : [32]).includes(program.length);
}

/** These decoders throw at whatever is not theirs. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
