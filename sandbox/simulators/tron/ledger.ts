import { createHash, randomBytes } from 'node:crypto';
import { assert, present } from '../../../src/kernel/assert.ts';
import { type ChainChange, Changes, type Keeping } from '../../keeping.ts';
import { expectUndone } from '../../place.ts';
import { carryOut, type Receipt } from './execution.ts';
import { BUSY, Invalid } from './invalid.ts';
import type { Codes } from './machine.ts';
import { checkSignature } from './permission.ts';
import type { Store, Undo } from './store.ts';
import { readTx, type WireTx } from './wire-tx.ts';

export interface Mined {
  readonly tx: WireTx;
  readonly receipt: Receipt;
}

export interface Block {
  readonly height: number;
  readonly id: string;
  readonly parent: string;
  readonly time: number;
  readonly salt: string;
  readonly mined: readonly Mined[];
  readonly undo: Undo;
}

/** How a network keeps time and agrees; its main network by default. */
export interface Pace {
  /** Milliseconds. */
  readonly now: () => number;
  /** Blocks are at least so many of them apart. */
  readonly slotMs?: number;
  /** This far below the tip, enough producers have built on a block for it to be solidified. */
  readonly solidBelowTip?: number;
}

interface KeptBlock {
  readonly time: number;
  readonly salt: string;
  readonly txs: readonly string[];
}

/** Plain JSON; the rest follows from it. */
export interface LedgerState {
  readonly blocks: readonly KeptBlock[];
  readonly pool: readonly string[];
}

export type TronChange = ChainChange<KeptBlock>;

/** Of the real network: its last four bytes are the number of the chain. */
const GENESIS_ID = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';
const SLOT_MS = 3_000;
/** With each of the 27 producers in its turn, 19 have built on the block this far below the tip, its own among them. */
const SOLID_BELOW_TIP = 18;
const MAX_LIFETIME_MS = 86_400_000;
/** Reference blocks are named by the last two bytes of their height. */
const REF_BLOCKS = 0x1_0000;

/** The one chain of the simulated network, with what waits to be mined. */
export class Ledger {
  readonly blocks: Block[] = [];
  readonly pool = new Map<string, WireTx>();
  /** Accepted, and yet no producer takes them in. */
  readonly withheld = new Set<string>();
  /** How many more times the node says that it is busy. */
  busy = 0;
  readonly #store: Store;
  readonly #codes: Codes;
  readonly #pace: Required<Pace>;
  readonly #places = new Map<string, { readonly block: Block; readonly mined: Mined }>();
  readonly #changes: Changes<TronChange>;

  constructor(
    store: Store,
    codes: Codes,
    pace: Pace,
    state?: LedgerState,
    { changes = [], write }: Keeping<TronChange> = {},
  ) {
    this.#store = store;
    this.#codes = codes;
    this.#pace = { slotMs: SLOT_MS, solidBelowTip: SOLID_BELOW_TIP, ...pace };
    const [genesis, ...rest] = state?.blocks ?? [];
    this.#append(genesis?.time ?? this.#slotAfter(0), '', []);
    for (const block of rest) this.#redo({ block });
    this.#redo({ pool: state?.pool ?? [] });
    for (const change of changes) this.#redo(change);
    this.#changes = new Changes(write);
    // Something is solidified before anyone asks.
    if (!state) this.mine(this.#pace.solidBelowTip + 1);
  }

  get tip(): Block {
    return present(this.blocks.at(-1), 'a chain has a first block');
  }

  get solid(): Block {
    return present(this.blocks[Math.max(0, this.tip.height - this.#pace.solidBelowTip)], 'a solidified block');
  }

  find(id: string): { readonly block: Block; readonly mined: Mined } | undefined {
    return this.#places.get(id);
  }

  /** Takes a transaction into the pool, or throws `Invalid`, checking in the order of the real node. */
  accept(tx: WireTx): void {
    if (this.busy > 0) {
      this.busy -= 1;
      throw new Invalid(BUSY, 'Server busy.');
    }
    if (this.pool.has(tx.id)) throw new Invalid('DUP_TRANSACTION_ERROR', 'Transaction already exists.');
    this.#validate(tx);
    checkSignature(this.#store, tx);
    // It must hold after all that waits before it.
    this.#store.wonder(() => {
      for (const waiting of this.pool.values()) this.#tryOut(waiting);
      carryOut(this.#store, this.#codes, tx, this.tip.time);
    });
    this.#changes.add({ waits: tx.hex });
    this.pool.set(tx.id, tx);
  }

  mine(blocks: number): void {
    for (let left = blocks; left > 0; left -= 1) this.#produce([...this.pool.values()]);
  }

  /** Replaces the last blocks by as many others, with the same transactions except those in `drop`. */
  reorg(depth: number, drop: readonly string[]): void {
    assert(depth > 0 && depth <= this.#pace.solidBelowTip, `cannot replace ${depth} blocks: they are solidified`);
    const undone = this.blocks.slice(-depth).flatMap(({ mined }) => mined.map(({ tx }) => tx));
    expectUndone(
      drop,
      undone.map(({ id }) => id),
    );
    this.#changes.together(() => {
      for (let left = depth; left > 0; left -= 1) this.#pop();
      this.#changes.add({ undone: depth });
      const waiting = [...this.pool.values()];
      this.pool.clear();
      for (const tx of undone) if (!drop.includes(tx.id)) this.pool.set(tx.id, tx);
      this.mine(depth);
      for (const tx of waiting) this.pool.set(tx.id, tx);
      this.#changes.add({ pool: this.#waiting() });
    });
  }

  /** Looks at the numbers as they were after the solidified block. */
  whenSolid<T>(look: () => T): T {
    return this.#store.wonder(() => {
      for (const { undo } of this.blocks.slice(this.solid.height + 1).reverse()) {
        for (const [name, value] of undo) this.#store.set(name, value);
      }
      return look();
    });
  }

  snapshot(): LedgerState {
    return {
      blocks: this.blocks.map(({ time, salt, mined }) => ({ time, salt, txs: mined.map(({ tx }) => tx.hex) })),
      pool: this.#waiting(),
    };
  }

  #redo(change: TronChange): void {
    if ('block' in change) {
      const { time, salt, txs } = change.block;
      const read = txs.map(readTx);
      for (const { id } of read) this.pool.delete(id);
      this.#append(time, salt, read);
    } else if ('undone' in change) {
      for (let left = change.undone; left > 0; left -= 1) this.#pop();
    } else if ('waits' in change) {
      const tx = readTx(change.waits);
      this.pool.set(tx.id, tx);
    } else {
      this.pool.clear();
      for (const tx of change.pool.map(readTx)) this.pool.set(tx.id, tx);
    }
  }

