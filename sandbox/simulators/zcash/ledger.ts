import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { assert, present } from '../../../src/kernel/assert.ts';
import { type ChainChange, Changes, type Keeping } from '../../keeping.ts';
import { expectUndone } from '../../place.ts';
import {
  type Decoded,
  decodeTransaction,
  encodeTransaction,
  feeFor,
  keysOf,
  provesSpend,
  type SimOutput,
  type SimTx,
} from './transaction.ts';

export const COINBASE_LOCK = 100;

export interface Block {
  readonly height: number;
  readonly hash: string;
  readonly previous: string;
  /** Seconds. */
  readonly time: number;
  readonly txs: readonly Decoded[];
}

/** Something that was paid, in a block. */
export interface Coin extends SimOutput {
  readonly key: string;
  readonly txid: string;
  readonly height: number;
  readonly isCoinbase: boolean;
}

interface KeptBlock {
  readonly hash: string;
  readonly time?: number;
  readonly txs: readonly string[];
}

export interface LedgerState {
  readonly blocks: readonly KeptBlock[];
  readonly pool: readonly string[];
}

export type LedgerChange = ChainChange<KeptBlock>;

export type Rejection =
  | 'malformed'
  | 'expired'
  | 'missing inputs'
  | 'unproven spend'
  | 'fee too low'
  | 'immature coinbase';

/** The one chain of a simulated network, with its pool. */
export class Ledger {
  readonly blocks: Block[] = [];
  readonly pool = new Map<string, Decoded>();
  readonly coins = new Map<string, Coin>();
  /** What was spent, by whom. */
  readonly spent = new Map<string, string>();

  readonly #changes: Changes<LedgerChange>;

  constructor(state?: LedgerState, { changes = [], write }: Keeping<LedgerChange> = {}) {
    for (const block of state?.blocks ?? []) this.#redo({ block });
    this.#redo({ pool: state?.pool ?? [] });
    for (const change of changes) this.#redo(change);
    this.#changes = new Changes(write);
    if (this.blocks.length === 0) this.mine([]);
  }

  get tip(): Block {
    return present(this.blocks.at(-1), 'a chain has a first block');
  }

  find(txid: string): { readonly tx: Decoded; readonly block: Block | undefined } | undefined {
    const pooled = this.pool.get(txid);
    if (pooled) return { tx: pooled, block: undefined };
    const block = this.blocks.findLast(({ txs }) => txs.some((tx) => tx.txid === txid));
    const tx = block?.txs.find((candidate) => candidate.txid === txid);
    return tx && { tx, block };
  }

  isSpentInPool(key: string): boolean {
    return [...this.pool.values()].some(({ tx }) => tx.spends.includes(key));
  }

  /** Anything that contradicts the chain or the pool is not taken. */
  submit(raw: string): { readonly txid: string } | { readonly rejected: Rejection } {
    let candidate: Decoded;
    try {
      candidate = decodeTransaction(raw);
    } catch {
      return { rejected: 'malformed' };
    }
    const { txid, tx } = candidate;
    const isTaken = tx.spends.some((key) => this.isSpentInPool(key));
    const rejected = isTaken ? 'missing inputs' : this.#judge(candidate);
    if (rejected) return { rejected };
    this.#changes.add({ waits: candidate.raw });
    this.pool.set(txid, candidate);
    return { txid };
  }

