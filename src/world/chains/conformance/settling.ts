import assert from 'node:assert/strict';
import { it } from 'node:test';
import { coinOf } from '../chain.ts';
import type { ChainBench, Lack } from './bench.ts';
import { payoutOf, signPayout, untilMined, untilSettled } from './signing.ts';

/** What is paid is watched until nothing can take it back. */
export function settlingStories(bench: () => ChainBench, lacks: readonly Lack[]): void {
  it('calls a payout settled once, and settled it stays', async () => {
    const { chain, unit, mine, freshDestination } = bench();
    const attempt = await signPayout(bench(), await freshDestination(), unit, 11);
    await chain.broadcast(attempt);
    const first = await untilMined(bench(), attempt);
    if (!lacks.includes('reorgs')) assert.equal(first.settled, false, 'what may be taken back is not settled');
    const settled = await untilSettled(bench(), attempt);
    assert.ok(settled.ok && settled.depth.have >= settled.depth.need);
    assert.deepEqual(settled.block, first.block);
    await mine(1);
    assert.equal((await untilMined(bench(), attempt)).settled, true);
  });

  if (lacks.includes('reorgs')) return;

  it('pays by the same bytes again what a reorganisation took out, once, and goes on paying', async () => {
    const { chain, asset, unit, reorg, received, freshDestination } = bench();
    const holdings = async () => {
      const { spendable, locked } = await chain.balance('hot', asset.id);
      return spendable + locked;
    };
    const before = await holdings();
    const [to, next] = [await freshDestination(), await freshDestination()];
    const attempt = await signPayout(bench(), to, unit, 12);
    await chain.broadcast(attempt);
    assert.equal((await untilMined(bench(), attempt)).settled, false);

    await reorg(1, [attempt.txHash]);
    const gone = await chain.status(attempt);
    assert.ok(gone.state === 'unknown' || gone.state === 'pool', `it is ${gone.state}`);
    assert.equal(await received(to), 0n);
    // Where payments have no nonces of their own, what was promised to these bytes must not go into others.
    const other = await payoutOf(bench(), next, unit, 13);
    if (other.request.nonce === undefined) {
      assert.ok(!other.signed.consumes.some((one) => attempt.consumes.includes(one)), 'the next one spends the same');
    }

    await chain.broadcast(attempt);
    await chain.broadcast(attempt);
    const again = await untilMined(bench(), attempt);
    assert.ok(again.ok && !again.settled);
    await chain.broadcast(attempt);
    const settled = await untilSettled(bench(), attempt);
    assert.equal(await received(to), unit);

    const flows = other.request.nonce === undefined ? other.signed : await signPayout(bench(), next, unit, 13);
    await chain.broadcast(flows);
    const after = await untilSettled(bench(), flows);
    assert.ok(after.ok);
    assert.deepEqual([await received(to), await received(next)], [unit, unit]);
    const costs = coinOf(chain.facts).id === asset.id ? settled.cost + after.cost : 0n;
    assert.equal(before - (await holdings()), unit * 2n + costs, 'each is counted once, however often it was sent');
  });
}
