import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import { concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { scalar } from './codec.ts';
import { type MayShare, viewTag } from './output-codec.ts';

/**
 * Most outputs are nobody's of ours, and their view tag says so once the shared secret is known. The point of it costs
 * milliseconds in JavaScript; its u on the same curve in Montgomery's form is what X25519 gives (RFC 7748), natively. From u
 * follows y (RFC 7748, 4.1), and so the secret but for the sign of its x: both signs are tried. What passes is reckoned exactly.
 */

const { Fp, Fn } = ed25519.Point;
const KEY_BYTES = 32;
/** The highest bit of a point's text tells which of the two x is meant. */
const Y_BITS = 255;
/** X25519 multiplies by a number between 2^254 and 2^255 that eight divides. */
const SCALAR_BASE = 2n ** 254n;
const EIGHTHS_MOST = 2n ** 251n;
/** An X25519 key in PKCS #8 (RFC 8410, 7), up to its 32 bytes. */
const PKCS8_HEAD = hexToBytes('302e020100300506032b656e04220420');

/** A secret as it may be with either sign. */
type Candidates = readonly Uint8Array[];

export function tagFilter(viewKey: string): MayShare {
  const multiplier = clampedKey(scalar(hexToBytes(viewKey)));
  const known = new WeakMap<Uint8Array, Candidates | 'cannot tell'>();
  return (key, index, { viewTag: tag }) => {
    if (tag === undefined || !multiplier) return true;
    const candidates = known.get(key) ?? candidatesOf(multiplier, key) ?? 'cannot tell';
    known.set(key, candidates);
    return candidates === 'cannot tell' || candidates.some((secret) => viewTag(secret, index) === tag);
  };
}

/**
 * A scalar of X25519 that is eight times the view key, or its negative, which has the same u. Eight divides it, so what a
 * point has of small order goes, as in the exact way. Where neither has one, for a handful of keys out of 2^126, all is reckoned exactly.
 */
function clampedKey(view: bigint): KeyObject | undefined {
  const eighths = [view, -view].map((one) => Fn.create(one - EIGHTHS_MOST)).find((one) => one < EIGHTHS_MOST);
  if (eighths === undefined) return undefined;
  const key = concatBytes(PKCS8_HEAD, numberToBytesLE(SCALAR_BASE + 8n * eighths, KEY_BYTES));
  return createPrivateKey({ key: Buffer.from(key), format: 'der', type: 'pkcs8' });
}

function candidatesOf(privateKey: KeyObject, key: Uint8Array): Candidates | undefined {
  const y = Fp.create(BigInt.asUintN(Y_BITS, bytesToNumberLE(key)));
  if (y === Fp.ONE) return undefined;
  const u = Fp.div(Fp.ONE + y, Fp.create(Fp.ONE - y));
  const product = multiplied(privateKey, u);
  if (product === undefined || product === Fp.ORDER - 1n) return undefined;
  const secret = numberToBytesLE(Fp.div(Fp.create(product - 1n), Fp.create(product + 1n)), KEY_BYTES);
  const negative = Uint8Array.from(secret, (byte, at) => (at === KEY_BYTES - 1 ? byte | 0x80 : byte));
  return [secret, negative];
}

/** undefined where the product is the point that X25519 has no text for. */
function multiplied(privateKey: KeyObject, u: bigint): bigint | undefined {
  const x = Buffer.from(numberToBytesLE(u, KEY_BYTES)).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
  try {
    return bytesToNumberLE(diffieHellman({ privateKey, publicKey }));
  } catch {
    return undefined;
  }
}
