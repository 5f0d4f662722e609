import { assert } from '../../../kernel/assert.ts';

/** Protocol buffers as far as Tron's transactions need them: whole numbers that are not negative, and bytes. */
export type Field = readonly [number: number, value: bigint | Uint8Array];

const VARINT = 0n;
const BYTES = 2n;
/** No number here has more than 64 bits, at seven a byte. */
const MAX_VARINT_BYTES = 10;

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
  let at = 0;
  const number = (): bigint => {
    const { value, end } = varintAt(bytes, at);
    at = end;
    return value;
  };
  while (at < bytes.length) {
    const key = number();
    const value = number();
    assert((key & 7n) === VARINT || (key & 7n) === BYTES, `a field of kind ${key & 7n}`);
    if ((key & 7n) === VARINT) {
      fields.push([Number(key >> 3n), value]);
      continue;
    }
    assert(value <= BigInt(bytes.length - at), 'a field leaves its message');
    const end = at + Number(value);
    fields.push([Number(key >> 3n), bytes.slice(at, end)]);
    at = end;
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

function varintAt(bytes: Uint8Array, start: number): { value: bigint; end: number } {
  let value = 0n;
  for (let at = start; at < start + MAX_VARINT_BYTES; at += 1) {
    const byte = bytes[at];
    assert(byte !== undefined, 'a message ends early');
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
    if (byte < 0x80) return { value, end: at + 1 };
  }
  assert(false, 'a number of more than 64 bits');
}
