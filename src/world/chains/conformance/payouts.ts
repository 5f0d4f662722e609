import assert from 'node:assert/strict';
import { it } from 'node:test';
import { atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { AssetId } from '../../../kernel/ids.ts';
import { coinOf } from '../chain.ts';
import type { ChainBench, Lack } from './bench.ts';
import { signPayout, untilMined } from './signing.ts';

export function payoutStories(bench: () => ChainBench, lacks: readonly Lack[]): void {
  it('pays exactly once however often the bytes are sent', async () => {
    const { chain, unit, mine, received, freshDestination } = bench();
    const to = await freshDestination();
    const attempt = await signPayout(bench(), to, unit, 1);
    await chain.broadcast(attempt);
    await chain.broadcast(attempt);
    assert.equal((await chain.status(attempt)).state, 'pool');

    const first = await untilMined(bench(), attempt);
    await mine(Math.max(0, first.depth.need - first.depth.have));
    const deep = await untilMined(bench(), attempt);
    assert.ok(deep.ok && deep.depth.have >= deep.depth.need);
    assert.ok(deep.cost <= attempt.cost, 'it costs no more than was said');
    assert.deepEqual(deep.block, first.block);

    await chain.broadcast(attempt);
    await mine(1);
    assert.equal((await chain.status(attempt)).state, 'mined');
    assert.equal(await received(to), unit);
  });

  it('spends what was paid and what it cost, and nothing else', async () => {
    const { chain, asset, unit, freshDestination } = bench();
    const coin = coinOf(chain.facts);
    const holdings = async (of: AssetId) => {
      const { spendable, locked } = await chain.balance('hot', of);
      return spendable + locked;
    };
    const before = { asset: await holdings(asset.id), coin: await holdings(coin.id) };
    const attempt = await signPayout(bench(), await freshDestination(), atoms(unit * 2n), 2);
    await chain.broadcast(attempt);
    const { cost } = await untilMined(bench(), attempt);
    await chain.broadcast(attempt);
    assert.equal(before.asset - (await holdings(asset.id)), unit * 2n + (asset.native ? cost : 0n));
    assert.equal(before.coin - (await holdings(coin.id)), cost + (asset.native ? unit * 2n : 0n));
  });

  it('never calls bytes dead because it cannot find them', async () => {
    const { chain, unit, mine, freshDestination } = bench();
    const attempt = await signPayout(bench(), await freshDestination(), unit, 3);
    assert.deepEqual(await chain.status(attempt), { state: 'unknown' });
    await mine(3);
    assert.deepEqual(await chain.status(attempt), { state: 'unknown' });
    await chain.broadcast(attempt);
    assert.ok((await untilMined(bench(), attempt)).ok, 'bytes that waited still pay');
  });

  if (!lacks.includes('reorgs')) {
    it('sees its payout again after a reorganisation that kept it', async () => {
      const { chain, unit, reorg, received, freshDestination } = bench();
      const to = await freshDestination();
      const attempt = await signPayout(bench(), to, unit, 4);
      await chain.broadcast(attempt);
      const before = await untilMined(bench(), attempt);
      await reorg(1);
      const now = await untilMined(bench(), attempt);
      assert.notEqual(now.block.hash, before.block.hash);
      assert.equal(await received(to), unit);
    });
  }

  if (!lacks.includes('refusals')) {
    it('says beforehand that a destination will be refused', async () => {
      const { chain, asset, unit, refusedDestination } = bench();
      const terms = await chain.terms({
        from: 'hot',
        asset: asset.id,
        atoms: unit,
        to: present(refusedDestination, 'a refused destination'),
      });
      assert.ok('refused' in terms && terms.refused.length > 0);
    });
  }
}
