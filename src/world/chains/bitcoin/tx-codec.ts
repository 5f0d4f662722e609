import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { assert, present } from '../../../kernel/assert.ts';
import { ByteReader } from '../../../kernel/byte-reader.ts';

export interface OutPoint {
  readonly txid: string;
  readonly vout: number;
}

export interface TxInput extends OutPoint {
  /** Unlocking script, in hexadecimal; empty for segwit. */
  readonly script: string;
  readonly sequence: number;
  readonly witness: readonly Uint8Array[];
}

export interface TxOutput {
  readonly atoms: bigint;
  /** Locking script, in hexadecimal. */
  readonly script: string;
}

export interface BitcoinTx {
  readonly txid: string;
  readonly version: number;
  readonly inputs: readonly TxInput[];
  readonly outputs: readonly TxOutput[];
  readonly lockTime: number;
}

export interface BitcoinBlock {
  readonly hash: string;
  readonly parentHash: string;
  readonly transactions: readonly BitcoinTx[];
}

export const outPointText = ({ txid, vout }: OutPoint): string => `${txid}:${vout}`;

/** The input of a coinbase spends this output of no transaction. */
const NO_TX = '00'.repeat(32);

/** Consensus locks what a block pays its miner until the block is this deep, counting itself. */
export const COINBASE_DEPTH = 100;

export const isCoinbase = ({ inputs }: BitcoinTx): boolean => inputs[0]?.txid === NO_TX;

const HEADER_BYTES = 80;
const SEGWIT = { marker: 0x00, flag: 0x01 };
/** Litecoin's extension blocks (LIP-2, LIP-3): this bit of the flag says that a part of theirs stands before the lock time. */
const EXTENSION_FLAG = 0x08;

const hash256 = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));

/** Hashes are shown with their bytes in reverse. */
const idOf = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString('hex');
const hashOfId = (id: string): Buffer => Buffer.from(id, 'hex').reverse();

function readerOf(hex: string): ByteReader {
  const bytes = Buffer.from(hex, 'hex');
  // Decoding stops at the first character that is no digit.
  assert(bytes.length * 2 === hex.length, 'not hexadecimal');
  return new ByteReader(bytes);
}

/** How many follow. */
function readCount(reader: ByteReader): number | bigint {
  const first = reader.byte();
  if (first < 0xfd) return first;
  return first === 0xfd ? reader.uint16() : first === 0xfe ? reader.uint32() : reader.uint64();
}

const readList = <T>(reader: ByteReader, item: () => T): T[] => reader.list(readCount(reader), item);

const readChunk = (reader: ByteReader): Uint8Array => reader.take(readCount(reader));

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export function parseTransaction(hex: string): BitcoinTx {
  const reader = readerOf(hex);
  // Alone, nothing follows a transaction: whatever stands before its last four bytes belongs to the extension.
  const tx = readTransaction(reader, () => reader.take(Math.max(0, reader.left - 4)));
  reader.end();
  return tx;
}

/** What follows the transactions, if anything, belongs to extensions of the protocol that we do not speak. */
export function parseBlock(hex: string): BitcoinBlock {
  const reader = readerOf(hex);
  const header = reader.take(HEADER_BYTES);
  // In a block the extension's part is empty: what it would hold is in the extension block.
  const transactions = readList(reader, () =>
    readTransaction(reader, () => assert(reader.byte() === 0, 'an extension')),
  );
  return { hash: idOf(hash256(header)), parentHash: idOf(header.subarray(4, 36)), transactions };
}

