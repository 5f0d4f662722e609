import assert from 'node:assert/strict';
import { it } from 'node:test';
import { atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import { REORG_MEMORY_BLOCKS, SCAN_BLOCKS_PER_PAGE } from '../../../kernel/limits.ts';
import type { Tier } from '../chain.ts';
import type { ChainBench, Lack } from './bench.ts';
import { Follower, followFresh } from './follower.ts';

const BLOCKS_AHEAD = 1_000;

export function depositStories(bench: () => ChainBench, lacks: readonly Lack[]): void {
  it('sights a deposit, in the pool where it has one, and then in a block under the same key', async () => {
    const { chain, asset, unit, hasPool, pay, mine } = bench();
    const { follower, address } = await followFresh(chain);
    const paid = await pay(address, unit);
    await follower.catchUp();
    const early = follower.of(paid.txHash);
    assert.equal(early.length, hasPool ? 1 : 0);
    for (const sighting of early) assert.equal(sighting.block, undefined);

    await mine(1);
    const { heads } = await follower.catchUp();
    const { key, block, sender, ...rest } = follower.only(paid.txHash);
    assert.deepEqual(rest, { address, asset: asset.id, atoms: unit, txHash: paid.txHash });
    assert.equal(block?.height, heads.tip);
    assert.ok(sender === undefined || sender === paid.from);
    for (const sighting of early) assert.equal(sighting.key, key);
  });

  it('follows a deposit to the depth it needs and confirms the amount', async () => {
    const { chain, unit, pay, mine } = bench();
    const { follower, address } = await followFresh(chain);
    const { txHash } = await pay(address, unit);
    await mine(1);
    let { heads } = await follower.catchUp();
    const { height } = present(follower.only(txHash).block, 'the block of a mined deposit');
    const depth = (tier: Tier) => chain.depositDepth(height, heads, tier);

    for (const tier of ['small', 'large'] as const) {
      assert.equal(chain.depositDepth(heads.tip + 1, heads, tier).have, 0);
      assert.ok(depth(tier).have > 0);
      await mine(Math.max(0, depth(tier).need - depth(tier).have));
      heads = (await follower.catchUp()).heads;
      assert.ok(depth(tier).have >= depth(tier).need, `${tier} is deep enough once the missing blocks are there`);
    }
    const sighting = follower.only(txHash);
    assert.deepEqual(await chain.standing([sighting]), [{ key: sighting.key, atoms: unit }]);
  });

  it('takes nothing back on the word of a node that has not come to its block', async () => {
    const { chain, unit, pay, mine } = bench();
    const { follower, address } = await followFresh(chain);
    const { txHash } = await pay(address, unit);
    await mine(1);
    const { heads } = await follower.catchUp();
    const sighting = follower.only(txHash);
    const { hash } = present(sighting.block, 'the block of a mined deposit');
    // To the node, a block above its tip is what any block is to a server that lags behind the others.
    const ahead = { ...sighting, block: { height: heads.tip + BLOCKS_AHEAD, hash } };
    await assert.rejects(chain.standing([ahead]), (error) => error instanceof Fault && error.kind === 'transient');
  });

  it('reports nothing that was paid to others', async () => {
    const { chain, unit, pay, mine, freshDestination } = bench();
    const { follower } = await followFresh(chain);
    const { txHash } = await pay(await freshDestination(), unit);
    await mine(1);
    await follower.catchUp();
    assert.deepEqual(follower.of(txHash), []);
  });

  it('tells two deposits to one address apart', async () => {
    const { chain, unit, pay, mine } = bench();
    const { follower, address } = await followFresh(chain);
    const first = await pay(address, unit);
    const second = await pay(address, atoms(unit * 2n));
    await mine(2);
    await follower.catchUp();
    const both = [follower.only(first.txHash), follower.only(second.txHash)];
    assert.notEqual(both[0]?.key, both[1]?.key);
    const credited = new Map((await chain.standing(both)).map((one) => [one.key, one.atoms]));
    assert.deepEqual(
      both.map(({ key }) => credited.get(key)),
      [unit, unit * 2n],
    );
  });

  it('reads bounded pages, and the same page again from the same cursor', async () => {
    const { chain, unit, pay, mine } = bench();
    const { follower, address } = await followFresh(chain);
    const { txHash } = await pay(address, unit);
    await mine(SCAN_BLOCKS_PER_PAGE + 1);
    const from = present(follower.cursor, 'a cursor after the first page');

    const page = await follower.page();
    assert.ok(page.more, 'a page says that more blocks wait');
    assert.ok(page.cursor.height <= from.height + SCAN_BLOCKS_PER_PAGE);
    assert.ok(page.cursor.recent.length <= REORG_MEMORY_BLOCKS);

    const again = new Follower(chain, [address], from);
    assert.deepEqual((await again.page()).sightings, page.sightings);
    assert.equal((await again.catchUp()).more, false);
    assert.equal(again.only(txHash).address, address);
  });

  if (!lacks.includes('restarts')) {
    it('goes on where it was after a restart', async () => {
      const { chain, unit, pay, mine, restart } = bench();
      const { follower, address } = await followFresh(chain);
      const { txHash } = await pay(address, unit);
      await mine(1);
      await present(restart, 'a way to restart')();
      await follower.catchUp();
      assert.equal(follower.only(txHash).atoms, unit);
    });
  }
}
