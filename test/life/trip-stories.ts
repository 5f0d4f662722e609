import { openRoundReports, reportedRound } from '../../src/engine/reported-round.ts';
import type { MeasureParts } from '../../src/engine/trip-measures.ts';
import { amount } from '../../src/kernel/amount.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { move, type Posting } from '../../src/life/payment/posting.ts';
import type { Scope, Trip, TripKind } from '../../src/life/trip/trip.ts';
import type { Statement } from '../../src/store/db.ts';
import type { CaseRoom } from './case-room.ts';
import { USDC } from './market.ts';
import { BOUNDS, tripDesk } from './trip-desk.ts';
import { buyOrder } from './world.ts';

export const dollarsOf = (whole: number) => BigInt(whole) * 1_000_000n;
export const HOUR_MS = 60 * 60 * 1000;
export const COIN = USDC.id;

const CLEAR: readonly Statement[] = ['breaker', 'trip', 'signer_refusal', 'short_delivery', 'attention'].map(
  (table) => ({
    name: `trips_clear_${table}`,
    text: `DELETE FROM ${table}`,
  }),
);

interface Story {
  readonly scope: Scope;
  /** So much of it that it is let pass, then more, then as much again on top. */
  readonly little: () => Promise<unknown>;
  readonly much: () => Promise<unknown>;
  readonly anew: () => Promise<unknown>;
  readonly says: RegExp;
  /** Seconds, and so looks, until it is noticed; one unless it says more. */
  readonly looks?: number;
}

/** An engine that looks once a second, and everything that can make it open a breaker. */
export function tripStories(room: CaseRoom) {
  let desk = tripDesk(room.db, room.clock);
  let apart: readonly Trip[] = [];
  const prices: MeasureParts['prices'] = async () => apart as never;
  const begin = () => {
    desk = tripDesk(room.db, room.clock, { prices });
  };

  /** One look, a second after the one before. */
  async function look(times = 1): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      room.wait(1_000);
      await desk.look();
    }
  }
  const shownAt = async (scope: string) => {
    const { breakers } = (await room.ask('GET', '/operator/breakers')).json();
    return breakers.find((one: { scope: string }) => one.scope === scope) as
      | { open: boolean; reason: string; by: string; figures: Record<string, unknown> }
      | undefined;
  };
  const isOpen = async (scope: string): Promise<boolean> => (await shownAt(scope))?.open === true;
  const close = (scope: string) =>
    room.ask('PUT', `/operator/breakers/${scope}`, { open: false, reason: 'it is dealt with' });

  let told = 0;
  /** An order that costs the desk so many dollars, paid to somebody or given to the order; the treasury has it to lose. */
  async function lose(
    dollars: number,
    to: 'world' | 'order' = 'world',
    before: (id: OrderId) => Promise<unknown> = async () => {},
  ): Promise<OrderId> {
    told += 1;
    const lost = amount(COIN, dollarsOf(dollars));
    const commit = (owner: string, key: string, postings: readonly Posting[]) =>
      room.orders.commit({
        ...{ owner: owner as never, key, at: room.clock.now(), postings },
        ...{ payments: [], effects: [], cases: [], over: [] },
      });
    await commit('treasury', `stock ${told}`, [move('world', 'treasury', lost)]);
    const id = await room.keep(buyOrder());
    await before(id);
    await commit(id, `lost ${told}`, [move('treasury', to === 'world' ? to : `order:${id}`, lost)]);
    return id;
  }

  const drifts = (dollars: number) =>
    room.cases.raise('treasury', { case: 'drift', asset: COIN, atoms: -dollarsOf(dollars) });
  const priced = async (level: bigint) => {
    const prices = { venue: '160', providers: '200' };
    apart = [{ trip: 'price_apart', symbol: 'XMR', isTraded: true, level, most: BOUNDS.priceApart, ...prices }];
  };
  async function orphan(usdText: string): Promise<void> {
    room.wait(1);
    await room.cases.raise(await room.keep(buyOrder()), {
      case: 'deposit_orphaned',
      asset: COIN,
      atoms: 1n,
      usd: usdText,
    });
  }
  const failsAt = (round: string) =>
    reportedRound(round, openRoundReports({ clock: room.clock, cases: room.cases, caseAfterMs: 60_000 }), () =>
      Promise.reject(new Error('no answer')),
    )().catch(() => {});
  async function failsFor(minutes: number): Promise<void> {
    await failsAt('scan Nowhere');
    await look(31);
    room.wait(minutes * 60_000);
  }
  const short = (deal: string) => desk.shortDeliveries.note('acme', deal);
  const refused = (intent: string) => desk.refusals.note(intent, 'nonce_taken');

  /** Complete by type: each is caused as in life, a little, too much, and once more after a person has closed it. */
  const STORIES: { readonly [K in TripKind]: Story } = {
    books_apart: {
      scope: 'refunds-only',
      little: () => drifts(1_000),
      much: () => drifts(1_001),
      anew: () => drifts(2_002),
      says: /the chains hold \$1001\.00 less than the ledger says \(42161:.*at most \$1000\.00/,
    },
    money_lost: {
      scope: 'refunds-only',
      little: () => lose(500),
      much: () => lose(1),
      anew: () => lose(501),
      looks: 10,
      says: /orders cost the desk \$501\.00 more than they brought within 1 h; at most \$500\.00/,
    },
    price_apart: {
      scope: 'venue',
      little: () => priced(1_000n),
      much: () => priced(1_500n),
      anew: () => priced(2_501n),
      says: /price of XMR is 160 dollars and the providers' 200, which differ by 15 %; at most 10 %/,
    },
    credit_orphaned: {
      scope: `chain:${USDC.chainId}`,
      little: () => orphan('250.00'),
      much: () => orphan('0.01'),
      anew: () => orphan('251.00'),
      says: /credited deposits of 2 orders, worth \$250\.01, have left this chain; at most \$250\.00/,
    },
    round_failing: {
      scope: 'chain:9',
      little: () => failsFor(14),
      much: async () => room.wait(2 * 60_000),
      anew: async () => {
        await room.cases.over('treasury', { case: 'round_failed', subject: 'scan Nowhere' });
        await look();
        await failsFor(16);
      },
      says: /the round "scan Nowhere" has failed for 16 minutes; at most 15/,
    },
    deliveries_short: {
      scope: 'provider:acme',
      little: () => short('sw_a:0'),
      much: () => short('sw_b:0'),
      anew: async () => {
        await short('sw_c:0');
        await short('sw_d:0');
      },
      says: /2 deals brought another amount than was agreed, the last of them sw_b:0; at most 1/,
    },
    signer_refused: {
      scope: 'payouts',
      little: async () => {},
      much: () => refused('sw_a:payout:0'),
      anew: () => refused('sw_b:payout:0'),
      says: /refused 1 requests that only a wrong database explains, the last of them sw_a:payout:0 \(nonce_taken\)/,
    },
  };

  /** Nothing has happened, and what did is long ago. */
  async function forget(): Promise<void> {
    apart = [];
    for (const statement of CLEAR) await room.db.query(statement);
    room.wait(25 * HOUR_MS);
  }

  begin();
  return { STORIES, begin, look, shownAt, isOpen, close, lose, drifts, priced, orphan, refused, failsAt, forget };
}
