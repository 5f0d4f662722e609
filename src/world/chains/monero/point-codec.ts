import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE } from '@noble/curves/utils.js';
import { hexToBytes } from '@noble/hashes/utils.js';

/**
 * Whether bytes are somebody's public key. They name the y of a point (RFC 8032, 5.1.3), and it is one if there is an x for it.
 * To find that x takes a square root; to know that there is one takes a Jacobi symbol, which costs a fifth of it. Pure.
 */

const PRIME = ed25519.Point.Fp.ORDER;
const D = ed25519.Point.CURVE().d;
const KEY_BYTES = 32;
/** The highest bit tells which of the two x is meant. */
const Y_BITS = 255;

/** The y of the eight points of small order, whose secrets everybody can guess. */
const EIGHTH = bytesToNumberLE(hexToBytes('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'));
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, 1n, PRIME - 1n, EIGHTH, PRIME - EIGHTH]);

/** A point of the curve that someone can hold the secret of. */
export function isKey(bytes: Uint8Array): boolean {
  if (bytes.length !== KEY_BYTES) return false;
  const y = BigInt.asUintN(Y_BITS, bytesToNumberLE(bytes));
  if (y >= PRIME || SMALL_ORDER.has(y)) return false;
  const square = (y * y) % PRIME;
  // x² is (y² − 1) / (dy² + 1). A quotient is a square where the product is one, and this divisor is never zero.
  return jacobi(((square - 1n) * (D * square + 1n)) % PRIME, PRIME) === 1;
}

/** How many bits are looked at at once; they fit into a small number. */
const LOW_BITS = 30;

/** Handbook of Applied Cryptography, 2.149: https://cacr.uwaterloo.ca/hac/about/chap2.pdf. `below` is odd, and `above` less than it. */
export function jacobi(above: bigint, below: bigint): 1 | 0 | -1 {
  let [a, n, isNegative] = [above, below, false];
  while (a !== 0n) {
    const lowN = Number(BigInt.asUintN(LOW_BITS, n));
    const zeros = trailingZeros(a);
    a >>= BigInt(zeros);
    // Two is no square below a number that leaves 3 or 5 when divided by eight.
    if (zeros % 2 === 1 && (lowN % 8 === 3 || lowN % 8 === 5)) isNegative = !isNegative;
    if (lowN % 4 === 3 && Number(BigInt.asUintN(LOW_BITS, a)) % 4 === 3) isNegative = !isNegative;
    [a, n] = [n % a, a];
  }
  if (n !== 1n) return 0;
  return isNegative ? -1 : 1;
}

function trailingZeros(value: bigint): number {
  let [rest, zeros] = [value, 0];
  let low = Number(BigInt.asUintN(LOW_BITS, rest));
  while (low === 0) {
    rest >>= BigInt(LOW_BITS);
    zeros += LOW_BITS;
    low = Number(BigInt.asUintN(LOW_BITS, rest));
  }
  return zeros + 31 - Math.clz32(low & -low);
}
