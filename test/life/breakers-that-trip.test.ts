import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { guardDesk, guardQuotes, openBridgeGate } from '../../src/app/gates.ts';
import { tripBoundsOf } from '../../src/app/trips.ts';
import type { Desk } from '../../src/engine/desk.ts';
import { amount } from '../../src/kernel/amount.ts';
import { type AssetId, chainId } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { usd } from '../../src/kernel/usd.ts';
import { move } from '../../src/life/payment/posting.ts';
import type { Quotes } from '../../src/life/quote/quotes.ts';
import { TRIP_KINDS } from '../../src/life/trip/trip.ts';
import type { Statement } from '../../src/store/db.ts';
import { openBreakers } from '../../src/store/gates.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { USDC, XMR } from './market.ts';
import { tripDesk } from './trip-desk.ts';
import { COIN, dollarsOf, HOUR_MS, tripStories } from './trip-stories.ts';

const DELIVERED: Readonly<Record<'sighting' | 'delivery', Statement>> = {
  sighting: {
    name: 'trips_sighting',
    text: `INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, height, block_hash, first_seen_at, state, credited)
      VALUES ($1, 'delivered', 'x', 'hot', $2, $3, '0x', 1, '0x', 1, 'final', $3)`,
  },
  delivery: { name: 'trips_delivery', text: `INSERT INTO delivery (chain_id, key, deal) VALUES ($1, 'delivered', $2)` },
};

let room: CaseRoom;
let stories: ReturnType<typeof tripStories>;
before(async () => {
  room = await openCaseRoom();
  stories = tripStories(room);
});
after(() => room.close());
beforeEach(() => stories.begin());
afterEach(() => stories.forget());

describe('a breaker opens by itself', () => {
  for (const kind of TRIP_KINDS)
    test(`for ${kind}: at the next look, with reason and figures; it never closes by itself, and a person's closing holds`, async () => {
      const { STORIES, begin, look, shownAt, isOpen, close } = stories;
      const { scope, little, much, anew, says, looks = 1 } = STORIES[kind];
      await little();
      await look();
      assert.equal(await isOpen(scope), false, 'so much is let pass');

      await much();
      await look(looks);
      const opened = await shownAt(scope);
      assert.ok(opened?.open, `it opens within ${looks} s`);
      assert.match(opened.reason, says);
      assert.deepEqual([opened.by, opened.figures['trip']], ['desk', kind]);
      const raised = await room.caseOf('breaker_tripped');
      assert.ok(raised);
      assert.ok(raised.reason.includes(opened.reason) && raised.reason.includes(scope));
      const elsewhere = openBreakers(room.db, room.clock);
      assert.equal(await elsewhere.isOpen(scope), opened.reason, 'in every process');

      begin();
      await look(3);
      assert.ok(await isOpen(scope), 'a restart does not close it');
      await room.ask('POST', `/operator/cases/${raised.id}/close`, { by: 'ada', reason: 'I have seen it' });
      await look(2);
      assert.ok(await isOpen(scope), 'nor does closing the case');

      assert.equal((await close(scope)).status, 200);
      await look(3);
      assert.equal(await isOpen(scope), false, 'the same old facts do not open it again');
      assert.equal((await shownAt(scope))?.by, 'operator');
      assert.equal(await room.caseOf('breaker_tripped'), undefined);
      begin();
      await look(3);
      assert.equal(await isOpen(scope), false, 'not even after a restart');

      room.wait(1_000);
      await anew();
      await look(looks);
      assert.ok(await isOpen(scope), 'what comes on top of them does');
    });

  test('and an operator’s word is not overwritten: who opened it first is shown, and the case says the rest', async () => {
    const { look, shownAt, refused } = stories;
    await room.ask('PUT', '/operator/breakers/payouts', { open: true, reason: 'a person was faster' });
    room.wait(1);
    await refused('sw_x:payout:0');
    await look();
    assert.deepEqual(
      [(await shownAt('payouts'))?.reason, (await shownAt('payouts'))?.by],
      ['a person was faster', 'operator'],
    );
    assert.match((await room.caseOf('breaker_tripped'))?.reason ?? '', /sw_x:payout:0/);
  });

  test('and what cannot be measured keeps nothing else from tripping, nor is it taken for gone', async () => {
    const { look, isOpen, close, drifts, refused } = stories;
    await drifts(1_001);
    await look();
    await close('refunds-only');
    await look();
    const blind = tripDesk(room.db, room.clock, {
      worth: () => Promise.reject(new Error('no prices')),
    });
    await refused('sw_y:payout:0');
    await assert.rejects(blind.look(), /no prices/);
    assert.ok(await isOpen('payouts'));
    await look();
    assert.equal(await isOpen('refunds-only'), false, 'the drift that was there all the time is not news');
  });

  test('and an orphaned deposit whose worth nobody can read is not worth nothing: the look fails, and says which', async () => {
    const { look, isOpen, orphan, refused } = stories;
    await orphan('1,000,000.00');
    await refused('sw_z:payout:0');
    await assert.rejects(look(), /the worth of an orphaned deposit of 42161:\S+, which is "1,000,000\.00"/);
    assert.ok(await isOpen('payouts'), 'all else is measured');
  });

  test('and a condition that went away and came back is news', async () => {
    const { look, isOpen, close, priced } = stories;
    await priced(1_500n);
    await look();
    await close('venue');
    await priced(900n);
    await look();
    await priced(1_500n);
    await look();
    assert.ok(await isOpen('venue'));
  });

  test('and a day has a limit of its own', async () => {
    const { look, shownAt, isOpen, lose } = stories;
    for (let hour = 0; hour < 5; hour += 1) {
      await lose(401);
      await look(2);
      assert.equal(await isOpen('refunds-only'), hour === 4, `hour ${hour}`);
      room.wait(HOUR_MS);
    }
    assert.match((await shownAt('refunds-only'))?.reason ?? '', /within 24 h; at most \$2000\.00/);
  });

  test('and what a provider delivered, and the treasury passes on, is no loss', async () => {
    const { lose, look, isOpen } = stories;
    await lose(9_000, 'order', async (id) => {
      await room.db.query(DELIVERED.sighting, [USDC.chainId, COIN, dollarsOf(9_000).toString()]);
      await room.db.query(DELIVERED.delivery, [USDC.chainId, `${id}:0`]);
    });
    await look(11);
    assert.equal(await isOpen('refunds-only'), false);
    await lose(501, 'order');
    await look(11);
    assert.ok(await isOpen('refunds-only'), 'what nobody delivered is one');
  });

  test('and moves of the house between its own places are no loss', async () => {
    const { look, isOpen } = stories;
    await room.submit.commitHouse({ key: 'in', postings: [move('world', 'treasury', amount(COIN, dollarsOf(9_000)))] });
    await room.submit.commitHouse({
      key: 'out',
      postings: [move('treasury', 'world', amount(COIN, dollarsOf(9_000)))],
    });
    await look();
    assert.equal(await isOpen('refunds-only'), false);
  });

  test('and a clock that is moved does not make one failure look like many', async () => {
    const { look, isOpen, failsAt } = stories;
    await failsAt('scan Nowhere');
    await look();
    room.wait(60 * 60_000);
    await look();
    assert.equal(await isOpen('chain:9'), false);
    await failsAt('readings');
    await look(40);
    assert.ok(await isOpen('chain:9'));
    const open = (await room.ask('GET', '/operator/breakers'))
      .json()
      .breakers.filter((one: { open: boolean }) => one.open);
    assert.equal(open.length, 1, 'a round without which nothing goes wrong stops nothing');
  });
});

