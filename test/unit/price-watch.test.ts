import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchPrices } from '../../src/app/price-watch.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { usdPrice } from '../../src/kernel/usd.ts';
import type { MarketView } from '../../src/life/quote/market-view.ts';
import { comparePrice } from '../../src/life/quote/price-comparison.ts';
import type { Tripped } from '../../src/store/gates.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { fakeProvider } from './quote-provider.ts';
import { BTC, ETH, SOL, USDC, XMR } from './quote-room.ts';

const hot = () => 'hot' as Address;
const dollars = (each: bigint, { decimals }: Asset) => usdPrice(ratio(each, 1n), decimals);

test('the venue’s price is compared with what the nearest provider gives, in either direction', async () => {
  const clock = { now: () => instant(0) };
  const honest = fakeProvider({ spread: ratio(0n, 1n) });
  const dear = fakeProvider({ name: 'dear', spread: ratio(1n, 2n) });
  const compare = (each: bigint, providers = [honest]) =>
    comparePrice(ETH, dollars(each, ETH), { providers, money: USDC, hot, clock });
  assert.deepEqual(await compare(3_000n), { apart: 0n, venue: '3000', providers: '2999.999999' });
  assert.equal((await compare(3_300n))?.apart, 1_000n);
  assert.equal((await compare(2_700n))?.apart, 1_000n);
  assert.equal((await compare(3_300n, [dear, honest]))?.apart, 1_000n, 'one that is far off alone says nothing');
  const asked = honest.asked[0];
  assert.ok(asked && asked.input.asset === ETH.id && asked.output === USDC.id);
  honest.mood = 'down';
  assert.equal(await compare(3_300n), undefined, 'nobody answers');
  assert.equal(await comparePrice(XMR, dollars(1n, XMR), { providers: [honest], money: USDC, hot, clock }), undefined);
});

test('a coin that was far apart is asked for again before it is told, and the providers are asked three times a minute', async () => {
  let now = 0;
  const [provider, venue] = [
    fakeProvider({ spread: ratio(0n, 1n) }),
    new Map([
      [ETH, 3_000n],
      [BTC, 100_000n],
      [SOL, 200n],
    ]),
  ];
  const market = { price: (asset: Asset) => dollars(venue.get(asset) ?? 0n, asset) } as unknown as MarketView;
  const before = new Map<string, Tripped>();
  const begin = () =>
    watchPrices({
      ...{ most: 1_000n, coins: [XMR, ETH, BTC, SOL], money: USDC, providers: [provider], hot },
      ...{ market: async () => market, clock: { now: () => instant(now) } },
    });
  let measure = begin();
  const look = async (seconds: number) => {
    for (let n = 0; n < seconds; n += 1) {
      now += 1_000;
      await measure({ cases: [], before, changedAt: () => instant(0) });
      await new Promise((resolve) => setImmediate(resolve));
    }
    const found = await measure({ cases: [], before, changedAt: () => instant(0) });
    return found
      .filter(({ level, most }) => level > most)
      .map(({ symbol, level, isTraded }) => ({ symbol, level, isTraded }));
  };
  assert.deepEqual(await look(60), []);
  assert.deepEqual(
    provider.asked.map(({ input }) => input.asset),
    [ETH.id, BTC.id, SOL.id],
    'XMR is nobody’s here',
  );
  venue.set(ETH, 4_500n);
  assert.deepEqual(await look(2), [], 'one answer may be an accident');
  assert.deepEqual(await look(20), [{ symbol: 'ETH', level: 5_000n, isTraded: false }]);
  assert.deepEqual(
    provider.asked.slice(3).map(({ input }) => input.asset),
    [ETH.id, ETH.id],
  );

  // Another process: what it has not asked for yet, it does not take for gone.
  before.set('price_apart:BTC', { scope: 'quotes', level: 2_000n });
  measure = begin();
  assert.deepEqual(await look(1), [{ symbol: 'BTC', level: 2_000n, isTraded: false }]);
  venue.set(ETH, 3_000n);
  assert.deepEqual(await look(120), []);
});
