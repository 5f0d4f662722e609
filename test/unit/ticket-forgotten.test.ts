import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { executionHandlers, type SavedTicket } from '../../src/life/execution/handlers.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { SignedTrade, Signer } from '../../src/signer/request.ts';
import type { TicketStatus, Venue } from '../../src/world/venues/venue.ts';
import { AT, ORDER_IN } from '../life/order-phases.ts';

const NOW = instant(AT + 1_000);

/** An order that trades, on a database that has no ticket of it. */
function tradingRoom(signed: () => SignedTrade | undefined, status: () => TicketStatus) {
  const log: string[] = [];
  const saved: SavedTicket[] = [];
  const handlers = executionHandlers({
    venue: {
      ticket: async () => status(),
      book: async () => {
        log.push('sized');
        return { bids: [], asks: [], at: NOW };
      },
      post: async () => void log.push('posted'),
      market: { lot: 1n, minNotional: 1n } as Venue['market'],
    } as unknown as Venue,
    signer: { signedTrade: async () => signed() } as unknown as Signer,
    books: {
      ticket: async () => undefined,
      saveTicket: async (_order, _chunk, _attempt, one) => void saved.push(one),
      saveSigned: async () => {},
      nextNonce: async () => 1,
      saveFills: async () => {},
    },
    rules: RULES,
    clock: { now: () => NOW },
  });
  const order = ORDER_IN.trading;
  const job = {
    ...{ key: 'k', owner: order.id, tries: 0, troubledSince: undefined },
    effect: { effect: 'work_ticket', chunk: 0, attempt: 0, due: AT },
  } as const;
  return { log, saved, work: () => handlers.work_ticket(job, order) };
}

const TRADED: SignedTrade = {
  request: {
    owner: ORDER_IN.trading.id,
    ticket: {
      ...{ clientId: '0x00', side: 'buy', size: atoms(5n), limit: '300', nonce: 7 },
      expiresAfter: instant(AT + 60_000),
    },
    wire: {},
  },
  answer: { nonce: 7, body: '{}' },
  at: AT,
};

test('9.12: a ticket that the signer knows and the database forgot is taken up as it was, before anything is sized', async () => {
  const room = tradingRoom(
    () => TRADED,
    () => ({ state: 'open' }),
  );
  assert.deepEqual(await room.work(), { againInMs: 250, trouble: 'the venue has not ended this ticket' });
  assert.deepEqual(room.log, []);
  assert.deepEqual(room.saved, [{ ticket: TRADED.request.ticket, signed: TRADED.answer, createdAt: AT }]);
});

test('a ticket that only the venue knows is for a person: it is neither counted nor done again', async () => {
  const room = tradingRoom(
    () => undefined,
    () => ({ state: 'done', filled: atoms(5n), reason: 'filled', placedAt: AT }),
  );
  await assert.rejects(room.work(), { kind: 'permanent', message: /neither the database nor the signer/ });
  assert.deepEqual(room.log, []);
});

test('9.12: where signer and venue are not asked, a finished trade is sized again as a first one is: so it was won', async () => {
  const room = tradingRoom(
    () => undefined,
    () => ({ state: 'unknown' }),
  );
  await room.work();
  assert.deepEqual(room.log, ['sized']);
});

test('a ticket that another engine signs and posts in this very moment is no riddle for a person', async () => {
  let isTraded = false;
  const meanwhile = () => {
    const signed = isTraded ? TRADED : undefined;
    isTraded = true;
    return signed;
  };
  const room = tradingRoom(meanwhile, () => ({ state: isTraded ? 'open' : 'unknown' }));
  await room.work();
  assert.deepEqual(room.log, ['sized']);
});
