import { createHash } from 'node:crypto';
import {
  type BitcoinTx,
  encodeTransaction,
  parseTransaction,
  type TxOutput,
} from '../../../src/world/chains/bitcoin/tx-codec.ts';

export interface LedgerTx {
  readonly raw: string;
  readonly tx: BitcoinTx;
}

export interface LedgerBlock {
  readonly hash: string;
  readonly parent: string;
  readonly height: number;
  readonly time: number;
  readonly header: string;
  readonly transactions: readonly LedgerTx[];
}

export const ledgerTx = (raw: string): LedgerTx => ({ raw, tx: parseTransaction(raw) });

export function rawBlock({ header, transactions }: LedgerBlock): string {
  return header + countHex(transactions.length) + transactions.map(({ raw }) => raw).join('');
}

const VERSION = 0x2000_0000;
/** The easiest difficulty there is: every second hash will do. */
const BITS = 0x207f_ffff;

/** A block with a real header: hash, parent, merkle root, and a nonce that meets the difficulty. */
export function makeBlock(
  parent: { readonly hash: string; readonly height: number; readonly time: number },
  now: number,
  transactions: readonly LedgerTx[],
): LedgerBlock {
  const time = Math.max(now, parent.time + 1);
  for (let nonce = 0; ; nonce += 1) {
    const header = headerHex(VERSION, parent.hash, merkleRoot(transactions), time, nonce);
    const hash = hashOf(header);
    if (hash < '7fffff') return { hash, parent: parent.hash, height: parent.height + 1, time, header, transactions };
  }
}

/** The first block of Bitcoin's regtest, byte for byte. */
export function genesisBlock(): LedgerBlock {
  const NOBODY = '00'.repeat(32);
  const time = 1_296_688_602;
  const transactions = [ledgerTx(GENESIS_COINBASE)];
  const header = headerHex(1, NOBODY, merkleRoot(transactions), time, 2);
  return { hash: hashOf(header), parent: NOBODY, height: 0, time, header, transactions };
}

const GENESIS_COINBASE = [
  '0100000001',
  '00'.repeat(32),
  'ffffffff4d04ffff001d010445',
  Buffer.from('The Times 03/Jan/2009 Chancellor on brink of second bailout for banks').toString('hex'),
  'ffffffff0100f2052a0100000043',
  '4104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac',
  '00000000',
].join('');

/** Pays the miner; height and time in its script make it unlike any other (BIP-34). */
export function coinbase(height: number, salt: number, output: TxOutput): LedgerTx {
  const number = (value: number, bytes: number) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntLE(value, 0, bytes);
    return `0${bytes}${buffer.toString('hex')}`;
  };
  const input = { txid: '00'.repeat(32), vout: 0xffff_ffff, sequence: 0xffff_ffff, witness: [] };
  const script = number(height, 4) + number(salt, 6);
  return ledgerTx(encodeTransaction({ version: 2, inputs: [{ ...input, script }], outputs: [output], lockTime: 0 }));
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const hash256 = (bytes: Buffer): Buffer => sha256(sha256(bytes));
const reversed = (hex: string): Buffer => Buffer.from(hex, 'hex').reverse();
const hashOf = (header: string): string => hash256(Buffer.from(header, 'hex')).reverse().toString('hex');

function headerHex(version: number, parent: string, root: Buffer, time: number, nonce: number): string {
  const header = Buffer.alloc(80);
  header.writeInt32LE(version, 0);
  reversed(parent).copy(header, 4);
  root.copy(header, 36);
  header.writeUInt32LE(time, 68);
  header.writeUInt32LE(BITS, 72);
  header.writeUInt32LE(nonce, 76);
  return header.toString('hex');
}

function merkleRoot(transactions: readonly LedgerTx[]): Buffer {
  let level = transactions.map(({ tx }) => reversed(tx.txid));
  while (level.length > 1) {
    const pairs = level.flatMap((left, at) => (at % 2 === 0 ? [[left, level[at + 1] ?? left]] : []));
    level = pairs.map((pair) => hash256(Buffer.concat(pair)));
  }
  return level[0] ?? Buffer.alloc(32);
}

function countHex(count: number): string {
  if (count < 0xfd) return Buffer.of(count).toString('hex');
  return `fd${Buffer.of(count & 0xff, count >> 8).toString('hex')}`;
}
