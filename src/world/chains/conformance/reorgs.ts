import assert from 'node:assert/strict';
import { it } from 'node:test';
import { present } from '../../../kernel/assert.ts';
import type { TxHash } from '../../../kernel/ids.ts';
import type { ChainBench } from './bench.ts';
import { followFresh } from './follower.ts';

export function reorgStories(bench: () => ChainBench): void {
  it('takes back a deposit that a reorganisation dropped', async () => {
    const { chain, unit, pay, mine, reorg } = bench();
    const { follower, address } = await followFresh(chain);
    const { txHash } = await pay(address, unit);
    await mine(2);
    await follower.catchUp();
    const sighting = follower.only(txHash);
    const { height } = present(sighting.block, 'the block of a mined deposit');

    await reorg(2, [txHash]);
    await follower.catchUp();
    assert.ok(present(follower.rewoundTo, 'a rewind') < height);
    assert.deepEqual(follower.of(txHash), []);
    assert.deepEqual(await chain.standing([sighting]), []);
  });

  it('sights a deposit again, under its old key, that a reorganisation moved to another block', async () => {
    const { chain, unit, pay, mine, reorg } = bench();
    const { follower, address } = await followFresh(chain);
    const { txHash } = await pay(address, unit);
    await mine(2);
    await follower.catchUp();
    const before = follower.only(txHash);

    await reorg(2);
    await mine(1);
    await follower.catchUp();
    const now = follower.only(txHash);
    assert.ok(present(follower.rewoundTo, 'a rewind') < present(before.block, 'its first block').height);
    assert.equal(now.key, before.key);
    assert.notEqual(now.block?.hash, before.block?.hash);
    assert.deepEqual(await chain.standing([now]), [{ key: now.key, atoms: unit }]);
  });

  it('loses nothing of what waited or was mined when blocks are taken back', async () => {
    const { chain, unit, pay, mine, reorg } = bench();
    const { follower, address } = await followFresh(chain);
    const paid: TxHash[] = [];
    for (let round = 0; round < 3; round += 1) {
      paid.push((await pay(address, unit)).txHash);
      await mine(1);
      for (let waiting = 0; waiting < 2; waiting += 1) paid.push((await pay(address, unit)).txHash);
      await reorg(2);
      await mine(1);
    }
    await follower.catchUp();
    for (const txHash of paid) assert.ok(follower.only(txHash).block, txHash);
  });
}