  #redo(change: LedgerChange): void {
    if ('block' in change) {
      const { hash, time, txs } = change.block;
      this.pool.clear();
      this.#append(hash, txs.map(decodeTransaction), time);
    } else if ('undone' in change) {
      for (let left = change.undone; left > 0; left -= 1) this.#undo(this.tip.txs);
    } else {
      const waiting = 'waits' in change ? [change.waits] : change.pool;
      if ('pool' in change) this.pool.clear();
      for (const tx of waiting.map(decodeTransaction)) this.pool.set(tx.txid, tx);
    }
  }

  #judge({ txid, tx, signatures }: Decoded): Rejection | undefined {
    if (tx.coinbase !== undefined || new Set(tx.spends).size !== tx.spends.length) return 'malformed';
    if (tx.expiry <= this.tip.height) return 'expired';
    const inputs = tx.spends.flatMap((key) => (this.spent.has(key) ? [] : (this.coins.get(key) ?? [])));
    if (inputs.length === 0 || inputs.length !== tx.spends.length) return 'missing inputs';
    const proven = inputs.every(({ to }, at) => {
      const signature = signatures[at];
      return signature !== undefined && provesSpend(txid, to, signature);
    });
    if (!proven) return 'unproven spend';
    const isRaw = (coin: Coin) => coin.pool === 'transparent' && coin.isCoinbase;
    if (inputs.some((coin) => isRaw(coin) && this.tip.height - coin.height < COINBASE_LOCK)) return 'immature coinbase';
    const sum = (outputs: readonly SimOutput[]) => outputs.reduce((total, { zat }) => total + BigInt(zat), 0n);
    const least = feeFor(
      inputs.map(({ pool }) => pool),
      tx.outputs.map(({ pool }) => pool),
    );
    return sum(inputs) - sum(tx.outputs) < least ? 'fee too low' : undefined;
  }

  /** One block with all of the pool that still fits; what has expired leaves the pool. */
  mine(reward: readonly SimOutput[]): Block {
    const coinbase: SimTx = { expiry: 0, coinbase: this.blocks.length, spends: [], outputs: reward };
    const payments = [...this.pool.values()].filter((payment) => !this.#judge(payment));
    this.pool.clear();
    const salt = bytesToHex(randomBytes(8));
    const hash = bytesToHex(sha256(utf8ToBytes(`${this.blocks.at(-1)?.hash}:${salt}`)));
    const block = this.#append(hash, [decodeTransaction(encodeTransaction(coinbase, [])), ...payments]);
    this.#changes.add({ block: keptBlock(block) });
    return block;
  }

  #append(hash: string, txs: readonly Decoded[], time = Math.floor(Date.now() / 1_000)): Block {
    const height = this.blocks.length;
    const block = { height, hash, previous: this.blocks.at(-1)?.hash ?? '0'.repeat(64), time, txs };
    this.blocks.push(block);
    for (const { txid, tx } of txs) {
      for (const key of tx.spends) this.spent.set(key, txid);
      const isCoinbase = tx.coinbase !== undefined;
      for (const [at, key] of keysOf(txid, tx).entries()) {
        this.coins.set(key, { ...present(tx.outputs[at], key), key, txid, height, isCoinbase });
      }
    }
    return block;
  }

  /**
   * Replaces the last blocks by as many others, each with the transactions of the one in its place except those in `drop`: what spends of an
   * earlier block finds it there.
   */
  replace(depth: number, drop: readonly string[]): void {
    assert(depth > 0 && depth < this.blocks.length, `cannot replace ${depth} of ${this.tip.height} blocks`);
    const undone = this.blocks.slice(-depth).map(({ txs }) => txs);
    expectUndone(
      drop,
      undone.flat().map(({ txid }) => txid),
    );
    this.#changes.together(() => {
      const waiting = [...this.pool.values()];
      this.pool.clear();
      for (const txs of undone.toReversed()) this.#undo(txs);
      this.#changes.add({ undone: depth });
      for (const txs of undone) {
        const again = txs.filter(({ txid }) => !drop.includes(txid));
        for (const one of again) if (one.tx.coinbase === undefined) this.pool.set(one.txid, one);
        this.mine(again.find(({ tx }) => tx.coinbase !== undefined)?.tx.outputs ?? []);
      }
      for (const one of waiting) if (!this.#judge(one)) this.pool.set(one.txid, one);
      this.#changes.add({ pool: this.#waiting() });
    });
  }

  #undo(txs: readonly Decoded[]): void {
    this.blocks.pop();
    for (const { txid, tx } of txs) {
      for (const key of tx.spends) this.spent.delete(key);
      for (const key of keysOf(txid, tx)) this.coins.delete(key);
    }
  }

  snapshot(): LedgerState {
    return { blocks: this.blocks.map(keptBlock), pool: this.#waiting() };
  }

  #waiting(): readonly string[] {
    return [...this.pool.values()].map(({ raw }) => raw);
  }
}

const keptBlock = ({ hash, time, txs }: Block): KeptBlock => ({ hash, time, txs: txs.map(({ raw }) => raw) });
