import assert from 'node:assert/strict';
import { present } from '../../../kernel/assert.ts';
import type { Address, TxHash } from '../../../kernel/ids.ts';
import type { Chain, ScanCursor, ScanPage, Sighting } from '../chain.ts';

/** Follows a chain as the engine does: rewinds, then takes what the page names. */
export class Follower {
  readonly #chain: Chain;
  readonly #mine = new Set<Address>();
  readonly sightings = new Map<string, Sighting>();
  cursor: ScanCursor | undefined;
  rewoundTo: number | undefined;

  constructor(chain: Chain, addresses: readonly Address[], cursor?: ScanCursor) {
    this.#chain = chain;
    this.cursor = cursor;
    for (const address of addresses) this.#mine.add(address);
  }

  async page(): Promise<ScanPage> {
    const watched = async (candidates: readonly Address[]) => this.#ours(candidates);
    const page = await this.#chain.scan(this.cursor, watched, async () => [...this.#mine]);
    this.#apply(page);
    return page;
  }

  /** To the tip. */
  async catchUp(): Promise<ScanPage> {
    this.rewoundTo = undefined;
    for (;;) {
      const page = await this.page();
      if (!page.more) return page;
    }
  }

  of(hash: TxHash): Sighting[] {
    return [...this.sightings.values()].filter((sighting) => sighting.txHash === hash);
  }

  only(hash: TxHash): Sighting {
    const found = this.of(hash);
    assert.equal(found.length, 1, `${found.length} sightings of ${hash}`);
    return present(found[0], hash);
  }

  #ours(candidates: readonly Address[]): ReadonlySet<Address> {
    return new Set(candidates.filter((candidate) => this.#mine.has(candidate)));
  }

  #apply(page: ScanPage): void {
    const { rewoundTo } = page;
    if (rewoundTo !== undefined) this.rewoundTo = Math.min(rewoundTo, this.rewoundTo ?? rewoundTo);
    const pool = page.pool && new Set(page.pool);
    for (const [key, sighting] of this.sightings) {
      const { block } = sighting;
      const isRewound = block !== undefined && rewoundTo !== undefined && block.height > rewoundTo;
      if (isRewound && !pool) this.sightings.set(key, { ...sighting, block: undefined });
      else if (isRewound || (!block && pool && !pool.has(key))) this.sightings.delete(key);
    }
    for (const sighting of page.sightings) this.sightings.set(sighting.key, sighting);
    this.cursor = page.cursor;
  }
}

/** Each story has its own deposit address: what one leaves behind cannot help or harm another. */
const used = new WeakMap<Chain, number>();

/** A fresh deposit address, and a follower that stands at the tip and watches it. */
export async function followFresh(chain: Chain): Promise<{ follower: Follower; address: Address }> {
  const index = used.get(chain) ?? 0;
  used.set(chain, index + 1);
  const [first] = await chain.depositAddresses(index, 1);
  const address = present(first, `deposit address ${index}`);
  const follower = new Follower(chain, [address]);
  await follower.catchUp();
  return { follower, address };
}
