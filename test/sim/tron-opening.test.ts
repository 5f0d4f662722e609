import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { openTronBench, type TronBench } from './tron-bench.ts';

describe('9.6: costs of a first payment on Tron', () => {
  let bench: TronBench;
  before(async () => {
    bench = await openTronBench(USDT_ASSET, httpOutbound);
  });
  after(() => bench?.close());

  const asked = async (asset: Asset, to: Address | undefined) => {
    const transfer = { from: 'hot', asset: asset.id, atoms: atoms(0n), to: present(to, 'a stranger') } as const;
    const terms = await bench.chain.terms(transfer);
    assert.ok('usual' in terms);
    return terms;
  };

  it('tell opening an account apart, and take a first holder of a token for the dearer case', async () => {
    const { hotAddress, stranger } = bench.chain;
    assert.equal((await asked(TRX_ASSET, hotAddress)).opening, 0n);
    assert.ok(((await asked(TRX_ASSET, stranger)).opening ?? 0n) > 800_000n);
    assert.ok((await asked(USDT_ASSET, stranger)).usual > (await asked(USDT_ASSET, hotAddress)).usual);
  });
});
