import { createHash } from 'node:crypto';

/** Chance that is the same for the same words. Children are independent of how often their parent was asked. */
export interface Chance {
  /** 0 … below. */
  below(below: number): number;
  between(low: number, high: number): number;
  /** True once in so many. */
  once(inSoMany: number): boolean;
  pick<T>(all: readonly T[]): T;
  bytes(length: number): Buffer;
  child(name: string): Chance;
}

export function chance(seed: string): Chance {
  let state = createHash('sha256').update(seed).digest().readBigUInt64LE();
  /** SplitMix64. */
  const next = (): bigint => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  };
  const below = (bound: number): number => Number(next() % BigInt(Math.max(1, bound)));
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    once: (inSoMany) => below(inSoMany) === 0,
    pick<T>(all: readonly T[]): T {
      return all[below(all.length)] as T;
    },
    bytes(length) {
      const bytes = Buffer.alloc(length);
      for (let at = 0; at < length; at += 8) {
        const word = Buffer.alloc(8);
        word.writeBigUInt64LE(next());
        word.copy(bytes, at);
      }
      return bytes;
    },
    child: (name) => chance(`${seed}/${name}`),
  };
}

const MASK = 2n ** 64n - 1n;
