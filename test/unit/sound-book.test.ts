import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../src/kernel/clock.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { bookJudge } from '../../src/life/quote/sound-book.ts';
import type { Book } from '../../src/world/venues/venue.ts';
import { fakeProvider } from './quote-provider.ts';
import { BOOK, BTC, buy, ETH, level, MARKET, room, swap } from './quote-room.ts';

const SOUND = { widestSpread: ratio(5n, 100n), leastDepthUsd: 3_000, stillBookMs: 60_000 };
const book = (bid: readonly [string, bigint], ask: readonly [string, bigint], at = 0): Book => ({
  ...{ bids: [level(bid)], asks: [level(ask)], at: instant(at) },
});

test('a book is sound while both of its sides are near each other and deep enough', () => {
  const judge = bookJudge(SOUND, { now: () => instant(0) });
  const isSound = (one: Book) => judge(one, MARKET);
  assert.ok(isSound(book(['300', 11n], ['315', 10n])));
  assert.ok(!isSound(book(['300', 11n], ['315.1', 10n])), 'five per cent is as wide as it may be');
  assert.ok(!isSound(book(['300', 9n], ['301', 100n])), 'nobody to sell to');
  assert.ok(!isSound(book(['300', 100n], ['301', 9n])), 'nobody to buy from');
  assert.ok(!isSound({ bids: [], asks: BOOK.asks, at: instant(0) }));
  assert.ok(!isSound({ bids: BOOK.bids, asks: [], at: instant(0) }));
});

test('a book that is dated the same for a minute is old; the clocks of venue and desk are not compared', () => {
  let now = 1_000_000_000;
  const judge = bookJudge(SOUND, { now: () => instant(now) });
  const isSound = (at: number) => judge(book(['300', 11n], ['301', 11n], at), MARKET);
  assert.ok(isSound(5));
  now += 59_999;
  assert.ok(isSound(5));
  now += 1;
  assert.ok(!isSound(5));
  assert.ok(isSound(6), 'another one is as good as new');
  now += 60 * 60_000;
  assert.ok(isSound(7), 'nobody asked for an hour');
});

test('from a book that is not sound nobody is quoted; what does not touch it goes on', async () => {
  const quotes = room({ book: book(['200', 100n], ['300', 100n]), providers: [fakeProvider()] });
  const refused = await quotes.quote(buy(100_000_000n));
  assert.ok(isRefusal(refused) && refused.refusal === 'unavailable');
  assert.ok(!isRefusal(await quotes.quote(swap(ETH, BTC, 10n ** 18n))));
});
