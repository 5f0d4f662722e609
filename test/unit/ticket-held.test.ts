import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { type Instant, later } from '../../src/kernel/clock.ts';
import { executionHandlers, type SavedTicket } from '../../src/life/execution/handlers.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Signer } from '../../src/signer/request.ts';
import type { Fill, Ticket, TicketStatus, Venue } from '../../src/world/venues/venue.ts';
import { AT, ORDER_IN } from '../life/order-phases.ts';

const { trading } = ORDER_IN;
assert.ok(trading.state.phase === 'trading');
const { run } = trading.state;
const HELD = { ...trading, funds: { ...trading.funds, missing: trading.funds.confirmed } };
const SIZE = atoms(5n);
const TICKET: Ticket = {
  ...{ clientId: '0x00', side: 'buy', size: SIZE, limit: '300', nonce: 7 },
  expiresAfter: later(AT, RULES.ticketLifeMs),
};

interface There {
  readonly saved?: Pick<SavedTicket, 'signed'>;
  readonly status: TicketStatus;
  /** By the venue's clock. */
  readonly at?: Instant;
  readonly order?: typeof trading;
}

/** What comes of one look, and all that was begun at it. */
async function work({ saved, status, at = AT, order = HELD }: There) {
  const begun: string[] = [];
  const fill: Fill = {
    ...{ tradeId: '1', clientId: TICKET.clientId, txHash: undefined, side: 'buy', price: '300', size: SIZE },
    ...{ quote: atoms(5n), at: AT, fee: amount(run.got.asset, 0n) },
  };
  const handlers = executionHandlers({
    venue: {
      ticket: async () => status,
      book: async () => ({ bids: [], asks: [], at }),
      post: async () => void begun.push('posted'),
      fills: async () => [fill],
      market: { lot: 1n, minNotional: 1n },
    } as unknown as Venue,
    signer: {
      signedTrade: async () => undefined,
      signTrade: async () => begun.push('signed'),
    } as unknown as Signer,
    books: {
      ticket: async () => saved && { ticket: TICKET, createdAt: AT, ...saved },
      saveTicket: async () => void begun.push('opened'),
      saveSigned: async () => {},
      nextNonce: async () => begun.push('numbered'),
      saveFills: async () => {},
    },
    rules: RULES,
    clock: { now: () => AT },
  });
  const { chunk, attempt } = run;
  const job = {
    ...{ key: 'k', owner: order.id, tries: 0, troubledSince: undefined },
    effect: { effect: 'work_ticket', chunk, attempt, due: AT },
  } as const;
  const done = await handlers.work_ticket(job, order);
  const got = typeof done === 'object' && 'fact' in done && done.fact.fact === 'ticket_done' && done.fact.got.atoms;
  return { begun, done, got };
}

const SIGNED = { signed: { nonce: 7, body: '{}' } };
const FILLED: TicketStatus = { state: 'done', filled: SIZE, reason: 'filled', placedAt: AT };

test('9.2: what was posted before the deposit left is counted: the books have what the venue has', async () => {
  const { begun, got } = await work({ saved: SIGNED, status: FILLED });
  assert.deepEqual([begun, got], [[], SIZE]);
  const waits = await work({ saved: SIGNED, status: { state: 'open' } });
  assert.deepEqual(waits.done, { againInMs: 250, trouble: 'the venue has not ended this ticket' });
});

test('9.2: what was signed and may have been posted is looked for until its time is over, and posted by nobody', async () => {
  const early = await work({ saved: SIGNED, status: { state: 'unknown' } });
  assert.deepEqual([early.done, early.begun], [{ againInMs: 250 }, []]);
  const late = await work({ saved: SIGNED, status: { state: 'unknown' }, at: later(TICKET.expiresAfter, 5_001) });
  assert.deepEqual([late.got, late.begun], [0n, []]);
});

test('9.2: while the deposit is missing no ticket is opened, signed or posted; with it, each would be', async () => {
  for (const saved of [{}, { saved: { signed: undefined } }]) {
    const held = await work({ ...saved, status: { state: 'unknown' } });
    assert.deepEqual([held.done, held.begun], ['done', []]);
  }
  const free = await work({ saved: { signed: undefined }, status: { state: 'unknown' }, order: trading });
  assert.deepEqual(free.begun, ['signed', 'posted']);
});