  #validate(tx: WireTx): void {
    const { refBlockBytes, refBlockHash, expiration } = tx;
    const below = (this.tip.height - Number.parseInt(refBlockBytes, 16)) % REF_BLOCKS;
    const named = this.blocks[this.tip.height - ((below + REF_BLOCKS) % REF_BLOCKS)];
    if (named?.id.slice(16, 32) !== refBlockHash) throw new Invalid('TAPOS_ERROR', 'Tapos check error.');
    if (expiration <= this.tip.time || expiration > this.tip.time + MAX_LIFETIME_MS) {
      throw new Invalid('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired');
    }
    if (this.#places.has(tx.id)) throw new Invalid('DUP_TRANSACTION_ERROR', 'Dup transaction.');
  }

  #tryOut(tx: WireTx): boolean {
    try {
      this.#validate(tx);
      carryOut(this.#store, this.#codes, tx, this.tip.time);
      return true;
    } catch (error) {
      if (error instanceof Invalid) return false;
      throw error;
    }
  }

  /** What is valid no more is forgotten without a trace, as it is by real producers. */
  #produce(candidates: readonly WireTx[]): void {
    const ready = candidates.filter(({ id }) => !this.withheld.has(id));
    const good = this.#store.wonder(() => ready.filter((tx) => this.#tryOut(tx)));
    const expired = candidates.filter(({ expiration }) => expiration <= this.tip.time);
    for (const { id } of [...ready, ...expired]) this.pool.delete(id);
    const [time, salt] = [this.#slotAfter(this.tip.time), randomBytes(8).toString('hex')];
    this.#append(time, salt, good);
    this.#changes.together(() => {
      this.#changes.add({ block: { time, salt, txs: good.map(({ hex }) => hex) } });
      if (ready.length > good.length || expired.length > 0) this.#changes.add({ pool: this.#waiting() });
    });
  }

  #waiting(): readonly string[] {
    return [...this.pool.values()].map(({ hex }) => hex);
  }

  #append(time: number, salt: string, txs: readonly WireTx[]): void {
    const { result, undo } = this.#store.attempt(() =>
      txs.map((tx) => ({ tx, receipt: carryOut(this.#store, this.#codes, tx, this.blocks.at(-1)?.time ?? time) })),
    );
    const height = this.blocks.length;
    const parent = this.blocks.at(-1)?.id ?? '0'.repeat(64);
    const id = height === 0 ? GENESIS_ID : blockId(height, [parent, String(time), salt, ...txs.map((tx) => tx.id)]);
    const block = { height, id, parent, time, salt, mined: result, undo };
    this.blocks.push(block);
    for (const mined of result) this.#places.set(mined.tx.id, { block, mined });
  }

  #pop(): void {
    const block = present(this.blocks.pop(), 'a block to replace');
    this.#store.takeBack(block.undo);
    for (const { tx } of block.mined) this.#places.delete(tx.id);
  }

  #slotAfter(time: number): number {
    const { slotMs } = this.#pace;
    const now = this.#pace.now();
    return Math.max(time + slotMs, now - (now % slotMs));
  }
}

/** Eight bytes of height, then the rest of a hash. */
function blockId(height: number, parts: readonly string[]): string {
  const hash = createHash('sha256').update(parts.join('|')).digest('hex');
  return height.toString(16).padStart(16, '0') + hash.slice(16);
}
