import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startHyperliquid } from '../../sandbox/simulators/hyperliquid/server.ts';
import { VENUE_USDC, XMR1 } from '../../sandbox/venue-tokens.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { percent } from '../../src/kernel/ratio.ts';
import { LIMITS, trade as tradeRequest } from '../unit/signer-bench.ts';
import { reasonOf, startHostile, trade } from './hostile-room.ts';

const COIN = 100_000_000n;
const HOUR_MS = 3_600_000;
const START = 1_700_000_000_000;

/** A signer whose prices keep within a tenth of its own trades for each hour since, and the venue that it asks for them. */
async function openVenue(t: TestContext) {
  let passed = 0;
  const venue = await startHyperliquid({
    now: () => START + passed,
    startBook: { mid: '300', depthUsd: 250_000, spreadBps: 10 },
  });
  t.after(() => venue.close());
  const room = await startHostile(t, (base) => ({
    ...base,
    venue: { ...base.venue, url: venue.url },
    limits: {
      ...LIMITS,
      trades: { ...LIMITS.trades, price: { ...LIMITS.trades.price, perHour: percent('10') } },
    },
  }));
  for (const [token, coins] of [
    [VENUE_USDC, 100_000n],
    [XMR1, 100n],
  ] as const)
    venue.credit(room.hot, token, coins * COIN);
  let numbers = 0;
  const asked = (side: 'buy' | 'sell', limit: string) => {
    numbers += 1;
    const clientId = `0x${numbers.toString(16).padStart(32, 'c')}` as const;
    return trade(tradeRequest({ clientId, side, limit, size: atoms(COIN / 10n), nonce: START + passed + numbers }));
  };
  return {
    venue,
    pass(ms: number) {
      passed += ms;
      room.clock.advance(ms);
    },
    tries: async (side: 'buy' | 'sell', limit: string) => reasonOf(await room.ask('engine', asked(side, limit))),
    /** Signed and sent: the venue has it filled at once. */
    async trades(side: 'buy' | 'sell', limit: string) {
      const { text } = await room.ask('engine', asked(side, limit));
      const reply = await fetch(`${venue.url}/exchange`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: (JSON.parse(text) as { body: string }).body,
      });
      assert.match(await reply.text(), /"filled"/);
    },
  };
}

test('a desk that has not traded keeps to the settings; once it has, its prices keep to its own trades, and follow them with time', async (t) => {
  const { tries, trades, pass } = await openVenue(t);
  assert.equal(await tries('sell', '100'), 'signed');
  await trades('sell', '299');
  assert.equal(await tries('sell', '269'), 'price_out_of_bounds');
  assert.equal(await tries('sell', '270'), 'signed');
  assert.equal(await tries('buy', '330'), 'price_out_of_bounds');
  assert.equal(await tries('buy', '329'), 'signed');
  assert.equal(await tries('buy', '60'), 'signed', 'a purchase is never too cheap');
  assert.equal(await tries('sell', '900'), 'signed', 'nor is a sale ever too dear');
  pass(HOUR_MS + 1);
  assert.equal(await tries('sell', '239'), 'price_out_of_bounds');
  assert.equal(await tries('sell', '240'), 'signed');
});

test('whoever trades with the desk cannot walk its price away step by step: every trade of the hour counts', async (t) => {
  const { venue, tries, trades } = await openVenue(t);
  await trades('sell', '299');
  venue.setBook({ mid: '275', depthUsd: 250_000, spreadBps: 10 });
  await trades('sell', '274');
  assert.equal(await tries('sell', '260'), 'price_out_of_bounds');
  assert.equal(await tries('sell', '270'), 'signed');
});

test('while the venue does not tell, nothing is traded: who could not be asked may have moved', async (t) => {
  const { venue, tries } = await openVenue(t);
  await venue.close();
  assert.equal(await tries('sell', '290'), 'transient');
});
