import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import type { ChainBench } from './bench.ts';

const GARBAGE = ['', ' ', '0', '0x', 'undefined', '\u0000', '💸', 'native', '../../etc/passwd', '<script>'];
const MEGABYTE = 1_000_000;
const HOSTILE = ['a', '1', '0x', 'f', ' ', '4', 'bc1', '\u0000', '💸'];
const DECIDES_WITHIN_MS = 5;

export function textStories(bench: () => ChainBench): void {
  it('gives each index one address, for ever', async () => {
    const { chain, asset, unit } = bench();
    const all = await chain.depositAddresses(0, ADDRESSES_PER_CALL);
    assert.equal(new Set(all).size, ADDRESSES_PER_CALL);
    assert.deepEqual(await chain.depositAddresses(0, ADDRESSES_PER_CALL), all);
    assert.deepEqual(await chain.depositAddresses(7, 2), all.slice(7, 9));
    for (const address of [...all, chain.hotAddress]) {
      assert.equal(chain.parseAddress(address), address);
      assert.equal(chain.refusesDestination(address), undefined);
      assert.ok(chain.depositUri(address, asset, unit).includes(address));
    }
  });

  it('takes no text for an address but its own', () => {
    const { chain, foreign } = bench();
    const example = chain.facts.addressExample;
    assert.ok(chain.parseAddress(example));
    const bent = [`${example} `, ` ${example}`, `${example}0`, `${example}\n`, example.slice(0, -1)];
    for (const text of [...GARBAGE, ...foreign, ...bent]) {
      assert.equal(chain.parseAddress(text), undefined, `took ${JSON.stringify(text)} for an address`);
    }
  });

  it('takes no text for a token but the ids of its assets', () => {
    const { chain } = bench();
    for (const { token } of chain.facts.assets) assert.equal(chain.parseToken(token), token);
    for (const text of ['', ' ', 'USDT', 'usdc', '0x', '0'.repeat(40)]) {
      assert.equal(chain.parseToken(text), undefined, `took ${JSON.stringify(text)} for a token`);
    }
  });

  it('decides about hostile text at once', () => {
    const { chain } = bench();
    for (const part of [...HOSTILE, chain.facts.addressExample]) {
      const text = part.repeat(MEGABYTE / part.length);
      assert.ok(fastestMs(() => assert.equal(chain.parseAddress(text), undefined)) < DECIDES_WITHIN_MS);
      assert.ok(fastestMs(() => assert.equal(chain.parseToken(text), undefined)) < DECIDES_WITHIN_MS);
    }
  });
}

/** The best of a few runs: a busy machine slows some of them, a slow parser all. */
function fastestMs(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run += 1) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
