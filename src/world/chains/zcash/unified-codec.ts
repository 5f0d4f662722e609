import { blake2b } from '@noble/hashes/blake2.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { bech32m } from '@scure/base';

/** Unified addresses (ZIP 316): typed receivers in one string, scrambled so that no part of it can be swapped unnoticed. */

const HRP = 'u';
const PADDING_BYTES = 16;
const HASH_BYTES = 64;
/** Shorter or longer messages are not jumbled. */
const JUMBLE_BYTES_LEAST = 48;

export const RECEIVER_TYPES = ['p2pkh', 'p2sh', 'sapling', 'orchard'] as const;
export type ReceiverType = (typeof RECEIVER_TYPES)[number];
export const RECEIVER_BYTES: Readonly<Record<ReceiverType, number>> = { p2pkh: 20, p2sh: 20, sapling: 43, orchard: 43 };
/** Every part that we understand; parts of kinds to come are stepped over. */
export type Receivers = Readonly<Partial<Record<ReceiverType, Uint8Array>>>;

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);
const padding = (): Uint8Array => concatBytes(ascii(HRP), new Uint8Array(PADDING_BYTES - HRP.length));

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, at) => byte ^ (b[at] ?? 0));
}

function half(round: number, input: Uint8Array, bytes: number): Uint8Array {
  const personalization = concatBytes(ascii('UA_F4Jumble_H'), Uint8Array.of(round, 0, 0));
  return blake2b(input, { dkLen: bytes, personalization });
}

function stream(round: number, input: Uint8Array, bytes: number): Uint8Array {
  const blocks = Array.from({ length: Math.ceil(bytes / HASH_BYTES) }, (_, at) => {
    const personalization = concatBytes(ascii('UA_F4Jumble_G'), Uint8Array.of(round, at & 0xff, at >> 8));
    return blake2b(input, { dkLen: HASH_BYTES, personalization });
  });
  return concatBytes(...blocks).subarray(0, bytes);
}

const leftBytes = (message: Uint8Array): number => Math.min(HASH_BYTES, message.length >> 1);

function jumble(message: Uint8Array): Uint8Array {
  const left = leftBytes(message);
  const [a, b] = [message.subarray(0, left), message.subarray(left)];
  const x = xor(b, stream(0, a, b.length));
  const y = xor(a, half(0, x, left));
  const d = xor(x, stream(1, y, x.length));
  return concatBytes(xor(y, half(1, d, left)), d);
}

function unjumble(message: Uint8Array): Uint8Array {
  const left = leftBytes(message);
  const [c, d] = [message.subarray(0, left), message.subarray(left)];
  const y = xor(c, half(1, d, left));
  const x = xor(d, stream(1, y, d.length));
  const a = xor(y, half(0, x, left));
  return concatBytes(a, xor(x, stream(0, a, x.length)));
}

export function encodeUnified(receivers: Receivers): string {
  const items = RECEIVER_TYPES.flatMap((type, code) => {
    const bytes = receivers[type];
    return bytes ? [concatBytes(Uint8Array.of(code, bytes.length), bytes)] : [];
  });
  return bech32m.encode(HRP, bech32m.toWords(jumble(concatBytes(...items, padding()))), false);
}

/** undefined for a wrong checksum or network, and for an address that nobody could pay privately. */
export function decodeUnified(text: string): Receivers | undefined {
  const decoded = bech32m.decodeUnsafe(text, false);
  if (decoded?.prefix !== HRP) return undefined;
  const bytes = bech32m.fromWordsUnsafe(decoded.words);
  if (!bytes || bytes.length < JUMBLE_BYTES_LEAST) return undefined;
  const message = unjumble(bytes);
  const end = message.length - PADDING_BYTES;
  if (xor(message.subarray(end), padding()).some((byte) => byte !== 0)) return undefined;
  const receivers = readItems(message.subarray(0, end));
  return receivers && (receivers.sapling || receivers.orchard) ? receivers : undefined;
}

/** Kinds ascend, so none comes twice; the two transparent kinds exclude each other. */
function readItems(message: Uint8Array): Receivers | undefined {
  const receivers: Partial<Record<ReceiverType, Uint8Array>> = {};
  let last = -1;
  for (let at = 0; at < message.length; ) {
    const code = compactSize(message, at);
    const length = code && compactSize(message, code.next);
    if (!code || !length || code.value <= last) return undefined;
    at = length.next + length.value;
    if (at > message.length) return undefined;
    last = code.value;
    const type = RECEIVER_TYPES[code.value];
    if (!type) continue;
    if (length.value !== RECEIVER_BYTES[type]) return undefined;
    receivers[type] = message.slice(length.next, at);
  }
  return receivers.p2pkh && receivers.p2sh ? undefined : receivers;
}

/** The length prefix of transactions (CompactSize) in its shortest form; four bytes already say more than any address holds. */
function compactSize(bytes: Uint8Array, at: number): { readonly value: number; readonly next: number } | undefined {
  const first = bytes[at];
  if (first === undefined || first > 0xfe) return undefined;
  if (first < 0xfd) return { value: first, next: at + 1 };
  const width = first === 0xfd ? 2 : 4;
  if (at + 1 + width > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at + 1, width);
  const value = width === 2 ? view.getUint16(0, true) : view.getUint32(0, true);
  const isShortest = width === 2 ? value >= 0xfd : value > 0xffff;
  return isShortest ? { value, next: at + 1 + width } : undefined;
}
