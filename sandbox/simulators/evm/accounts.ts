import { createECDH, createHmac, pbkdf2Sync } from 'node:crypto';
import { bytesToHex, SECP256K1_ORDER } from '@ethereumjs/util';
import { keccak_256 } from '@noble/hashes/sha3.js';

/** The words that every node for development signs with: nobody's secret. */
const WORDS = 'test test test test test test test test test test test junk';
const ACCOUNTS = 10;
const HARDENED = 0x8000_0000;

interface Branch {
  readonly key: Buffer;
  readonly chainCode: Buffer;
}

/** Keys of the accounts that the node signs for, by address: m/44'/60'/0'/0/n (BIP-32), by the computer's own curve, as six nodes start at once. */
export function ownKeys(): ReadonlyMap<string, Uint8Array> {
  const root = branchOf('Bitcoin seed', pbkdf2Sync(WORDS, 'mnemonic', 2048, 64, 'sha512'));
  const parent = [HARDENED + 44, HARDENED + 60, HARDENED, 0].reduce(child, root);
  return new Map(
    Array.from({ length: ACCOUNTS }, (_, index) => {
      const { key } = child(parent, index);
      return [bytesToHex(keccak_256(publicKey(key, 'uncompressed').subarray(1)).subarray(-20)), key];
    }),
  );
}

function branchOf(key: string | Buffer, data: Buffer): Branch {
  const both = createHmac('sha512', key).update(data).digest();
  return { key: both.subarray(0, 32), chainCode: both.subarray(32) };
}

function child({ key, chainCode }: Branch, index: number): Branch {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index);
  const known = index >= HARDENED ? Buffer.concat([Buffer.alloc(1), key]) : publicKey(key, 'compressed');
  const tweak = branchOf(chainCode, Buffer.concat([known, number]));
  const sum = (numberIn(tweak.key) + numberIn(key)) % SECP256K1_ORDER;
  return { key: Buffer.from(sum.toString(16).padStart(64, '0'), 'hex'), chainCode: tweak.chainCode };
}

function publicKey(key: Buffer, form: 'compressed' | 'uncompressed'): Buffer {
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(key);
  return curve.getPublicKey(null, form);
}

const numberIn = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);
