import { assert } from '../../../kernel/assert.ts';
import { ByteReader } from '../../../kernel/byte-reader.ts';

/** Protocol buffers as far as Tron's transactions need them: whole numbers that are not negative, and bytes. */
export type Field = readonly [number: number, value: bigint | Uint8Array];

const VARINT = 0n;
const BYTES = 2n;

/** In the order given. A value that is zero or empty is left out, as every writer of proto3 does. */
export function encodeFields(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      const key = BigInt(number) << 3n;
      if (typeof value === 'bigint') return value === 0n ? [] : [varint(key | VARINT), varint(value)];
      return value.length === 0 ? [] : [varint(key | BYTES), varint(BigInt(value.length)), value];
    }),
  );
}

/** In the order found, repeated ones too; anything that is cut off or of another kind is a bug. */
export function decodeFields(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  const reader = new ByteReader(bytes);
  while (reader.left > 0) {
    const key = reader.varint();
    const value = reader.varint();
    assert((key & 7n) === VARINT || (key & 7n) === BYTES, `a field of kind ${key & 7n}`);
    fields.push([Number(key >> 3n), (key & 7n) === VARINT ? value : reader.take(value).slice()]);
  }
  return fields;
}

function varint(value: bigint): Uint8Array {
  assert(value >= 0n, `negative number in a message: ${value}`);
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}
