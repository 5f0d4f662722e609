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
type Told = Candidates | 'cannot tell';
/** So many keys a transaction has at most that is passed on; a miner's may have thousands. */
const KEYS_AT_ONCE = 32;

/** For the keys of one transaction, whichever of them is asked about. */
export function tagFilter(viewKey: string): (keys: readonly Uint8Array[]) => MayShare {
  const multiplier = clampedKey(scalar(hexToBytes(viewKey)));
  return (keys) => {
    const places = new Map(keys.map((key, at) => [key, at]));
    const known = new Map<number, readonly Told[]>();
    const candidatesAt = (place: number, privateKey: KeyObject): Told => {
      const first = place - (place % KEYS_AT_ONCE);
      const told = known.get(first) ?? candidatesOf(privateKey, keys.slice(first, first + KEYS_AT_ONCE));
      known.set(first, told);
      return told[place - first] ?? 'cannot tell';
    };
    return (key, index, { viewTag: tag }) => {
      const place = places.get(key);
      if (tag === undefined || !multiplier || place === undefined) return true;
      const candidates = candidatesAt(place, multiplier);
      return candidates === 'cannot tell' || candidates.some((secret) => viewTag(secret, index) === tag);
    };
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

/** A quotient costs as much as the multiplication; of many at once all but one are nearly free. */
function candidatesOf(privateKey: KeyObject, keys: readonly Uint8Array[]): readonly Told[] {
  const ys = keys.map((key) => Fp.create(BigInt.asUintN(Y_BITS, bytesToNumberLE(key))));
  const us = quotients(ys.map((y) => [Fp.add(Fp.ONE, y), Fp.sub(Fp.ONE, y)]));
  const products = us.map((u) => (u === undefined ? undefined : multiplied(privateKey, u)));
  const secrets = quotients(products.map((u = Fp.neg(Fp.ONE)) => [Fp.sub(u, Fp.ONE), Fp.add(u, Fp.ONE)]));
  return secrets.map((secret) =>
    secret === undefined ? 'cannot tell' : bothSigns(numberToBytesLE(secret, KEY_BYTES)),
  );
}

function bothSigns(secret: Uint8Array): Candidates {
  return [secret, Uint8Array.from(secret, (byte, at) => (at === KEY_BYTES - 1 ? byte | 0x80 : byte))];
}

/** undefined where something is to be divided by zero. */
function quotients(all: readonly (readonly [above: bigint, below: bigint])[]): readonly (bigint | undefined)[] {
  const inverses = Fp.invertBatch(all.map(([, below]) => (Fp.is0(below) ? Fp.ONE : below)));
  return all.map(([above, below], at) => (Fp.is0(below) ? undefined : Fp.mul(above, inverses[at] ?? Fp.ZERO)));
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
