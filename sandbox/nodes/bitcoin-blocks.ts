import { setTimeout as pause } from 'node:timers/promises';
import { assert } from '../../src/kernel/assert.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import { expectUndone, type Received } from '../place.ts';
import { atomsOf, type BitcoinWallet } from './bitcoin-wallet.ts';
import { isTaken } from './is-taken.ts';

/** A transaction that the node had, in a block or waiting for one. */
interface KnownTx {
  readonly txid: string;
  readonly raw: string;
}

/** What is done to a node beside its protocol. */
interface NodeHand {
  emptyPool(): Promise<void>;
  keep(): Promise<void>;
}

/** The hand on a node's blocks. Whatever changes the node goes through its lane, one thing after the other. */
export class BitcoinBlocks {
  readonly #rpc: Rpc;
  /** Whose payments can be undone for good, and an address for what miners get, another one each time. */
  readonly #customer: BitcoinWallet;
  readonly #freshMiner: () => string;
  readonly #node: NodeHand;
  #miner: string;
  #last: Promise<unknown> = Promise.resolve();
  #rhythm = new AbortController();

  constructor(rpc: Rpc, customer: BitcoinWallet, freshMiner: () => string, node: NodeHand) {
    this.#rpc = rpc;
    this.#node = node;
    this.#customer = customer;
    this.#freshMiner = freshMiner;
    this.#miner = freshMiner();
  }

  lane<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** What it comes to is on the node's disk before anybody hears of it: a node that is killed has it all the same. */
  change<T>(work: () => Promise<T>): Promise<T> {
    return this.lane(async () => {
      const done = await work();
      await this.#node.keep();
      return done;
    });
  }

  async mine(blocks: number, to: string = this.#miner): Promise<void> {
    await this.change(() => this.#rpc('generatetoaddress', [blocks, to]));
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
   * Replaces the last blocks by as many others, each with the transactions of the one in its place except those in `drop`. In the place of a
   * dropped payment of the customer waits a rival; anybody else's may be sent again by whoever made it.
   */
  async replace(depth: number, drop: readonly string[]): Promise<void> {
    const tip = await this.height();
    assert(depth > 0 && depth < tip, `cannot replace ${depth} of ${tip} blocks`);
    const undone: (readonly KnownTx[])[] = [];
    for (let height = tip - depth + 1; height <= tip; height += 1) undone.push(await this.#paymentsAt(height));
    expectUndone(
      drop,
      undone.flat().map(({ txid }) => txid),
    );
    const isDropped = ({ txid }: KnownTx) => drop.includes(txid);
    const waiting = await this.#waiting();
    await this.#rpc('invalidateblock', [await this.#hashAt(tip - depth + 1)]);
    // Deep below the tip the node forgets what it undoes, and what it remembers it would mine again, dropped or not.
    await this.#node.emptyPool();
    // Paid to the same miner, an empty block could come out as the very one that was just declared invalid.
    this.#miner = this.#freshMiner();
    for (const block of undone) {
      const taken = await this.#send(block.filter((one) => !isDropped(one)));
      await this.#rpc('generateblock', [this.#miner, taken]);
    }
    for (const { raw } of undone.flat().filter(isDropped)) await isTaken(() => this.#customer.outdo(raw));
    await this.#send(waiting);
  }

  async #paymentsAt(height: number): Promise<readonly KnownTx[]> {
    const block = await this.#hashAt(height);
    const { tx } = (await this.#rpc('getblock', [block, 1])) as { tx: string[] };
    const known: KnownTx[] = [];
    for (const txid of tx.slice(1)) {
      known.push({ txid, raw: (await this.#rpc('getrawtransaction', [txid, false, block])) as string });
    }
    return known;
  }

  async #waiting(): Promise<readonly KnownTx[]> {
    const known: KnownTx[] = [];
    for (const txid of (await this.#rpc('getrawmempool')) as string[]) {
      known.push({ txid, raw: (await this.#rpc('getrawtransaction', [txid])) as string });
    }
    return known;
  }

  /** Answers those that the node took, what others stand on first. A pool tells its transactions in any order. */
  async #send(known: readonly KnownTx[]): Promise<readonly string[]> {
    const taken: string[] = [];
    let left = known;
    for (let before = -1; taken.length > before; ) {
      before = taken.length;
      const refused: KnownTx[] = [];
      for (const one of left) {
        if (await isTaken(() => this.#rpc('sendrawtransaction', [one.raw]))) taken.push(one.txid);
        else refused.push(one);
      }
      left = refused;
    }
    return taken;
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
