import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { outputKey, type Pool } from '../../../src/world/chains/zcash/reply-codec.ts';

/** A transaction of the simulator: the real header, then a body and signatures in a format of its own. */
export interface SimTx {
  readonly expiry: number;
  /** Of the block that it pays for. */
  readonly coinbase?: number;
  /** Keys of what it spends. */
  readonly spends: readonly string[];
  readonly outputs: readonly SimOutput[];
}

export interface SimOutput {
  readonly pool: Pool;
  /** Within its pool. */
  readonly index: number;
  /** Name of the receiver. */
  readonly to: string;
  /** Decimal, so that a body is plain JSON. */
  readonly zat: string;
}

export interface Signature {
  readonly publicKey: string;
  readonly signature: string;
}

/** Whose signature spends what a receiver got. */
export interface SpendKey {
  readonly kind: 'transparent' | 'shielded';
  readonly secret: Uint8Array;
}

const VERSION = 0x80000005;
const VERSION_GROUP = 0x26a7270a;
const BRANCH = 0x4dec4df0;
const HEADER_BYTES = 20;
const DIVERSIFIER_BYTES = 11;
const TEXT = new TextEncoder();

function encodeUnsigned(tx: SimTx): Uint8Array {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES + 4));
  const body = TEXT.encode(JSON.stringify(tx));
  for (const [at, word] of [VERSION, VERSION_GROUP, BRANCH, 0, tx.expiry, body.length].entries())
    header.setUint32(at * 4, word, true);
  return concatBytes(new Uint8Array(header.buffer), body);
}

export const transactionId = (tx: SimTx): string =>
  bytesToHex(blake2b(encodeUnsigned(tx), { dkLen: 32, personalization: TEXT.encode('ZcashTxHash_sim_') }));

export function encodeTransaction(tx: SimTx, signatures: readonly Signature[]): string {
  return bytesToHex(concatBytes(encodeUnsigned(tx), TEXT.encode(JSON.stringify(signatures))));
}

export interface Decoded {
  readonly txid: string;
  readonly raw: string;
  readonly tx: SimTx;
  readonly signatures: readonly Signature[];
}

/** Throws for bytes that are none. */
export function decodeTransaction(raw: string): Decoded {
  const bytes = hexToBytes(raw);
  const view = new DataView(bytes.buffer);
  const end = HEADER_BYTES + 4 + view.getUint32(HEADER_BYTES, true);
  const part = (from: number, to?: number): unknown => JSON.parse(new TextDecoder().decode(bytes.subarray(from, to)));
  const tx = part(HEADER_BYTES + 4, end) as SimTx;
  const txid = transactionId(tx);
  if (bytesToHex(encodeUnsigned(tx)) !== raw.slice(0, end * 2)) throw new Error('a header of another body');
  return { txid, raw, tx, signatures: part(end) as readonly Signature[] };
}

export const keysOf = (txid: string, tx: SimTx): readonly string[] =>
  tx.outputs.map(({ pool, index }) => outputKey(txid, pool, index));

const hash160 = (bytes: Uint8Array): Uint8Array => ripemd160(sha256(bytes));

export const publicKeyOf = ({ kind, secret }: SpendKey): Uint8Array =>
  kind === 'transparent' ? secp256k1.getPublicKey(secret) : ed25519.getPublicKey(secret);

/** The bytes of a receiver: a hash of the key, or a diversifier with the key. */
export function receiverBytes(key: SpendKey, diversifier: number): Uint8Array {
  const publicKey = publicKeyOf(key);
  if (key.kind === 'transparent') return hash160(publicKey);
  const prefix = new Uint8Array(DIVERSIFIER_BYTES);
  new DataView(prefix.buffer).setUint32(0, diversifier >>> 0, true);
  return concatBytes(prefix, publicKey);
}

export function signSpend(txid: string, key: SpendKey): Signature {
  const message = hexToBytes(txid);
  const signature =
    key.kind === 'transparent'
      ? secp256k1.sign(message, key.secret, { prehash: false })
      : ed25519.sign(message, key.secret);
  return { publicKey: bytesToHex(publicKeyOf(key)), signature: bytesToHex(signature) };
}

export function provesSpend(txid: string, receiver: string, { publicKey, signature }: Signature): boolean {
  const [type, place = ''] = receiver.split(':');
  const [message, key, proof] = [hexToBytes(txid), hexToBytes(publicKey), hexToBytes(signature)];
  if (type === 'p2pkh')
    return bytesToHex(hash160(key)) === place && secp256k1.verify(proof, message, key, { prehash: false });
  return place.endsWith(publicKey) && place.length > publicKey.length && ed25519.verify(proof, message, key);
}

/** ZIP 317: five thousand for each logical action, and never fewer than two of them. */
export function feeFor(inputs: readonly Pool[], outputs: readonly Pool[]): bigint {
  const count = (pools: readonly Pool[], pool: Pool) => pools.filter((one) => one === pool).length;
  const actions: readonly number[] = (['transparent', 'sapling', 'orchard'] as const).map((pool) => {
    const most = Math.max(count(inputs, pool), count(outputs, pool));
    return pool !== 'transparent' && most === 1 ? 2 : most;
  });
  const total = actions.reduce((sum, count) => sum + count, 0);
  return 5_000n * BigInt(Math.max(2, total));
}
