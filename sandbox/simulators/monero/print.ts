import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import { ByteReader } from '../../../src/kernel/byte-reader.ts';
import type { TxOutput } from '../../../src/world/chains/monero/tx-codec.ts';
import type { Block, LedgerTx } from './ledger.ts';
import { varint } from './transaction.ts';

/** Transactions and blocks as monerod decodes them: https://docs.getmonero.org/rpc-library/monerod-rpc/#get_transactions */

export const HARD_FORK = 16;
const KEY_BYTES = 32;
const COINBASE_INPUT = 0xff;
const TAGGED_KEY = 3;

/** All but the proofs, which are not the real ones here. */
function decoded({ hex, tx }: LedgerTx, height: number | undefined): object {
  const hidden = {
    type: 6,
    txnFee: Number(tx.fee),
    ecdhInfo: tx.outputs.map(({ hiddenAtoms }) => ({ amount: bytesToHex(hiddenAtoms) })),
    outPk: tx.outputs.map(({ commitment }) => bytesToHex(commitment)),
  };
  return {
    ...{ version: 2, unlock_time: Number(tx.unlockTime) },
    vin: tx.coinbase ? [{ gen: { height } }] : tx.keyImages.map((k_image, at) => input(k_image, tx.rings[at] ?? [])),
    vout: tx.outputs.map((output) => ({ amount: Number(output.clearAtoms), target: target(output) })),
    extra: extraIn(hex),
    rct_signatures: tx.coinbase ? { type: 0 } : hidden,
  };
}

/** Each member of a ring is told as its distance from the one before it. */
function input(k_image: string, ring: readonly bigint[]): object {
  const key_offsets = ring.map((position, at) => Number(position - (ring[at - 1] ?? 0n)));
  return { key: { amount: 0, key_offsets, k_image } };
}

function target({ key, viewTag }: TxOutput): object {
  const name = bytesToHex(key);
  if (viewTag === undefined) return { key: name };
  return { tagged_key: { key: name, view_tag: viewTag.toString(16).padStart(2, '0') } };
}

/** Whatever the sender wrote, byte by byte. */
function extraIn(hex: string): readonly number[] {
  const reader = new ByteReader(hexToBytes(hex));
  const many = <T>(item: () => T): T[] => reader.list(reader.varint(), item);
  for (const _ of ['version', 'unlock time']) reader.varint();
  many(() => {
    const isCoinbase = reader.byte() === COINBASE_INPUT;
    reader.varint();
    if (isCoinbase) return;
    many(() => reader.varint());
    reader.take(KEY_BYTES);
  });
  many(() => {
    reader.varint();
    reader.take(reader.byte() === TAGGED_KEY ? KEY_BYTES + 1 : KEY_BYTES);
  });
  return many(() => reader.byte());
}

const asText = (value: object): string => JSON.stringify(value, undefined, 2);

/** `height` is that of its block; a miner's transaction names it. */
export const txAsJson = (tx: LedgerTx, height?: number): string => asText(decoded(tx, height));

export function blockAsJson({ height, previous, timestamp, coinbase, payments }: Block): string {
  return asText({
    ...{ major_version: HARD_FORK, minor_version: HARD_FORK, timestamp, prev_id: previous, nonce: 0 },
    miner_tx: decoded(coinbase, height),
    tx_hashes: payments.map(({ hash }) => hash),
  });
}

export function blockBytes({ previous, timestamp, coinbase, payments }: Block): string {
  const head = [varint(HARD_FORK), varint(HARD_FORK), varint(timestamp), hexToBytes(previous), new Uint8Array(4)];
  const hashes = payments.map(({ hash }) => hexToBytes(hash));
  return bytesToHex(concatBytes(...head, hexToBytes(coinbase.hex), varint(payments.length), ...hashes));
}
