import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { type Instant, later } from '../../src/kernel/clock.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { executionHandlers, type SavedTicket } from '../../src/life/execution/handlers.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Signer } from '../../src/signer/request.ts';
import type { Fill, Ticket, TicketStatus, Venue } from '../../src/world/venues/venue.ts';
import { AT, ORDER_IN } from '../life/order-phases.ts';

const order = ORDER_IN.trading;
assert.ok(order.state.phase === 'trading');
const { run } = order.state;
const SIZE = atoms(5n);

/** A desk whose clock is so much ahead of the venue's. The venue dates everything by its own. */
function room(aheadMs: number, venueAt: () => Instant = () => AT, isFilledAtOnce = false) {
  const posted: Ticket['clientId'][] = [];
  const asked: Instant[] = [];
  const fills: Fill[] = [];
  let status: TicketStatus = { state: 'unknown' };
  let saved: SavedTicket | undefined;
  let lookups = 0;
  const show = () => fills.push(fillAt(venueAt(), saved?.ticket.clientId ?? ''));
  const fill = (isShown = true) => {
    status = { state: 'done', filled: SIZE, reason: 'filled', placedAt: venueAt() };
    if (isShown) show();
  };
  const clock = { now: () => later(venueAt(), aheadMs) };
  const venue = {
    ticket: async () => {
      lookups += 1;
      return status;
    },
    book: async () => ({ bids: [], asks: [{ price: ratio(1n, 1n), size: atoms(10n ** 18n) }], at: venueAt() }),
    post: async () => {
      posted.push(saved?.ticket.clientId ?? '0x');
      if (isFilledAtOnce) fill();
    },
    priceText: () => '300',
    fills: async (since: Instant) => {
      asked.push(since);
      return fills.filter(({ at }) => at >= since);
    },
    market: { lot: 1n, minNotional: 1n, takerFee: ratio(0n, 1n) },
  } as unknown as Venue;
  const handlers = executionHandlers({
    venue,
    signer: {
      signedTrade: async () => undefined,
      signTrade: async () => ({ nonce: 1, body: '{}' }),
    } as unknown as Signer,
    books: {
      ticket: async () => saved,
      saveTicket: async (_order, _chunk, _attempt, one) => {
        saved = one;
      },
      saveSigned: async () => {},
      nextNonce: async () => 1,
      saveFills: async () => {},
    },
    rules: RULES,
    clock,
  });
  const { chunk, attempt } = run;
  const job = {
    ...{ key: 'k', owner: order.id, tries: 0, troubledSince: undefined },
    effect: { effect: 'work_ticket', chunk, attempt, due: AT },
  } as const;
  return {
    ...{ posted, asked, clock },
    ticket: () => saved?.ticket,
    work: () => handlers.work_ticket(job, order),
    lookups: () => lookups,
    /** The venue carries it out; its fills are shown at once, or later. */
    fill,
    show,
  };
}

const fillAt = (at: Instant, clientId: string): Fill => ({
  ...{ tradeId: '1', clientId, txHash: undefined, side: 'buy', price: '300', size: SIZE, quote: atoms(5n), at },
  fee: amount(run.got.asset, 0n),
});

const HOUR = 3_600_000;

for (const aheadMs of [0, 59_000, 61_000, HOUR, -61_000, -HOUR]) {
  test(`what the venue filled is found by the venue's own time, with our clock ${aheadMs / 1000} s ahead`, async () => {
    const desk = room(aheadMs);
    await desk.work();
    assert.equal(desk.posted.length, 1);
    assert.equal(
      desk.ticket()?.expiresAfter,
      later(AT, RULES.ticketLifeMs),
      'the venue judges its end by its own clock',
    );
    desk.fill();
    const done = await desk.work();
    assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'ticket_done');
    assert.equal(done.fact.got.atoms, SIZE);
    // By our own clock, less a minute, nothing would have been found where it is further ahead than that.
    const byOurClock = later(desk.clock.now(), -60_000);
    assert.equal(byOurClock > AT, aheadMs > 60_000);
    assert.ok(desk.asked.every((since) => since <= AT));
  });
}

test('what the venue fills as it takes it is counted in the same breath, after one look before and one behind', async () => {
  const desk = room(0, undefined, true);
  const done = await desk.work();
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'ticket_done');
  assert.deepEqual([done.fact.got.atoms, desk.posted.length, desk.lookups()], [SIZE, 1, 2]);
});

test('fills that the venue does not show yet are waited for, and that is said', async () => {
  const desk = room(HOUR);
  await desk.work();
  desk.fill(false);
  const done = await desk.work();
  assert.deepEqual(done, { againInMs: 250, trouble: 'the venue filled 5 and shows fills of 0' });
  desk.show();
  assert.ok('fact' in ((await desk.work()) as object));
});

for (const aheadMs of [0, HOUR, -HOUR]) {
  test(`an unknown ticket is given up when the venue's own time is past it, with our clock ${aheadMs / 1000} s ahead`, async () => {
    let at = AT;
    const desk = room(aheadMs, () => at);
    await desk.work();
    at = later(AT, RULES.ticketLifeMs + 5_000);
    assert.deepEqual(await desk.work(), { againInMs: 250 }, 'until then the venue might still take what was posted');
    assert.equal(desk.posted.length, 2);
    at = later(at, 1);
    const done = await desk.work();
    assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'ticket_done');
    assert.equal(done.fact.got.atoms, 0n);
    assert.equal(desk.posted.length, 2);
  });
}