test('the settings have a bound for everything, and safe ones without being told', () => {
  const usual = tripBoundsOf({});
  assert.deepEqual([usual.apartUsd, usual.orphanedUsd, usual.priceApart], [usd(1_000), usd(1_000), 1_000n]);
  const set = tripBoundsOf({
    breakers: {
      driftUsd: 5,
      lossPerHourUsd: 6,
      lossPerDayUsd: 7,
      priceApartPercent: '2.5',
      roundFailingMinutes: 8,
      signerRefusals: 3,
    },
    serving: { shortDeliveries: 4 },
    caution: { orphanedUsd: 9 },
  });
  assert.deepEqual(set, {
    ...{
      apartUsd: usd(5),
      priceApart: 250n,
      orphanedUsd: usd(9),
      failingMinutes: 8n,
      shortDeliveries: 3n,
      signerRefusals: 2n,
    },
    lostUsd: [
      { hours: 1, most: usd(6) },
      { hours: 24, most: usd(7) },
    ],
  });
});

test('where only refunds are paid the customer is told that it is unavailable: no quote, no order, no bridge', async () => {
  const { look, close, lose } = stories;
  const breakers = openBreakers(room.db, room.clock);
  const [base, quote] = [XMR.id, USDC.id];
  const stands = { base, quote, wrapped: new Map<AssetId, string>() };
  const quotes = guardQuotes({ quote: async () => ({ ok: true }) } as unknown as Quotes, breakers, stands);
  const made = guardDesk({ create: async () => ({ ok: true }) } as unknown as Desk, breakers);
  const bridge = {
    name: 'xmr',
    native: { ...XMR, chainId: chainId(0) },
    wrapped: { ...USDC, chainId: chainId(1337) },
    minimum: { atoms: 1n },
  };
  const isOn = openBridgeGate({ isOn: async () => true }, breakers, { assets: [bridge] } as never, {
    free: async () => 10n ** 30n,
    share: { num: 1n, den: 1n },
  });
  const all = async () => [
    isRefusal(await quotes.quote({ from: USDC, to: XMR } as never)),
    isRefusal(await made.create({ from: USDC, to: XMR } as never, {} as never)),
    !(await isOn({ asset: 'xmr', direction: 'deposit' } as never)),
  ];
  assert.deepEqual(await all(), [false, false, false]);
  await lose(501);
  await look(10);
  room.wait(1_000);
  assert.deepEqual(await all(), [true, true, true]);
  const refusal = await quotes.quote({ from: USDC, to: XMR } as never);
  assert.ok(isRefusal(refusal) && refusal.refusal === 'unavailable' && !refusal.message.includes('$'));
  await close('refunds-only');
  room.wait(1_000);
  assert.deepEqual(await all(), [false, false, false], 'and when it is closed everything goes on');
  await breakers.set('venue', true, 'the prices are apart', 'desk');
  room.wait(1_000);
  assert.deepEqual(
    await all(),
    [true, false, true],
    'a coin that is worth less on the venue is bridged one for one to nobody',
  );
});
