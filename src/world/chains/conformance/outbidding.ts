import assert from 'node:assert/strict';
import { it } from 'node:test';
import { present } from '../../../kernel/assert.ts';
import type { ChainBench } from './bench.ts';
import { type Payout, payoutOf, untilMined, untilSettled } from './signing.ts';

/** How often the market rises before miners have mercy. */
const ROUNDS = 2;

/** Of chains on which a payment that is stuck is outbid. */
export function outbiddingStories(bench: () => ChainBench): void {
  it('outbids a payout while the market rises; only the last version pays, and the others are dead by proof alone', async () => {
    const { chain, unit, received, freshDestination, ...rest } = bench();
    const market = present(rest.market, 'a market of fees');
    const to = await freshDestination();
    const versions: Payout[] = [await payoutOf(bench(), to, unit, 21)];
    const latest = () => present(versions.at(-1), 'a version');
    await chain.broadcast(latest().signed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const held = latest();
      await market.raiseAbove(held.signed);
      // A node may drop what is too cheap by now.
      const { state } = await chain.status(held.signed);
      assert.ok(state === 'pool' || state === 'unknown', `it is ${state}`);
      const next = await payoutOf(bench(), to, unit, 21, held.signed);
      versions.push(next);
      assert.ok(next.signed.cost > held.signed.cost);
      assert.ok(
        versions.every(({ signed }) => signed.consumes.some((one) => next.signed.consumes.includes(one))),
        'all versions exclude each other',
      );
      assert.ok(market.outbids(next.request.fee, held.request.fee), 'the signer agrees');
      assert.ok(
        !market.outbids(held.request.fee, next.request.fee) && !market.outbids(held.request.fee, held.request.fee),
      );
      await chain.broadcast(next.signed);
      assert.equal((await chain.status(next.signed)).state, 'pool', 'the node takes it');
      // The older one may be sent again by whoever does not know better.
      await chain.broadcast(held.signed);
      assert.equal((await chain.status(next.signed)).state, 'pool');
      assert.deepEqual(await chain.status(held.signed), { state: 'unknown' });
    }
    const older = versions.slice(0, -1).map(({ signed }) => signed);
    assert.ok((await untilMined(bench(), latest().signed)).ok);
    for (const signed of older) assert.deepEqual(await chain.status(signed), { state: 'unknown' }, 'no proof yet');
    await untilSettled(bench(), latest().signed);
    for (const signed of older) {
      const dead = await chain.status(signed);
      assert.ok(dead.state === 'dead' && dead.proof.includes(latest().signed.txHash), JSON.stringify(dead));
    }
    assert.equal(await received(to), unit);
    await market.calm();
  });

  it('has no terms to outbid what a block has taken', async () => {
    const { chain, asset, unit, freshDestination } = bench();
    const to = await freshDestination();
    const { signed } = await payoutOf(bench(), to, unit, 22);
    await chain.broadcast(signed);
    await untilMined(bench(), signed);
    await assert.rejects(chain.terms({ from: 'hot', asset: asset.id, atoms: unit, to }, signed));
  });
}
