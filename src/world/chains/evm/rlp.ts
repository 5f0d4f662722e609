import { assert } from '../../../kernel/assert.ts';

/** Recursive length prefix: the byte form of Ethereum transactions. */
export type Rlp = Uint8Array | readonly Rlp[];

const STRING = 0x80;
const LIST = 0xc0;
/** Up to this length the prefix itself says it; beyond, the prefix says how many bytes the length has. */
const SHORT = 55;

export function encodeRlp(item: Rlp): Uint8Array {
  if (!(item instanceof Uint8Array)) return withPrefix(LIST, Buffer.concat(item.map(encodeRlp)));
  const [first] = item;
  return item.length === 1 && first !== undefined && first < STRING ? item : withPrefix(STRING, item);
}

/** A whole number as RLP knows it: big-endian, without leading zeros; zero is empty. */
export function rlpInt(value: bigint): Uint8Array {
  assert(value >= 0n, `negative number in RLP: ${value}`);
  if (value === 0n) return new Uint8Array();
  const hex = value.toString(16);
  return Uint8Array.from(Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex'));
}

export function intOfRlp(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** The one item that fills the bytes exactly. */
export function decodeRlp(bytes: Uint8Array): Rlp {
  const { item, end } = itemAt(bytes, 0);
  assert(end === bytes.length, 'bytes after the end of RLP');
  return item;
}

function withPrefix(kind: number, payload: Uint8Array): Uint8Array {
  if (payload.length <= SHORT) return Buffer.concat([Uint8Array.of(kind + payload.length), payload]);
  const length = rlpInt(BigInt(payload.length));
  return Buffer.concat([Uint8Array.of(kind + SHORT + length.length), length, payload]);
}

function itemAt(bytes: Uint8Array, start: number): { item: Rlp; end: number } {
  const prefix = bytes[start];
  assert(prefix !== undefined, 'RLP ends early');
  if (prefix < STRING) return { item: bytes.slice(start, start + 1), end: start + 1 };
  const isList = prefix >= LIST;
  const { from, end } = payloadAt(bytes, start, prefix - (isList ? LIST : STRING));
  assert(end <= bytes.length, 'RLP ends early');
  if (!isList) return { item: bytes.slice(from, end), end };
  const items: Rlp[] = [];
  for (let at = from; at < end; ) {
    const next = itemAt(bytes, at);
    items.push(next.item);
    at = next.end;
    assert(at <= end, 'an RLP item leaves its list');
  }
  return { item: items, end };
}

function payloadAt(bytes: Uint8Array, start: number, length: number): { from: number; end: number } {
  if (length <= SHORT) return { from: start + 1, end: start + 1 + length };
  const from = start + 1 + (length - SHORT);
  const long = intOfRlp(bytes.slice(start + 1, from));
  assert(long <= BigInt(bytes.length), 'RLP ends early');
  return { from, end: from + Number(long) };
}
