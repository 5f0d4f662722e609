import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import type { Atoms } from '../../../kernel/amount.ts';
import { formatUnits } from '../../../kernel/amount.ts';
import { assert } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import { Secret } from '../../../kernel/secret.ts';
import { isKey } from './point-codec.ts';

/** Monero addresses, keys and subaddresses. Pure; keys are lower-case hex. */

export const XMR_DECIMALS = 12;
const ORDER = ed25519.Point.Fn.ORDER;

export const keccak = (...parts: readonly Uint8Array[]): Uint8Array => keccak_256(concatBytes(...parts));
export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A 32-byte little-endian number, reduced by the order of the group. */
export const scalar = (bytes: Uint8Array): bigint => bytesToNumberLE(bytes) % ORDER;
export const hashToScalar = (...parts: readonly Uint8Array[]): bigint => scalar(keccak(...parts));
export const scalarHex = (value: bigint): string => bytesToHex(numberToBytesLE(value % ORDER, 32));
export const publicKey = (secret: bigint): Uint8Array => ed25519.Point.BASE.multiply(secret).toBytes();

// Base58 in blocks: eight bytes become eleven characters, and the last block is shorter by this table.
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Map([...ALPHABET].map((char, value) => [char, value]));
const CHARS_OF_BYTES = [0, 2, 3, 5, 6, 7, 9, 10, 11];
const BLOCK_BYTES = 8;
const BLOCK_CHARS = 11;

function encodeBase58(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const block = bytes.subarray(at, at + BLOCK_BYTES);
    let value = BigInt(`0x${bytesToHex(block)}`);
    let chars = '';
    for (let left = CHARS_OF_BYTES[block.length] ?? 0; left > 0; left -= 1) {
      chars = ALPHABET.charAt(Number(value % 58n)) + chars;
      value /= 58n;
    }
    text += chars;
  }
  return text;
}

function decodeBase58(text: string): Uint8Array | undefined {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < text.length; at += BLOCK_CHARS) {
    const block = decodeBlock(text.slice(at, at + BLOCK_CHARS));
    if (!block) return undefined;
    blocks.push(block);
  }
  return concatBytes(...blocks);
}

function decodeBlock(chars: string): Uint8Array | undefined {
  const size = CHARS_OF_BYTES.indexOf(chars.length);
  const [high, low] = [numberOf(chars.slice(0, -HALF_CHARS)), numberOf(chars.slice(-HALF_CHARS))];
  if (high === undefined || low === undefined) return undefined;
  const value = BigInt(high) * HALF + BigInt(low);
  if (size < 1 || value >= 1n << BigInt(8 * size)) return undefined;
  return hexToBytes(value.toString(16).padStart(2 * size, '0'));
}

/** So many characters of base58 are an exact number. */
const HALF_CHARS = 6;
const HALF = 58n ** BigInt(HALF_CHARS);

function numberOf(chars: string): number | undefined {
  let value = 0;
  for (const char of chars) {
    const digit = DIGITS.get(char);
    if (digit === undefined) return undefined;
    value = value * 58 + digit;
  }
  return value;
}

export type AddressKind = 'standard' | 'integrated' | 'subaddress';

export interface MoneroAddress {
  readonly kind: AddressKind;
  readonly spend: Uint8Array;
  readonly view: Uint8Array;
  /** Eight bytes in an integrated address, none in the others. */
  readonly paymentId: Uint8Array;
}

/** Mainnet; regtest uses the same. Every other network has other prefixes, so its addresses are not ours. */
const PREFIX: Record<AddressKind, number> = { standard: 18, integrated: 19, subaddress: 42 };
const KINDS: readonly AddressKind[] = ['standard', 'integrated', 'subaddress'];
const KEY_BYTES = 32;
const CHECKSUM_BYTES = 4;
const PAYMENT_ID_BYTES = 8;
const PLAIN_CHARS = 95;
const INTEGRATED_CHARS = 106;

export function encodeAddress({ kind, spend, view, paymentId }: MoneroAddress): Address {
  const body = concatBytes(Uint8Array.of(PREFIX[kind]), spend, view, paymentId);
  return encodeBase58(concatBytes(body, keccak(body).subarray(0, CHECKSUM_BYTES))) as Address;
}

