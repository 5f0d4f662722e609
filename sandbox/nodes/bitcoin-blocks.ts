import { setTimeout as pause } from 'node:timers/promises';
import { assert } from '../../src/kernel/assert.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import type { Received } from '../place.ts';
import { atomsOf, type BitcoinWallet } from './bitcoin-wallet.ts';

/** The hand on a node's blocks. Whatever changes the node goes through its lane, one thing after the other. */
export class BitcoinBlocks {
  readonly #rpc: Rpc;
  /** Whose payments can be undone for good, and an address for what miners get, another one each time. */
  readonly #customer: BitcoinWallet;
  readonly #freshMiner: () => string;
  #miner: string;
  #last: Promise<unknown> = Promise.resolve();
  #rhythm = new AbortController();

  constructor(rpc: Rpc, customer: BitcoinWallet, freshMiner: () => string) {
    this.#rpc = rpc;
    this.#customer = customer;
    this.#freshMiner = freshMiner;
    this.#miner = freshMiner();
  }

  lane<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async mine(blocks: number, to: string = this.#miner): Promise<void> {
    await this.lane(() => this.#rpc('generatetoaddress', [blocks, to]));
  }

  async height(): Promise<number> {
    return (await this.#rpc('getblockcount')) as number;
  }

  /** A block every so many milliseconds; 0: none by itself. */
  setRhythm(intervalMs: number): void {
    this.#rhythm.abort();
    this.#rhythm = new AbortController();
    if (intervalMs > 0) void this.#beat(intervalMs, this.#rhythm.signal);
  }

  async #beat(intervalMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      // A block that fails (a node that is being stopped) is only late: the next beat tries again.
      if (!signal.aborted) await this.mine(1).catch(() => undefined);
    }
  }

  /**
   * Replaces the last blocks by as many others, with the same transactions except those in `drop`. A dropped payment of the
   * customer is gone for good, because a rival takes its place; anybody else's waits in the pool again.
   */
  async replace(depth: number, drop: readonly string[]): Promise<void> {
    const tip = await this.height();
    assert(depth > 0 && depth < tip, `cannot replace ${depth} of ${tip} blocks`);
    const undone: string[] = [];
    for (let height = tip - depth + 1; height <= tip; height += 1) {
      const { tx } = (await this.#rpc('getblock', [await this.#hashAt(height), 1])) as { tx: string[] };
      undone.push(...tx.slice(1));
    }
    await this.#rpc('invalidateblock', [await this.#hashAt(tip - depth + 1)]);
    for (const txid of drop) await this.#customer.outdo(txid);
    const waiting = new Set((await this.#rpc('getrawmempool')) as string[]);
    const kept = undone.filter((txid) => waiting.has(txid) && !drop.includes(txid));
    // Paid to the same miner, an empty block could come out as the very one that was just declared invalid.
    this.#miner = this.#freshMiner();
    for (let left = depth; left > 0; left -= 1) {
      await this.#rpc('generateblock', [this.#miner, left === depth ? kept : []]);
    }
  }

  async #hashAt(height: number): Promise<string> {
    return (await this.#rpc('getblockhash', [height])) as string;
  }
}

interface WireBlock {
  readonly hash: string;
  readonly tx: readonly {
    readonly txid: string;
    readonly vout: readonly {
      readonly value: number;
      readonly scriptPubKey: { readonly address?: string; readonly addresses?: readonly string[] };
    }[];
  }[];
}

type Transfer = Received['transfers'][number];

const BLOCKS_AT_ONCE = 8;

/** What addresses received, by the node's own reading of its blocks; each is read once. */
export class BitcoinReceived {
  readonly #rpc: Rpc;
  readonly #found = new Map<string, Transfer[]>();
  #next = 1;

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  async by(address: string): Promise<Received> {
    const tip = (await this.#rpc('getblockcount')) as number;
    while (this.#next <= tip) {
      const count = Math.min(BLOCKS_AT_ONCE, tip - this.#next + 1);
      const heights = Array.from({ length: count }, (_, at) => this.#next + at);
      for (const payments of await Promise.all(heights.map((height) => this.#paymentsIn(height)))) {
        for (const { to, ...transfer } of payments) this.#note(to, transfer);
      }
      this.#next += count;
    }
    const transfers = this.#found.get(address) ?? [];
    return { total: transfers.reduce((sum, { amount }) => sum + amount, 0n), transfers };
  }

  #note(to: string, transfer: Transfer): void {
    const known = this.#found.get(to);
    if (known) known.push(transfer);
    else this.#found.set(to, [transfer]);
  }

  /** The blocks above are about to be replaced. */
  forgetAbove(height: number): void {
    for (const [to, transfers] of this.#found) {
      this.#found.set(
        to,
        transfers.filter((one) => one.height <= height),
      );
    }
    this.#next = Math.min(this.#next, height + 1);
  }

  async #paymentsIn(height: number): Promise<readonly (Transfer & { readonly to: string })[]> {
    const block = (await this.#rpc('getblock', [await this.#rpc('getblockhash', [height]), 2])) as WireBlock;
    return block.tx.flatMap(({ txid, vout }) =>
      vout.flatMap(({ value, scriptPubKey: { address, addresses } }) => {
        const to = address ?? addresses?.[0];
        return to === undefined ? [] : [{ txHash: txid, amount: atomsOf(value), height, to }];
      }),
    );
  }
}
