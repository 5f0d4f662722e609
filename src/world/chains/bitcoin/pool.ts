import type { Sighting, Watched } from '../chain.ts';
import type { BitcoinNode, FoundTx } from './node.ts';
import { type Candidate, candidatesIn, sightingsOf, type Watch } from './sightings.ts';

/** A list of more would not fit into a reply; deposits are then seen when they are mined. */
const MAX_LISTED = 200_000;
/** Transactions read in one look; a pool that we have never seen is read over many. */
const READ_PER_LOOK = 500;
const READ_AT_ONCE = 8;

/**
 * Deposits that wait in the pool. Each transaction is read once; what is remembered is which of them are ours, and losing
 * it costs only the reading.
 */
export class PoolWatch {
  readonly #node: BitcoinNode;
  readonly #watch: Watch;
  #read = new Map<string, readonly Sighting[]>();

  constructor(watch: Watch) {
    this.#node = watch.node;
    this.#watch = watch;
  }

  async look(watched: Watched): Promise<readonly Sighting[]> {
    const waiting = await this.#waiting();
    const kept = [...this.#read].filter(([txid]) => waiting.has(txid));
    const fresh = [...waiting].filter((txid) => !this.#read.has(txid)).slice(0, READ_PER_LOOK);
    this.#read = new Map([...kept, ...(await this.#readAll(fresh, watched))]);
    return [...this.#read.values()].flat();
  }

  async #waiting(): Promise<ReadonlySet<string>> {
    if ((await this.#node.poolSize()) <= MAX_LISTED) return new Set(await this.#node.pool());
    const known = [...this.#read].filter(([, sightings]) => sightings.length > 0).map(([txid]) => txid);
    const waiting = new Set<string>();
    for await (const { tx, blockHash } of this.#found(known)) if (!blockHash) waiting.add(tx.txid);
    return waiting;
  }

  /** Anybody can have thousands asked for: a few are under way at a time. */
  async *#found(txids: readonly string[]): AsyncGenerator<FoundTx> {
    for (let start = 0; start < txids.length; start += READ_AT_ONCE) {
      const some = txids.slice(start, start + READ_AT_ONCE);
      for (const found of await Promise.all(some.map((txid) => this.#node.transaction(txid)))) if (found) yield found;
    }
  }

  async #readAll(txids: readonly string[], watched: Watched): Promise<ReadonlyMap<string, readonly Sighting[]>> {
    const read = new Map<string, readonly Sighting[]>();
    const candidates: Candidate[] = [];
    for await (const { tx, blockHash } of this.#found(txids)) {
      // Mined or replaced since it was listed: blocks tell of the first, and the second is none of ours.
      if (blockHash) continue;
      read.set(tx.txid, []);
      candidates.push(...candidatesIn(this.#watch.network, tx, undefined));
    }
    const { sightings } = await sightingsOf(this.#watch, candidates, watched);
    for (const sighting of sightings) {
      read.set(sighting.txHash, [...(read.get(sighting.txHash) ?? []), sighting]);
    }
    return read;
  }
}