function readTransaction(reader: ByteReader, skipExtension: () => void): BitcoinTx {
  const version = reader.take(4);
  const flag = reader.bytes[reader.at] === SEGWIT.marker ? (reader.bytes[reader.at + 1] ?? 0) : 0;
  const hasWitness = (flag & SEGWIT.flag) !== 0;
  if (flag !== 0) reader.take(2);
  const start = reader.at;
  const inputs = readList(reader, () => ({
    txid: idOf(reader.take(32)),
    vout: reader.uint32(),
    script: hexOf(readChunk(reader)),
    sequence: reader.uint32(),
  }));
  const outputs = readList(reader, () => ({ atoms: reader.uint64(), script: hexOf(readChunk(reader)) }));
  const body = reader.bytes.subarray(start, reader.at);
  const witnesses = inputs.map(() => (hasWitness ? readList(reader, () => readChunk(reader)) : []));
  if ((flag & EXTENSION_FLAG) !== 0) skipExtension();
  const lockTime = reader.take(4);
  return {
    txid: idOf(hash256(Buffer.concat([version, body, lockTime]))),
    version: Buffer.from(version).readInt32LE(),
    inputs: inputs.map((input, at) => ({ ...input, witness: present(witnesses[at], 'witness') })),
    outputs,
    lockTime: Buffer.from(lockTime).readUInt32LE(),
  };
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const uint64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

function countBytes(count: number): Buffer {
  if (count < 0xfd) return Buffer.of(count);
  const bytes = Buffer.from([0xfd, 0, 0]);
  bytes.writeUInt16LE(count, 1);
  return bytes;
}

const sized = (bytes: Uint8Array): Buffer => Buffer.concat([countBytes(bytes.length), bytes]);
const outPointBytes = ({ txid, vout }: OutPoint): Buffer => Buffer.concat([hashOfId(txid), uint32(vout)]);
const outputBytes = ({ atoms, script }: TxOutput): Buffer =>
  Buffer.concat([uint64(atoms), sized(Buffer.from(script, 'hex'))]);

export type UnsignedTx = Omit<BitcoinTx, 'txid'>;

export function encodeTransaction({ version, inputs, outputs, lockTime }: UnsignedTx): string {
  const inputBytes = ({ script, sequence, ...point }: TxInput) =>
    Buffer.concat([outPointBytes(point), sized(Buffer.from(script, 'hex')), uint32(sequence)]);
  const witness = inputs.flatMap(({ witness: items }) => [countBytes(items.length), ...items.map(sized)]);
  const hasWitness = inputs.some(({ witness: items }) => items.length > 0);
  const parts = [
    uint32(version),
    ...(hasWitness ? [Buffer.of(SEGWIT.marker, SEGWIT.flag)] : []),
    countBytes(inputs.length),
    ...inputs.map(inputBytes),
    countBytes(outputs.length),
    ...outputs.map(outputBytes),
    ...(hasWitness ? witness : []),
    uint32(lockTime),
  ];
  return Buffer.concat(parts).toString('hex');
}

/** The input as it is in a block's bytes: where this is not, it is not spent. */
export const outPointHex = (point: OutPoint): string => outPointBytes(point).toString('hex');

const SIGHASH_ALL = 0x01;

/** BIP-143: what the key of a P2WPKH output signs to spend it. The amount is part of it. */
function witnessDigest(tx: UnsignedTx, at: number, prevout: TxOutput): Uint8Array {
  const input = present(tx.inputs[at], `input ${at}`);
  const all = (parts: readonly Uint8Array[]) => hash256(Buffer.concat(parts));
  const keyHash = Buffer.from(prevout.script.slice(4), 'hex');
  const scriptCode = Buffer.concat([Buffer.from('1976a914', 'hex'), keyHash, Buffer.from('88ac', 'hex')]);
  const preimage = [
    uint32(tx.version),
    all(tx.inputs.map(outPointBytes)),
    all(tx.inputs.map(({ sequence }) => uint32(sequence))),
    outPointBytes(input),
    scriptCode,
    uint64(prevout.atoms),
    uint32(input.sequence),
    all(tx.outputs.map(outputBytes)),
    uint32(tx.lockTime),
    uint32(SIGHASH_ALL),
  ];
  return all(preimage);
}

/** Signature and key that spend the P2WPKH output `prevout` with input `at`. */
export function witnessOf(tx: UnsignedTx, at: number, prevout: TxOutput, privateKey: Uint8Array): Uint8Array[] {
  const compact = secp256k1.sign(witnessDigest(tx, at, prevout), privateKey, { prehash: false });
  const signature = secp256k1.Signature.fromBytes(compact).toBytes('der');
  return [Uint8Array.of(...signature, SIGHASH_ALL), secp256k1.getPublicKey(privateKey)];
}

/** The public key that signed input `at`, if it truly did. */
export function signerOf(tx: UnsignedTx, at: number, prevout: TxOutput): Uint8Array | undefined {
  const [signature, publicKey, ...more] = tx.inputs[at]?.witness ?? [];
  if (!signature || !publicKey || more.length > 0 || signature.at(-1) !== SIGHASH_ALL) return undefined;
  const { r, s } = secp256k1.Signature.fromBytes(signature.slice(0, -1), 'der');
  const compact = new secp256k1.Signature(r, s).toBytes();
  const digest = witnessDigest(tx, at, prevout);
  return secp256k1.verify(compact, digest, publicKey, { prehash: false }) ? publicKey : undefined;
}

/** Quarters of a virtual byte: what every transaction has (with both counts below 253), an input, its longest witness. */
const FIXED_QUARTERS = 42;
const INPUT_QUARTERS = 4 * 41;
const WITNESS_QUARTERS = 108;
const OUTPUT_BYTES = 9;

/** Size that fees are paid for, with P2WPKH inputs whose signatures are as long as they can be. */
export function virtualBytes(inputs: number, scripts: readonly string[]): bigint {
  const outputs = scripts.reduce((sum, script) => sum + OUTPUT_BYTES + script.length / 2, 0);
  return BigInt(Math.ceil((FIXED_QUARTERS + inputs * (INPUT_QUARTERS + WITNESS_QUARTERS) + 4 * outputs) / 4));
}
