import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { base58, bech32 } from '@scure/base';
import { type Atoms, formatUnits } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import { MAX_ADDRESS_CHARS } from '../../../kernel/limits.ts';
import type { ChainRules } from '../chain.ts';
import { decodeUnified, encodeUnified, RECEIVER_BYTES, RECEIVER_TYPES, type Receivers } from './unified-codec.ts';

/** Zcash addresses of the main network, and what can be read from a transaction without its keys. Pure. */

export const ZEC_DECIMALS = 8;

/** These two bytes make the text begin with t1 and t3. */
const PREFIXES = { p2pkh: Uint8Array.of(0x1c, 0xb8), p2sh: Uint8Array.of(0x1c, 0xbd) };
const SAPLING_HRP = 'zs';
const CHECKSUM_BYTES = 4;
const checksum = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes)).subarray(0, CHECKSUM_BYTES);
/** Only letters that base 58 and bech32 know, so that decoding them cannot fail. */
const SHAPE = /^(?:t[13][1-9A-HJ-NP-Za-km-z]{33}|(?:zs1|u1)[02-9ac-hj-np-z]+|(?:ZS1|U1)[02-9AC-HJ-NP-Z]+)$/;

export interface ZcashAddress {
  readonly kind: 'transparent' | 'sapling' | 'unified';
  readonly receivers: Receivers;
}

/** undefined for all that is not payable here: other networks, `tex1` (which wants a transparent payer), Sprout. */
export function decodeAddress(text: string): ZcashAddress | undefined {
  if (text.length > MAX_ADDRESS_CHARS || !SHAPE.test(text)) return undefined;
  if (text.startsWith('t')) return decodeTransparent(text);
  const unified = /^u/i.test(text) ? decodeUnified(text) : undefined;
  return unified ? { kind: 'unified', receivers: unified } : decodeSapling(text);
}

function decodeTransparent(text: string): ZcashAddress | undefined {
  const bytes = base58.decode(text);
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  const isWhole = checksum(body).every((byte, at) => bytes[body.length + at] === byte);
  if (!isWhole || body.length !== 2 + RECEIVER_BYTES.p2pkh) return undefined;
  const type = (['p2pkh', 'p2sh'] as const).find((one) => PREFIXES[one].every((byte, at) => body[at] === byte));
  return type && { kind: 'transparent', receivers: { [type]: body.slice(2) } };
}

function decodeSapling(text: string): ZcashAddress | undefined {
  const decoded = bech32.decodeUnsafe(text, false);
  const bytes = decoded?.prefix === SAPLING_HRP ? bech32.fromWordsUnsafe(decoded.words) : undefined;
  return bytes?.length === RECEIVER_BYTES.sapling ? { kind: 'sapling', receivers: { sapling: bytes } } : undefined;
}

export function encodeAddress({ kind, receivers }: ZcashAddress): Address {
  if (kind === 'unified') return encodeUnified(receivers) as Address;
  if (kind === 'sapling') {
    const bytes = present(receivers.sapling, 'a Sapling receiver');
    return bech32.encode(SAPLING_HRP, bech32.toWords(bytes), false) as Address;
  }
  const type = receivers.p2pkh ? 'p2pkh' : 'p2sh';
  const hash = present(receivers[type], 'a transparent receiver');
  const body = concatBytes(PREFIXES[type], hash);
  return base58.encode(concatBytes(body, checksum(body))) as Address;
}

/** Bech32 may be written in capitals; we write it small. */
export function parseZcashAddress(text: string): Address | undefined {
  const decoded = decodeAddress(text);
  if (!decoded) return undefined;
  return (decoded.kind === 'transparent' ? text : text.toLowerCase()) as Address;
}

/** One name for each receiver of an address: two addresses that share a name are paid at the same place. */
export function receiverNames({ receivers }: ZcashAddress): readonly string[] {
  return RECEIVER_TYPES.flatMap((type) => {
    const bytes = receivers[type];
    return bytes ? [`${type}:${bytesToHex(bytes)}`] : [];
  });
}

/** The two spellings of a deposit address (D39); undefined for an address that has only one. */
export function addressForms(address: Address): ReturnType<NonNullable<ChainRules['addressForms']>> {
  const decoded = decodeAddress(address);
  const { p2pkh } = decoded?.receivers ?? {};
  if (decoded?.kind !== 'unified' || !p2pkh) return undefined;
  return { unified: address, transparent: encodeAddress({ kind: 'transparent', receivers: { p2pkh } }) };
}

/** A unified address holds receivers, each of which has a text of its own or can stand alone in another unified address. */
export function zcashSpellings(address: Address): readonly Address[] {
  const decoded = decodeAddress(address);
  if (decoded?.kind !== 'unified') return [];
  const { p2pkh, p2sh, sapling, orchard } = decoded.receivers;
  return [
    ...(p2pkh ? [encodeAddress({ kind: 'transparent', receivers: { p2pkh } })] : []),
    ...(p2sh ? [encodeAddress({ kind: 'transparent', receivers: { p2sh } })] : []),
    ...(sapling ? [encodeAddress({ kind: 'sapling', receivers: { sapling } })] : []),
    ...(orchard ? [encodeAddress({ kind: 'unified', receivers: { orchard } })] : []),
  ];
}

/** ZIP 321. */
export function zcashUri(address: Address, atoms: Atoms | undefined): string {
  return `zcash:${address}${atoms === undefined ? '' : `?amount=${formatUnits(atoms, ZEC_DECIMALS)}`}`;
}

/** Version, version group, consensus branch, lock time and expiry height come first, four bytes each, since version 5. */
const HEADER_BYTES = 20;
const EXPIRY_OFFSET = 16;
const VERSION_LEAST = 5;
const OVERWINTERED = 0x80000000;

/** The last block that may hold the transaction; undefined for bytes that have none, which could be mined for ever. */
export function expiryHeight(raw: string): number | undefined {
  if (!/^(?:[0-9a-f]{2})+$/.test(raw) || raw.length < HEADER_BYTES * 2) return undefined;
  const header = new DataView(hexToBytes(raw.slice(0, HEADER_BYTES * 2)).buffer);
  const version = header.getUint32(0, true);
  if (version < OVERWINTERED + VERSION_LEAST) return undefined;
  return header.getUint32(EXPIRY_OFFSET, true) || undefined;
}
