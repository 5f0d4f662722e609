import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createTx, createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx';
import { bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { RpcFailure } from '../rpc-server.ts';

/**
 * The rules of the network. The packages copy them for every block and transaction and merge their own parameters in anew, which is most of
 * the time that an empty block takes: here all share one, and `settle` ends the merging when each package has had its turn.
 */
export function rulesOf(chainId: number): { readonly common: Common; settle(): void } {
  const common = createCustomCommon({ chainId }, Mainnet, { hardfork: Hardfork.Prague });
  common.copy = () => common;
  const settle = () => {
    createTx({ type: 2 }, { common });
    common.updateParams = () => undefined;
  };
  return { common, settle };
}

/** A transaction with its sender, who signed it unless the node was told to do without. */
export class SentTx {
  readonly hash: string;
  readonly from: string;
  readonly raw: string;
  readonly isPretended: boolean;
  #tx: TypedTransaction | undefined;

  constructor(tx: TypedTransaction, from: string, isPretended: boolean) {
    this.#tx = posing(tx, from);
    this.from = from;
    this.isPretended = isPretended;
    const bytes = tx.serialize();
    this.raw = bytesToHex(bytes);
    // Nobody signed it: then its sender is part of what names it.
    this.hash = bytesToHex(isPretended ? keccak_256(Buffer.concat([bytes, hexToBytes(from as Hex)])) : tx.hash());
  }

  /** Read again where it was put away. */
  readAs(common: Common): TypedTransaction {
    return this.#tx ?? posing(readRaw(this.raw, common), this.from);
  }

  /** It takes many times the room of its bytes, and of those that are mined there are ever more. */
  putAway(): void {
    this.#tx = undefined;
  }
}
type Hex = `0x${string}`;

/** Offered for a unit of gas, at most and beside the base fee. */
export function offerOf(tx: TypedTransaction): { readonly max: bigint; readonly tip: bigint } {
  if ('maxFeePerGas' in tx) return { max: tx.maxFeePerGas, tip: tx.maxPriorityFeePerGas };
  const { gasPrice } = tx as { readonly gasPrice: bigint };
  return { max: gasPrice, tip: gasPrice };
}

export function paidPerGas(tx: TypedTransaction, baseFee: bigint): bigint {
  const { max, tip } = offerOf(tx);
  return baseFee + tip < max ? baseFee + tip : max;
}

/** What the sender must hold for it to be taken at all. */
export const costOf = (tx: TypedTransaction): bigint => tx.value + tx.gasLimit * offerOf(tx).max;

export function readSigned(raw: string, common: Common): SentTx {
  try {
    const tx = readRaw(raw, common);
    if (!tx.isSigned()) throw new Error('no signature');
    return new SentTx(tx, tx.getSenderAddress().toString(), false);
  } catch {
    throw new RpcFailure(-32602, 'Failed to decode transaction');
  }
}

/** What was found before is not reckoned again. */
export const readKnown = (raw: string, from: string, isPretended: boolean, common: Common): SentTx =>
  new SentTx(readRaw(raw, common), from, isPretended);

export type TxFields = Readonly<Record<string, unknown>>;

const made = (fields: TxFields, common: Common): TypedTransaction =>
  createTx(fields, { common, freeze: false }) as TypedTransaction;

export const signedBy = (fields: TxFields, from: string, key: Uint8Array, common: Common): SentTx =>
  readKnown(bytesToHex(made(fields, common).sign(key).serialize()), from, false, common);

export const pretendedBy = (fields: TxFields, from: string, common: Common): SentTx =>
  new SentTx(made({ ...fields, v: 0n, r: 0n, s: 0n }, common), from, true);

/** For calls that nobody sends. */
export const unsent = (fields: TxFields, from: string, common: Common): TypedTransaction =>
  posing(made(fields, common), from);

const readRaw = (raw: string, common: Common): TypedTransaction =>
  createTxFromRLP(hexToBytes(raw as Hex), { common, freeze: false }) as TypedTransaction;

/** The machine asks a transaction for its sender again and again, and reckons it each time. */
function posing(tx: TypedTransaction, from: string): TypedTransaction {
  const sender = createAddressFromString(from);
  tx.getSenderAddress = () => sender;
  return tx;
}
