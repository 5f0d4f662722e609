import { assert } from '../../../kernel/assert.ts';

/** What a venue action is made of. Key order is part of the meaning: the venue hashes the bytes. */
export type Packable = string | number | boolean | readonly Packable[] | { readonly [key: string]: Packable };

/** MessagePack of exactly the kinds that actions use, each in its shortest form, as the venue's own encoder writes it. */
export function msgpack(value: Packable): Uint8Array {
  const out: number[] = [];
  write(value, out);
  return Uint8Array.from(out);
}

function write(value: Packable, out: number[]): void {
  if (typeof value === 'boolean') out.push(value ? 0xc3 : 0xc2);
  else if (typeof value === 'number') writeWhole(value, out);
  else if (typeof value === 'string') writeText(value, out);
  else if (isList(value)) {
    writeHead(value.length, 0x90, 0xdc, out);
    for (const item of value) write(item, out);
  } else {
    const entries = Object.entries(value);
    writeHead(entries.length, 0x80, 0xde, out);
    for (const [key, item] of entries) {
      writeText(key, out);
      write(item, out);
    }
  }
}

const isList = (value: Packable): value is readonly Packable[] => Array.isArray(value);

/** Short lists and maps carry their length in the tag; longer ones in two bytes after it. */
function writeHead(length: number, short: number, long: number, out: number[]): void {
  assert(length < 0x10000, 'too many items to pack');
  if (length < 16) out.push(short | length);
  else out.push(long, ...bigEndian(BigInt(length), 2));
}

function writeWhole(value: number, out: number[]): void {
  assert(Number.isSafeInteger(value) && value >= 0, `not packable: ${value}`);
  if (value < 0x80) out.push(value);
  else if (value < 0x100) out.push(0xcc, value);
  else if (value < 0x10000) out.push(0xcd, ...bigEndian(BigInt(value), 2));
  else if (value < 0x100000000) out.push(0xce, ...bigEndian(BigInt(value), 4));
  else out.push(0xcf, ...bigEndian(BigInt(value), 8));
}

function writeText(text: string, out: number[]): void {
  const bytes = new TextEncoder().encode(text);
  assert(bytes.length < 0x10000, 'text too long to pack');
  if (bytes.length < 32) out.push(0xa0 | bytes.length);
  else if (bytes.length < 0x100) out.push(0xd9, bytes.length);
  else out.push(0xda, ...bigEndian(BigInt(bytes.length), 2));
  out.push(...bytes);
}

export function bigEndian(value: bigint, width: number): Uint8Array {
  const bytes = new Uint8Array(width);
  for (let index = width - 1, rest = value; index >= 0; index -= 1, rest >>= 8n) bytes[index] = Number(rest & 0xffn);
  return bytes;
}
