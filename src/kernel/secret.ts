import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Holds a secret so that no log line, error message or JSON can show it. */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

/** Keyed hash with a purpose, so that a value made for one use proves nothing in another. */
export function keyedHash(key: Secret<Uint8Array>, purpose: string, ...parts: readonly string[]): string {
  const mac = createHmac('sha256', key.reveal());
  for (const part of [purpose, ...parts]) mac.update(`${Buffer.byteLength(part)}:`).update(part);
  return mac.digest('hex');
}

export const sha256Hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

export function sameText(a: string, b: string): boolean {
  const left = createHash('sha256').update(a).digest();
  const right = createHash('sha256').update(b).digest();
  return timingSafeEqual(left, right);
}
