import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Venue } from '../../src/world/venues/venue.ts';
import { COIN, openTradeRoom } from './trade-room.ts';

test('an engine that stood still since it read the stock trades nothing once another has traded', async () => {
  const desk = await openTradeRoom();
  await desk.stock(desk.xmr1(2n), desk.dollars(90_000n));
  const from = desk.journal.size;
  let others = async () => {
    others = async () => {};
    for (let turn = 0; turn < 2; turn += 1) await desk.engine()();
  };
  const book = (venue: Venue) => async () => {
    await others();
    return venue.book();
  };
  await desk.engine({
    parts: (parts) => ({ ...parts, venue: { ...parts.venue, book: book(parts.venue as Venue) } }),
  })();
  assert.equal(await desk.tradedSince(from), 8n * COIN);
  assert.equal(await desk.books.stockTrades.open(), undefined);
  await desk.assertBalanced();
  await desk.close();
});
