import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Address } from '../../../kernel/ids.ts';

const SHAPE = /^0x[0-9a-fA-F]{40}$/;

/** EIP-55 spelling, or undefined. Mixed case must be the right mixed case: it is there to catch typing errors. */
export function parseVenueAddress(text: string): Address | undefined {
  if (!SHAPE.test(text)) return undefined;
  const digits = text.slice(2);
  const canonical = checksummed(digits.toLowerCase());
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isPlain || text === canonical ? canonical : undefined;
}

/** From a public key of either length. */
export const addressOfPoint = (publicKey: Uint8Array): Address =>
  addressOfKey(secp256k1.Point.fromBytes(publicKey).toBytes(false));

export function addressOfKey(publicKey: Uint8Array): Address {
  return checksummed(bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12)));
}

function checksummed(lower: string): Address {
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  const digits = [...lower].map((digit, index) => ((hash[index] ?? '0') >= '8' ? digit.toUpperCase() : digit));
  return `0x${digits.join('')}` as Address;
}

/** Of the hash of a sentence: no key for it is known. */
export const STRANGER = checksummed('cd6b32342de6805904ec7372569453058b9f9603');
