import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { instant, later } from '../../src/kernel/clock.ts';
import { USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { LIFETIME_MS } from '../../src/world/chains/tron/terms.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { freshAddress, openTronBench, type TronBench } from './tron-bench.ts';

const HOUR_MS = 3_600_000;

describe('A payment on Tron', () => {
  let bench: TronBench;
  before(async () => {
    bench = await openTronBench(USDT_ASSET, httpOutbound);
  });
  after(() => bench?.close());

  it('that is of no use after some time lives hardly longer, and never less than a block may take', async () => {
    const lifeUntil = async (ms: number): Promise<number> => {
      const until = later(instant(bench.world.ledger.solid.time), ms);
      const terms = await bench.chain.terms({
        from: 'hot',
        asset: USDT_ASSET.id,
        atoms: atoms(1n),
        to: freshAddress(),
        until,
      });
      assert.ok(!('refused' in terms));
      return Number(terms.fee['expiration']) - Number(terms.fee['timestamp']);
    };
    assert.equal(await lifeUntil(HOUR_MS), HOUR_MS);
    assert.equal(await lifeUntil(30 * HOUR_MS), LIFETIME_MS);
    assert.equal(await lifeUntil(1), 180_000);
  });
});
