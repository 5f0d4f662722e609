import { secp256k1 } from '@noble/curves/secp256k1.js';
import { assert, present } from '../../../kernel/assert.ts';
import { intOfRlp, type Rlp, rlpInt } from './rlp.ts';

/** Parity, r and s, as transactions and authorizations end with them. */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): readonly Uint8Array[] {
  const [recovery, ...rest] = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' });
  const parts = [rest.slice(0, 32), rest.slice(32)].map((part) => rlpInt(intOfRlp(Uint8Array.from(part))));
  return [rlpInt(BigInt(present(recovery, 'recovery bit'))), ...parts];
}

/** Bytes of a payment under way are read at every look at it, and finding who signed them takes milliseconds. */
const found = new Map<string, Uint8Array>();
const MOST_FOUND = 1_000;

/** The public key whose owner signed it. */
export function signerKey(digest: Uint8Array, items: readonly Rlp[]): Uint8Array {
  const [recovery, r, s] = [0, 1, 2].map(intAt(items));
  const signed = new secp256k1.Signature(present(r, 'r'), present(s, 's'), Number(recovery));
  assert(!signed.hasHighS(), 'a malleable signature');
  const name = `${Buffer.from(digest).toString('hex')} ${r} ${s} ${recovery}`;
  const key = found.get(name) ?? signed.recoverPublicKey(digest).toBytes(false);
  if (found.size >= MOST_FOUND) found.clear();
  found.set(name, key);
  return key;
}

export const bytesAt =
  (items: readonly Rlp[]) =>
  (at: number): Uint8Array => {
    const item = items[at];
    assert(item instanceof Uint8Array, `field ${at} is not a string of bytes`);
    return item;
  };

export const intAt =
  (items: readonly Rlp[]) =>
  (at: number): bigint =>
    intOfRlp(bytesAt(items)(at));
