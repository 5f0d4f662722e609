import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createTx, createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx';
import { type Address, bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { RpcFailure } from '../rpc-server.ts';

export const rulesOf = (chainId: number): Common =>
  createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Prague });

/** A transaction with its sender, who signed it unless the node was told to do without. */
export interface SentTx {
  readonly tx: TypedTransaction;
  readonly hash: string;
  readonly from: string;
  readonly raw: string;
  readonly isPretended: boolean;
}

/** Offered for a unit of gas, at most and beside the base fee. */
export function offerOf({ tx }: SentTx): { readonly max: bigint; readonly tip: bigint } {
  if ('maxFeePerGas' in tx) return { max: tx.maxFeePerGas, tip: tx.maxPriorityFeePerGas };
  const { gasPrice } = tx as { readonly gasPrice: bigint };
  return { max: gasPrice, tip: gasPrice };
}

export function paidPerGas(sent: SentTx, baseFee: bigint): bigint {
  const { max, tip } = offerOf(sent);
  return baseFee + tip < max ? baseFee + tip : max;
}

/** What the sender must hold for it to be taken at all. */
export const costOf = (sent: SentTx): bigint => sent.tx.value + sent.tx.gasLimit * offerOf(sent).max;

/** Signed by whom it says; where that is known, it is not reckoned again. */
export function readSigned(raw: string, common: Common, known?: string): SentTx {
  try {
    const tx = createTxFromRLP(hexToBytes(raw as `0x${string}`), { common, freeze: false }) as TypedTransaction;
    if (!tx.isSigned()) throw new Error('no signature');
    const from = known ?? tx.getSenderAddress().toString();
    return { ...posing(tx, from), hash: bytesToHex(tx.hash()), raw, isPretended: false };
  } catch {
    throw new RpcFailure(-32602, 'Failed to decode transaction');
  }
}

export type TxFields = Readonly<Record<string, unknown>>;

export function signedBy(fields: TxFields, from: string, key: Uint8Array, common: Common): SentTx {
  const tx = createTx(fields, { common, freeze: false }).sign(key) as TypedTransaction;
  return readSigned(bytesToHex(tx.serialize()), common, from);
}

/** Nobody signed it: its sender is part of what names it. */
export function pretendedBy(fields: TxFields, from: string, common: Common): SentTx {
  const tx = createTx({ ...fields, v: 0n, r: 0n, s: 0n }, { common, freeze: false }) as TypedTransaction;
  const bytes = tx.serialize();
  const hash = bytesToHex(keccak_256(Buffer.concat([bytes, hexToBytes(from as `0x${string}`)])));
  return { ...posing(tx, from), hash, raw: bytesToHex(bytes), isPretended: true };
}

export function readPretended(raw: string, from: string, common: Common): SentTx {
  const tx = createTxFromRLP(hexToBytes(raw as `0x${string}`), { common, freeze: false }) as TypedTransaction;
  const hash = bytesToHex(keccak_256(Buffer.concat([tx.serialize(), hexToBytes(from as `0x${string}`)])));
  return { ...posing(tx, from), hash, raw, isPretended: true };
}

/** For calls that nobody sends. */
export function unsent(fields: TxFields, from: string, common: Common): TypedTransaction {
  return posing(createTx(fields, { common, freeze: false }) as TypedTransaction, from).tx;
}

/** The machine asks a transaction for its sender again and again, and reckons it each time. */
function posing(tx: TypedTransaction, from: string): { readonly tx: TypedTransaction; readonly from: string } {
  const sender: Address = createAddressFromString(from);
  tx.getSenderAddress = () => sender;
  return { tx, from };
}
