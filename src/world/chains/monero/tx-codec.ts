import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { ByteReader } from '../../../kernel/byte-reader.ts';
import { Fault } from '../../../kernel/fault.ts';
import { keccak } from './codec.ts';
import { type ExtraKeys, readExtra } from './extra-codec.ts';

/** Reads a transaction's bytes, whole or pruned of its proofs. Pure; every count is bounded by the bytes that are there. */

export interface TxOutput {
  readonly key: Uint8Array;
  readonly viewTag: number | undefined;
  /** In clear for coinbase only; otherwise hidden, and opened against the commitment. */
  readonly clearAtoms: bigint;
  readonly hiddenAtoms: Uint8Array;
  readonly commitment: Uint8Array;
}

export interface MoneroTx extends ExtraKeys {
  readonly unlockTime: bigint;
  /** Hex; empty for coinbase. Whoever spends one of these excludes every other spend of it. */
  readonly keyImages: readonly string[];
  /** Global positions that each input's ring names, newest last. */
  readonly rings: readonly (readonly bigint[])[];
  readonly outputs: readonly TxOutput[];
  readonly fee: bigint;
  readonly coinbase: boolean;
  /** In a form of the years before 2019: what it pays is not read, and what was cut off is not hashed. */
  readonly isOutdated: boolean;
  readonly prefixHash: Uint8Array;
  readonly ringctHash: Uint8Array;
  /** Ring signatures and range proofs; empty where they were pruned. */
  readonly proofs: Uint8Array;
}

const VERSION = 2n;
/** Amounts in clear. It can still be mined, from coins of before 2017 that nothing can be mixed with. */
const OUTDATED_VERSION = 1n;
const INPUT_COINBASE = 0xff;
const INPUT_KEY = 0x02;
const OUTPUT_KEY = 0x02;
const OUTPUT_TAGGED_KEY = 0x03;
/** The proof types with short hidden amounts: all that the network has accepted since 2019. */
const RINGCT_COINBASE = 0;
const RINGCT_TYPES = [4, 5, 6];
const OUTDATED_RINGCT_TYPES = [1, 2, 3];
const KEY_BYTES = 32;
const HIDDEN_BYTES = 8;

function malformed(what: string): Fault {
  return new Fault('permanent', 'chain:0', `malformed Monero transaction: ${what}`);
}

export function parseTransaction(bytes: Uint8Array): MoneroTx {
  const reader = new ByteReader(bytes, malformed);
  const version = reader.varint();
  if (version !== VERSION && version !== OUTDATED_VERSION) throw malformed(`version ${version}`);
  const unlockTime = reader.varint();
  const inputs = reader.list(reader.varint(), () => readInput(reader));
  const targets = reader.list(reader.varint(), () => readTarget(reader));
  const extra = readExtra(reader.take(reader.varint()));
  const prefixEnd = reader.at;
  const ringct = version === VERSION ? readRingct(reader, targets.length) : undefined;
  const spends = inputs.filter((input) => input !== undefined);
  return {
    unlockTime,
    keyImages: spends.map(({ keyImage }) => keyImage),
    rings: spends.map(({ ring }) => ring),
    outputs: ringct ? targets.map((target, index) => ({ ...target, ...ringct.hidden(index) })) : [],
    fee: ringct?.fee ?? 0n,
    coinbase: spends.length === 0,
    isOutdated: ringct === undefined,
    ...extra,
    prefixHash: keccak(bytes.subarray(0, prefixEnd)),
    ringctHash: keccak(bytes.subarray(prefixEnd, reader.at)),
    proofs: bytes.subarray(reader.at),
  };
}

function readInput(reader: ByteReader): { keyImage: string; ring: bigint[] } | undefined {
  const kind = reader.byte();
  if (kind === INPUT_COINBASE) {
    reader.varint();
    return undefined;
  }
  if (kind !== INPUT_KEY) throw malformed(`input kind ${kind}`);
  reader.varint();
  let position = 0n;
  const ring = reader.list(reader.varint(), () => {
    position += reader.varint();
    return position;
  });
  return { keyImage: bytesToHex(reader.take(KEY_BYTES)), ring };
}

function readTarget(reader: ByteReader): Pick<TxOutput, 'key' | 'viewTag' | 'clearAtoms'> {
  const clearAtoms = reader.varint();
  const kind = reader.byte();
  if (kind !== OUTPUT_KEY && kind !== OUTPUT_TAGGED_KEY) throw malformed(`output kind ${kind}`);
  const key = reader.take(KEY_BYTES);
  return { key, viewTag: kind === OUTPUT_TAGGED_KEY ? reader.byte() : undefined, clearAtoms };
}

function readRingct(reader: ByteReader, outputs: number) {
  const type = reader.byte();
  const nothing = new Uint8Array();
  if (type === RINGCT_COINBASE) return { fee: 0n, hidden: () => ({ hiddenAtoms: nothing, commitment: nothing }) };
  if (OUTDATED_RINGCT_TYPES.includes(type)) return undefined;
  if (!RINGCT_TYPES.includes(type)) throw malformed(`proof type ${type}`);
  const fee = reader.varint();
  const amounts = Array.from({ length: outputs }, () => reader.take(HIDDEN_BYTES));
  const commitments = Array.from({ length: outputs }, () => reader.take(KEY_BYTES));
  const hidden = (index: number) => ({
    hiddenAtoms: amounts[index] ?? nothing,
    commitment: commitments[index] ?? nothing,
  });
  return { fee, hidden };
}

/** The hash by which the network knows it. A pruned transaction needs the hash of what was cut off. */
export function transactionId(tx: MoneroTx, proofsHash: Uint8Array = keccak(tx.proofs)): string {
  return bytesToHex(keccak(tx.prefixHash, tx.ringctHash, tx.coinbase ? new Uint8Array(KEY_BYTES) : proofsHash));
}

export function parseTransactionHex(hex: string): MoneroTx {
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) throw malformed('not hex');
  return parseTransaction(hexToBytes(hex));
}
