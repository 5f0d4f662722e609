import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../src/kernel/fault.ts';
import { REORG_MEMORY_BLOCKS } from '../../src/kernel/limits.ts';
import type { ScanCursor } from '../../src/world/chains/chain.ts';
import { follow, mustStillStand, type ReadBlock } from '../../src/world/chains/following.ts';

const PER_PAGE = 10;

/** A chain of as many blocks as names; forks share what stands before the fork. */
class FakeChain {
  readonly at = 'chain:test';
  names: string[] = [];
  asked = 0;

  grow(blocks: number, branch: string): void {
    const from = this.names.length;
    this.names.push(...Array.from({ length: blocks }, (_, i) => `${branch}${from + i}`));
  }

  reorganise(depth: number, branch: string): void {
    this.names.length -= depth;
    this.grow(depth, branch);
  }

  get tip(): number {
    return this.names.length - 1;
  }

  async hashAt(height: number): Promise<string | undefined> {
    this.asked += 1;
    return this.names[height];
  }

  read(first: number, last: number): readonly ReadBlock[] {
    return this.names.flatMap((hash, height) => {
      const parentHash = this.names[height - 1];
      return height < first || height > last ? [] : [{ height, hash, ...(parentHash ? { parentHash } : {}) }];
    });
  }

  async page(cursor: ScanCursor | undefined) {
    const { first, last, after } = await follow(this, this.tip, cursor, PER_PAGE);
    return after(this.read(first, last));
  }

  async caughtUp(cursor: ScanCursor | undefined): Promise<ScanCursor> {
    const page = await this.page(cursor);
    return page.more ? this.caughtUp(page.cursor) : page.cursor;
  }
}

function chainOf(blocks: number): FakeChain {
  const chain = new FakeChain();
  chain.grow(blocks, 'a');
  return chain;
}

describe('Following a chain', () => {
  it('begins at the tip, or above the height that it is given, and reads bounded pages', async () => {
    const chain = chainOf(301);
    const start = await chain.page(undefined);
    assert.deepEqual([start.cursor.height, start.more, start.rewoundTo], [300, false, undefined]);

    const page = await chain.page({ height: 270, recent: [] });
    assert.deepEqual([page.cursor.height, page.more, page.rewoundTo], [280, true, undefined]);
    assert.equal((await chain.caughtUp(page.cursor)).height, 300);
  });

  it('finds the common ancestor by few questions, and rewinds no further', async () => {
    const chain = chainOf(1);
    let cursor = await chain.caughtUp(undefined);
    chain.grow(400, 'a');
    cursor = await chain.caughtUp(cursor);
    assert.ok(cursor.recent.length <= REORG_MEMORY_BLOCKS);
    for (const depth of [1, 2, 3, 50, REORG_MEMORY_BLOCKS - 1]) {
      const before = chain.tip;
      chain.reorganise(depth, `after ${depth}: `);
      chain.asked = 0;
      const page = await chain.page(cursor);
      assert.equal(page.rewoundTo, before - depth, `${depth} deep`);
      assert.ok(chain.asked <= 9, `${chain.asked} questions`);
      cursor = await chain.caughtUp(page.cursor);
      assert.deepEqual(
        cursor.recent.map(({ hash }) => hash),
        chain.names.slice(-cursor.recent.length),
      );
    }
  });

  it('survives a reorganisation right after it began', async () => {
    const chain = chainOf(200);
    const { cursor } = await chain.page(undefined);
    chain.reorganise(5, 'b');
    const { rewoundTo } = await chain.page(cursor);
    assert.ok(rewoundTo !== undefined && rewoundTo <= 194 && rewoundTo > 180, `rewound to ${rewoundTo}`);
  });

  it('takes a node that is behind for late, one that forgot everything for wrong, and a break for a moving chain', async () => {
    const chain = chainOf(300);
    const cursor = await chain.caughtUp(await chain.caughtUp(undefined));
    const isFault = (kind: Fault['kind']) => (error: unknown) => error instanceof Fault && error.kind === kind;
    await assert.rejects(follow(chain, cursor.height - 1, cursor, PER_PAGE), isFault('transient'));
    const stranger = new FakeChain();
    stranger.grow(301, 'z');
    await assert.rejects(stranger.page(cursor), isFault('permanent'));

    chain.grow(2, 'a');
    const { after } = await follow(chain, chain.tip, cursor, PER_PAGE);
    assert.throws(() => after([{ height: 300, hash: 'x', parentHash: 'elsewhere' }]), isFault('transient'));
    await mustStillStand(chain, { height: 299, hash: 'a299' });
    await assert.rejects(mustStillStand(chain, { height: 299, hash: 'b299' }), isFault('transient'));
  });
});
