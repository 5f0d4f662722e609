import { Bug } from './assert.ts';

/**
 * Goes through bytes; past their end lies a bug or a lie, never a zero. Whatever says how long it is can claim no more than
 * is there. What is thrown for bytes that cannot be read is the caller's to say.
 */
export class ByteReader {
  readonly bytes: Uint8Array;
  at = 0;
  readonly #view: DataView;
  readonly #malformed: (what: string) => Error;

  constructor(bytes: Uint8Array, malformed: (what: string) => Error = (what) => new Bug(what)) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#malformed = malformed;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  take(count: number | bigint): Uint8Array {
    const start = this.at;
    this.at += this.#within(count);
    return this.bytes.subarray(start, this.at);
  }

  rest(): Uint8Array {
    return this.take(this.left);
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** Little-endian, as all that follow. */
  uint16(): number {
    return this.#view.getUint16(this.#step(2), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#step(4), true);
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.#step(8), true);
  }

  /** Seven bits a byte, the low ones first; the eighth says that more follow. */
  varint(bits = 64): bigint {
    let value = 0n;
    for (let shift = 0; shift < bits; shift += 7) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte < 0x80) return value;
    }
    throw this.#malformed(`a number of more than ${bits} bits`);
  }

  /** Each item takes at least one byte, so that the count cannot lie. */
  list<T>(count: number | bigint, item: () => T): T[] {
    return Array.from({ length: this.#within(count) }, item);
  }

  end(): void {
    if (this.left > 0) throw this.#malformed(`${this.left} bytes behind the end`);
  }

  #within(count: number | bigint): number {
    if (count > this.left) throw this.#malformed(`${count} are claimed, with ${this.left} bytes left`);
    return Number(count);
  }

  #step(count: number): number {
    this.take(count);
    return this.at - count;
  }
}
