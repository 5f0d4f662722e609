import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, bech32m, createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { assert, present } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { BitcoinNetwork } from './networks.ts';

const base58check = createBase58check(sha256);
/** BIP-173; base-58 addresses are shorter. */
const MAX_CHARS = 90;
const HASH_BYTES = 20;
const WORD_BYTES = 32;

const hash160 = (bytes: Uint8Array): Uint8Array => ripemd160(sha256(bytes));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Canonical spelling (segwit addresses may come in capitals, from QR codes), or undefined. */
export function parseBitcoinAddress(network: BitcoinNetwork, text: string): Address | undefined {
  const script = text.length <= MAX_CHARS ? (segwitScript(network, text) ?? legacyScript(network, text)) : undefined;
  return script === undefined ? undefined : addressOfScript(network, script);
}

/** Locking script, in hexadecimal, of an address that was checked. */
export function scriptOfAddress(network: BitcoinNetwork, address: Address): string {
  return present(segwitScript(network, address) ?? legacyScript(network, address), `script of ${address}`);
}

const PUB_KEY_HASH = /^76a914([0-9a-f]{40})88ac$/;
const SCRIPT_HASH = /^a914([0-9a-f]{40})87$/;
/** Version 0 with 20 or 32 bytes, or version 1 (taproot) with 32. */
const WITNESS = /^(00|51)(?:14([0-9a-f]{40})|20([0-9a-f]{64}))$/;

/** The address that a locking script pays; undefined for scripts that have none. */
export function addressOfScript(network: BitcoinNetwork, script: string): Address | undefined {
  const witness = WITNESS.exec(script);
  if (witness) {
    const [, version, short, long] = witness;
    if (version === '51' && short) return undefined;
    const words = bech32.toWords(Buffer.from(short ?? long ?? '', 'hex'));
    const text =
      version === '00' ? bech32.encode(network.hrp, [0, ...words]) : bech32m.encode(network.hrp, [1, ...words]);
    return text as string as Address;
  }
  const keyHash = PUB_KEY_HASH.exec(script)?.[1];
  const hash = keyHash ?? SCRIPT_HASH.exec(script)?.[1];
  if (!hash) return undefined;
  const version = keyHash ? network.pubKeyHash : network.scriptHash;
  return base58check.encode(Uint8Array.of(version, ...Buffer.from(hash, 'hex'))) as Address;
}

function segwitScript({ hrp }: BitcoinNetwork, text: string): string | undefined {
  for (const coder of [bech32, bech32m]) {
    const decoded = coder.decodeUnsafe(text, MAX_CHARS);
    const [version, ...words] = decoded?.words ?? [];
    const program = coder.fromWordsUnsafe(words);
    if (!decoded || decoded.prefix !== hrp || !program) continue;
    const { length } = program;
    if (coder === bech32 && version === 0 && (length === HASH_BYTES || length === WORD_BYTES)) {
      return `00${length.toString(16)}${hexOf(program)}`;
    }
    if (coder === bech32m && version === 1 && length === WORD_BYTES && isOnCurve(program))
      return `5120${hexOf(program)}`;
  }
  return undefined;
}

/** Nobody could spend what is paid to a taproot key that is no point of the curve. */
function isOnCurve(x: Uint8Array): boolean {
  try {
    secp256k1.Point.fromBytes(Uint8Array.of(2, ...x));
    return true;
  } catch {
    return false;
  }
}

function legacyScript({ pubKeyHash, scriptHash }: BitcoinNetwork, text: string): string | undefined {
  let bytes: Uint8Array;
  try {
    bytes = base58check.decode(text);
  } catch {
    return undefined;
  }
  const [version] = bytes;
  const hash = hexOf(bytes.slice(1));
  if (bytes.length !== HASH_BYTES + 1) return undefined;
  if (version === pubKeyHash) return `76a914${hash}88ac`;
  return version === scriptHash ? `a914${hash}87` : undefined;
}

export const scriptOfPublicKey = (publicKey: Uint8Array): string => `0014${hexOf(hash160(publicKey))}`;

/** Pay to witness public key hash: the only kind of address that is ours. */
export const isOursByKind = (script: string): boolean => script.length === 44 && script.startsWith('0014');

export function addressOfPublicKey(network: BitcoinNetwork, publicKey: Uint8Array): Address {
  return present(addressOfScript(network, scriptOfPublicKey(publicKey)), 'address of a key');
}

/** Deposit index i is child i of the extended public key; no private key can be here. */
export function bitcoinDepositAddresses(network: BitcoinNetwork, xpub: string): (index: number) => Address {
  const parent = HDKey.fromExtendedKey(xpub);
  assert(parent.privateKey === null, 'an extended private key where a public one belongs');
  return (index) => addressOfPublicKey(network, present(parent.deriveChild(index).publicKey, `public key ${index}`));
}

/** The same extended key as nodes of the network spell it. */
export function xpubOn(network: BitcoinNetwork, xpub: string): string {
  const { publicKey, chainCode, depth, index, parentFingerprint } = HDKey.fromExtendedKey(xpub);
  const versions = { public: network.xpubVersion, private: 0 };
  assert(publicKey && chainCode, 'an extended public key');
  return new HDKey({ versions, publicKey, chainCode, depth, index, parentFingerprint }).publicExtendedKey;
}

/** The bytes it takes to spend an output: with a witness, discounted, or without. */
export const SPENDING_BYTES = { segwit: 67, legacy: 148 };
const OUTPUT_BYTES = 9;

/** Nodes pass on no output that is smaller. */
export function dustLimit({ dustRate }: BitcoinNetwork, script: string): bigint {
  const spending = WITNESS.test(script) ? SPENDING_BYTES.segwit : SPENDING_BYTES.legacy;
  return (dustRate * BigInt(script.length / 2 + OUTPUT_BYTES + spending)) / 1_000n;
}
