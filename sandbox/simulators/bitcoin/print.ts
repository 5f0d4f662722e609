import { createHash } from 'node:crypto';
import { formatUnits } from '../../../src/kernel/amount.ts';
import {
  addressOfScript,
  parseBitcoinAddress,
  scriptOfAddress,
} from '../../../src/world/chains/bitcoin/address-codec.ts';
import type { BitcoinNetwork } from '../../../src/world/chains/bitcoin/networks.ts';
import { encodeTransaction, isCoinbase } from '../../../src/world/chains/bitcoin/tx-codec.ts';
import type { LedgerBlock, LedgerTx } from './block.ts';

/** As bitcoind prints it: https://bitcoincore.org/en/doc/29.0.0/rpc/rawtransactions/getrawtransaction/ */

/** Coins as the JSON number that the real node writes. */
export const coins = (atoms: bigint): number => Number(formatUnits(atoms, 8));

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^0014.{40}$/, 'witness_v0_keyhash'],
  [/^0020.{64}$/, 'witness_v0_scripthash'],
  [/^5120.{64}$/, 'witness_v1_taproot'],
  [/^76a914.{40}88ac$/, 'pubkeyhash'],
  [/^a914.{40}87$/, 'scripthash'],
  [/^(?:21.{66}|41.{130})ac$/, 'pubkey'],
  [/^6a/, 'nulldata'],
];

const OPERATIONS: Readonly<Record<number, string>> = {
  106: 'OP_RETURN',
  118: 'OP_DUP',
  135: 'OP_EQUAL',
  136: 'OP_EQUALVERIFY',
  169: 'OP_HASH160',
  172: 'OP_CHECKSIG',
};
/** What is shorter says itself how long it is. */
const PUSH_WITH_LENGTH = 0x4c;
const [ONE, SIXTEEN] = [0x51, 0x60];

export function printScript(network: BitcoinNetwork, hex: string): object {
  const address = addressOfScript(network, hex);
  const type = TYPES.find(([shape]) => shape.test(hex))?.[1] ?? 'nonstandard';
  return { asm: wordsOf(hex).join(' '), hex, ...(address ? { address } : {}), type };
}

function wordsOf(hex: string): readonly string[] {
  const bytes = Buffer.from(hex, 'hex');
  const words: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const code = bytes.readUInt8(at);
    const isLong = code === PUSH_WITH_LENGTH && at + 1 < bytes.length;
    const length = isLong ? bytes.readUInt8(at + 1) : code < PUSH_WITH_LENGTH ? code : 0;
    const from = at + (isLong ? 2 : 1);
    words.push(length > 0 ? bytes.toString('hex', from, from + length) : nameOf(code));
    at = from + length;
  }
  return words;
}

function nameOf(code: number): string {
  if (code === 0) return '0';
  return code >= ONE && code <= SIXTEEN ? `${code - ONE + 1}` : (OPERATIONS[code] ?? 'OP_UNKNOWN');
}

/** What can be read from an address by itself. */
export function printAddress(network: BitcoinNetwork, text: string): object {
  const address = parseBitcoinAddress(network, text);
  if (!address) {
    const error = 'Invalid or unsupported Segwit (Bech32) or Base58 encoding.';
    return { isvalid: false, error_locations: [], error };
  }
  const scriptPubKey = scriptOfAddress(network, address);
  const isscript = /^(?:a914|0020|5120)/.test(scriptPubKey);
  const [, version, program] = /^(00|5[1-9a-f]|60)(?:14|20)(.+)$/.exec(scriptPubKey) ?? [];
  const told = { isvalid: true, address, scriptPubKey, isscript, iswitness: program !== undefined };
  if (version === undefined) return told;
  return { ...told, witness_version: Number(wordsOf(version)[0]), witness_program: program };
}

export function printTx(network: BitcoinNetwork, { raw, tx }: LedgerTx): object {
  const coinbase = isCoinbase(tx);
  return {
    ...{ txid: tx.txid, hash: hashOf(raw), version: tx.version, ...sizesOf({ raw, tx }), locktime: tx.lockTime },
    vin: tx.inputs.map(({ txid, vout, script, sequence, witness }) => ({
      ...(coinbase ? { coinbase: script } : { txid, vout, scriptSig: { asm: wordsOf(script).join(' '), hex: script } }),
      ...(witness.length > 0 ? { txinwitness: witness.map((item) => Buffer.from(item).toString('hex')) } : {}),
      sequence,
    })),
    vout: tx.outputs.map(({ atoms, script }, n) => ({
      ...{ value: coins(atoms), n, scriptPubKey: printScript(network, script) },
    })),
  };
}

/** The parts of a real header are read from its bytes. */
export function printHeader({ hash, height, time, header, transactions, parent }: LedgerBlock): object {
  const bytes = Buffer.from(header, 'hex');
  const version = bytes.readInt32LE(0);
  return {
    ...{ hash, height, version, versionHex: version.toString(16).padStart(8, '0') },
    merkleroot: Buffer.from(bytes.subarray(36, 68)).reverse().toString('hex'),
    ...{ time, mediantime: time, nonce: bytes.readUInt32LE(76), bits: bytes.readUInt32LE(72).toString(16) },
    ...{ difficulty: DIFFICULTY, nTx: transactions.length },
    ...(height > 0 ? { previousblockhash: parent } : {}),
  };
}

/** Of the easiest target that there is, by that of the first block of the main network. */
export const DIFFICULTY = 4.656542373906925e-10;

export function sizesOf({ raw, tx }: LedgerTx): { size: number; vsize: number; weight: number } {
  const bare = encodeTransaction({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness: [] })) });
  const weight = (3 * bare.length + raw.length) / 2;
  return { size: raw.length / 2, vsize: Math.ceil(weight / 4), weight };
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const hashOf = (raw: string): string =>
  sha256(sha256(Buffer.from(raw, 'hex')))
    .reverse()
    .toString('hex');
