import { randomBytes } from 'node:crypto';
import { assert } from '../../src/kernel/assert.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import { expectUndone } from '../place.ts';
import { EvmResent, type KnownBlock, type KnownTx } from './evm-resent.ts';

export const hexOf = (value: bigint | number): string => `0x${value.toString(16)}`;

/** The hand on a node's blocks. Whatever changes the node goes through its lane, one thing after the other. */
export class EvmBlocks {
  readonly #rpc: Rpc;
  readonly #resent: EvmResent;
  #last: Promise<unknown> = Promise.resolve();
  #rhythm: NodeJS.Timeout | undefined;

  constructor(rpc: Rpc, own: readonly string[]) {
    this.#rpc = rpc;
    this.#resent = new EvmResent(rpc, own);
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

  /**
   * Replaces the last blocks by as many others, each with the transactions of the one in its place except those in `drop`: what stands on an
   * earlier block finds it there. What can be mined no more, because what it stood on was dropped, is left out.
   */
  async replace(depth: number, drop: readonly string[]): Promise<void> {
    const tip = await this.height();
    assert(depth > 0 && depth < tip, `cannot replace ${depth} of ${tip} blocks`);
    const undone: KnownBlock[] = [];
    for (let height = tip - depth + 1; height <= tip; height += 1) {
      undone.push(await this.#resent.inBlock(hexOf(height)));
    }
    expectUndone(
      drop,
      undone.flatMap(({ known }) => known).map(({ tx }) => tx.hash),
    );
    const waiting = await this.#resent.takeWaiting();
    await this.#rpc('anvil_rollback', [depth]);
    const late = await this.#asAnotherMiner(() => this.#mineAgain(undone, drop));
    await this.#resent.send([...late, ...waiting]);
  }

  /** Answers what was refused in all of the blocks. */
  async #mineAgain(undone: readonly KnownBlock[], drop: readonly string[]): Promise<readonly KnownTx[]> {
    let late: readonly KnownTx[] = [];
    for (const { baseFee, known } of undone) {
      await this.#rpc('anvil_setNextBlockBaseFeePerGas', [baseFee]);
      for (const one of known) if (drop.includes(one.tx.hash)) await this.#resent.outdo(one);
      late = await this.#resent.send([...late, ...known.filter(({ tx }) => !drop.includes(tx.hash))]);
      await this.#rpc('anvil_mine', [hexOf(1)]);
    }
    return late;
  }

  /** Mined by the same one in the same second, a block could come out as the very one that was undone. */
  async #asAnotherMiner<T>(work: () => Promise<T>): Promise<T> {
    const usual = await this.#rpc('eth_coinbase');
    await this.#rpc('anvil_setCoinbase', [`0x${randomBytes(20).toString('hex')}`]);
    try {
      return await work();
    } finally {
      await this.#rpc('anvil_setCoinbase', [usual]);
    }
  }
}
