import { assert } from '../../../kernel/assert.ts';
import { ByteReader } from '../../../kernel/byte-reader.ts';

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
  const reader = new ByteReader(bytes);
  const item = readItem(reader);
  reader.end();
  return item;
}

function withPrefix(kind: number, payload: Uint8Array): Uint8Array {
  if (payload.length <= SHORT) return Buffer.concat([Uint8Array.of(kind + payload.length), payload]);
  const length = rlpInt(BigInt(payload.length));
  return Buffer.concat([Uint8Array.of(kind + SHORT + length.length), length, payload]);
}

function readItem(reader: ByteReader): Rlp {
  const prefix = reader.byte();
  if (prefix < STRING) return Uint8Array.of(prefix);
  if (prefix < LIST) return reader.take(readLength(reader, prefix - STRING)).slice();
  const inner = new ByteReader(reader.take(readLength(reader, prefix - LIST)));
  const items: Rlp[] = [];
  while (inner.left > 0) items.push(readItem(inner));
  return items;
}

function readLength(reader: ByteReader, length: number): number | bigint {
  return length <= SHORT ? length : intOfRlp(reader.take(length - SHORT));
}
