import { assert } from '../../src/kernel/assert.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';

interface WireTx {
  readonly hash: string;
  readonly from: string;
  readonly nonce: string;
}

export const hexOf = (value: bigint | number): string => `0x${value.toString(16)}`;

/** The hand on a node's blocks. Whatever changes the node goes through its lane, one thing after the other. */
export class EvmBlocks {
  readonly #rpc: Rpc;
  /** Accounts that the node itself signs for. */
  readonly #own: ReadonlySet<string>;
  #last: Promise<unknown> = Promise.resolve();
  #rhythm: NodeJS.Timeout | undefined;

  constructor(rpc: Rpc, own: readonly string[]) {
    this.#rpc = rpc;
    this.#own = new Set(own);
  }

  lane<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async mine(blocks: number): Promise<void> {
    await this.lane(() => this.#rpc('anvil_mine', [hexOf(blocks)]));
  }

  get hasRhythm(): boolean {
    return this.#rhythm !== undefined;
  }

  /** A block every so many milliseconds; 0: none by itself. Anvil's own interval knows whole seconds only. */
  setRhythm(intervalMs: number): void {
    clearInterval(this.#rhythm);
    this.#rhythm = undefined;
    if (intervalMs <= 0) return;
    let isMining = false;
    const tick = async () => {
      if (isMining) return;
      isMining = true;
      // A block that fails (a node that is slow, hangs or is being started again) is only late: the next beat tries again.
      await this.mine(1).catch(() => undefined);
      isMining = false;
    };
    this.#rhythm = setInterval(tick, intervalMs).unref();
  }

  async height(): Promise<number> {
    return Number(await this.#rpc('eth_blockNumber'));
  }

  /** Replaces the last blocks by as many others, with the same transactions except those in `drop`. */
  async replace(depth: number, drop: readonly string[]): Promise<void> {
    const tip = await this.height();
    assert(depth > 0 && depth < tip, `cannot replace ${depth} of ${tip} blocks`);
    const undone: { readonly tx: WireTx; readonly raw: unknown }[] = [];
    for (let height = tip - depth + 1; height <= tip; height += 1) {
      const block = (await this.#rpc('eth_getBlockByNumber', [hexOf(height), true])) as { transactions: WireTx[] };
      for (const tx of block.transactions) {
        undone.push({ tx, raw: await this.#rpc('eth_getRawTransactionByHash', [tx.hash]) });
      }
    }
    await this.#rpc('anvil_rollback', [depth]);
    for (const { tx, raw } of undone) {
      if (drop.includes(tx.hash)) await this.#outdo(tx);
      else await this.#rpc('eth_sendRawTransaction', [raw]);
    }
    await this.#rpc('anvil_mine', [hexOf(depth)]);
  }

  /** A rival takes the nonce of a dropped payment of ours, so that what was paid after it can still be mined. */
  async #outdo({ from, nonce }: WireTx): Promise<void> {
    if (this.#own.has(from)) await this.#rpc('eth_sendTransaction', [{ from, to: from, nonce }]);
  }
}