/** Looks at the length first, so that hostile text costs nothing. */
export function decodeAddress(text: string): MoneroAddress | undefined {
  if (text.length !== PLAIN_CHARS && text.length !== INTEGRATED_CHARS) return undefined;
  const bytes = decodeBase58(text);
  if (!bytes) return undefined;
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (!sameBytes(keccak(body).subarray(0, CHECKSUM_BYTES), bytes.subarray(-CHECKSUM_BYTES))) return undefined;
  const kind = KINDS.find((candidate) => PREFIX[candidate] === body[0]);
  const [spend, view] = [body.subarray(1, 1 + KEY_BYTES), body.subarray(1 + KEY_BYTES, 1 + 2 * KEY_BYTES)];
  const paymentId = body.subarray(1 + 2 * KEY_BYTES);
  if (!kind || paymentId.length !== (kind === 'integrated' ? PAYMENT_ID_BYTES : 0)) return undefined;
  return isKey(spend) && isKey(view) ? { kind, spend, view, paymentId } : undefined;
}

export function parseMoneroAddress(text: string): Address | undefined {
  return decodeAddress(text) && (text as Address);
}

/** An integrated address pays the wallet whose standard address it holds, with any of 2^64 payment ids. */
export function moneroSpellings(address: Address): readonly Address[] {
  const decoded = decodeAddress(address);
  if (decoded?.kind !== 'integrated') return [];
  return [encodeAddress({ ...decoded, kind: 'standard', paymentId: new Uint8Array() })];
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** What sees a wallet's deposits and derives its addresses, and cannot spend. */
export interface ViewKeys {
  readonly viewKey: string;
  readonly publicSpend: string;
}

export interface MoneroKeys extends ViewKeys {
  readonly spendKey: Secret<string>;
  readonly publicView: string;
  readonly address: Address;
}

/** The standard wallet of a seed: the view key is the hash of the spend key. */
export function moneroKeysFromSeed(seed: Uint8Array): MoneroKeys {
  assert(seed.length === KEY_BYTES, `a seed has ${KEY_BYTES} bytes`);
  const spend = scalar(seed);
  const spendHex = scalarHex(spend);
  const view = hashToScalar(hexToBytes(spendHex));
  const keys = { spend: publicKey(spend), view: publicKey(view) };
  return {
    spendKey: new Secret(spendHex),
    viewKey: scalarHex(view),
    publicSpend: bytesToHex(keys.spend),
    publicView: bytesToHex(keys.view),
    address: encodeAddress({ kind: 'standard', ...keys, paymentId: new Uint8Array() }),
  };
}

/** What a subaddress adds to the wallet's spend key; zero for the wallet's own address. */
export function subaddressOffset(viewKey: string, major: number, minor: number): bigint {
  if (major === 0 && minor === 0) return 0n;
  const index = new Uint8Array(8);
  new DataView(index.buffer).setUint32(0, major, true);
  new DataView(index.buffer).setUint32(4, minor, true);
  return hashToScalar(ascii('SubAddr\0'), hexToBytes(viewKey), index);
}

/** The public spend key under which deposits to this subaddress are recognised. */
export function subaddressSpendKey(keys: ViewKeys, major: number, minor: number): Uint8Array {
  const offset = subaddressOffset(keys.viewKey, major, minor);
  const wallet = ed25519.Point.fromHex(keys.publicSpend);
  return (offset === 0n ? wallet : wallet.add(ed25519.Point.BASE.multiply(offset))).toBytes();
}

export function subaddress(keys: ViewKeys, major: number, minor: number): Address {
  return addressOf(keys, subaddressSpendKey(keys, major, minor));
}

/** The wallet's address with this public spend key: nothing else is needed, neither its index nor a table. */
export function addressOf(keys: ViewKeys, spend: Uint8Array): Address {
  const view = scalar(hexToBytes(keys.viewKey));
  const paymentId = new Uint8Array();
  if (bytesToHex(spend) === keys.publicSpend)
    return encodeAddress({ kind: 'standard', spend, view: publicKey(view), paymentId });
  const shared = ed25519.Point.fromBytes(spend).multiply(view).toBytes();
  return encodeAddress({ kind: 'subaddress', spend, view: shared, paymentId });
}

export function moneroUri(address: Address, atoms: Atoms | undefined): string {
  return `monero:${address}${atoms === undefined ? '' : `?tx_amount=${formatUnits(atoms, XMR_DECIMALS)}`}`;
}
