import { createHmac, hash, timingSafeEqual } from 'node:crypto';

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
  const told = [purpose, ...parts].map((part) => `${Buffer.byteLength(part)}:${part}`);
  return createHmac('sha256', key.reveal()).update(told.join('')).digest('hex');
}

export const sha256Hex = (data: string | Uint8Array): string => hash('sha256', data);

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

/**
 * Asks once for what is shown again and again. A thing remembers the text that last proved it, as a hash, for as long as the thing
 * itself is held; any other text has to prove itself.
 */
export function rememberProof<T extends object>(
  proves: (text: string, of: T) => boolean,
): (text: string, of: T) => boolean {
  const proven = new WeakMap<T, Buffer>();
  return (text, of) => {
    const shown = digest(text);
    const known = proven.get(of);
    if (known && timingSafeEqual(known, shown)) return true;
    const holds = proves(text, of);
    if (holds) proven.set(of, shown);
    return holds;
  };
}
