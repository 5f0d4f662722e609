import fc from 'fast-check';
import { type Amount, amount, smaller, zero } from '../../src/kernel/amount.ts';
import { type Instant, instant, later } from '../../src/kernel/clock.ts';
import type { IntentId } from '../../src/kernel/ids.ts';
import type { Fact, OrderFactKind } from '../../src/life/order/fact.ts';
import { payoutTo } from '../../src/life/order/machine/payout.ts';
import {
  type Claim,
  collectionPayment,
  dealPayment,
  type Order,
  payoutPayment,
  refundPayment,
} from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { isPaid, newPayment, type Payment, type Progress } from '../../src/life/payment/payment.ts';
import { ETH, STRAY, traded, WAYS } from './market.ts';
import { ofDeal } from './order-deal-facts.ts';
import { type Witness, witness } from './order-witness.ts';
import { newsOf } from './payment-facts.ts';
import { CREATED, claimPriced, observed, place, screenedFact, type Trip, tripOrder } from './world.ts';

export const trips: fc.Arbitrary<Trip> = fc.record(
  {
    way: fc.constantFrom(...WAYS),
    hasRefundTo: fc.boolean(),
    deposits: fc.constantFrom('top_up', 'as_it_comes'),
    collects: fc.boolean(),
    chunks: fc.constantFrom(1, 2, 7),
    fees: fc.constantFrom('none', 'all of the input', 'all of the middle', 'all of the output'),
  },
  { requiredKeys: ['way', 'hasRefundTo', 'deposits', 'collects', 'chunks'] },
);

/** Parts of what was asked, in ten-thousandths and atoms beside them: nothing, dust, $10, the minimum, 99 %, all, more. */
const parts = fc.tuple(
  fc.constantFrom(0n, 100n, 333n, 1_000n, 2_500n, 5_000n, 9_900n, 10_000n, 13_000n, 120_000n),
  fc.constantFrom(0n, 0n, -1n, 1n),
);
type Part = readonly [bigint, bigint];

/** `payment`: any news of any payment. */
const KINDS: readonly (OrderFactKind | 'payment')[] = [
  'deposit_observed',
  'stray_observed',
  'reward_observed',
  'deadline_passed',
  'wait_closed',
  'deposit_screened',
  'stock_reserved',
  'payout_reserved',
  'inventory_short',
  'ticket_done',
  'leg_placed',
  'leg_declined',
  'leg_delivered',
  'leg_returned',
  'leg_failed',
  ...(['payment', 'payment', 'payment'] as const),
  'refund_address_given',
  'payout_address_given',
  'give_back_decided',
  'collection_retried',
  'claim_priced',
];

/** A fact before it is known whom it will meet. `awaited`: what the order waits for, whatever that is then. */
const draws = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constant('awaited' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...KINDS) },
  ),
  part: parts,
  confirmed: fc.constantFrom('none', 'some', 'all'),
  afterMs: fc.constantFrom(0, 1, 2_000, 60_000, 20 * 60_000, 3_600_000, 'long ago' as const),
  leg: fc.nat(3),
  news: fc.nat(10),
  isGood: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  flag: fc.boolean(),
  repeats: fc.constantFrom(1, 1, 1, 2),
});
type Draw = typeof draws extends fc.Arbitrary<infer T> ? T : never;
/** Facts of every kind in any order: duplicated, late, stale and contradictory, with what is awaited among them. */
export const histories = fc.array(draws, { maxLength: 60 });

/** The same long lives on every run: enough of them to go everywhere. */
export function everyLife(watch: (before: Order, now: Order, fact: Fact) => void): void {
  const long = fc.array(draws, { minLength: 40, maxLength: 80 });
  for (const [trip, history] of fc.sample(fc.tuple(trips, long), { seed: 1, numRuns: 4_000 })) {
    live(witness(tripOrder(trip), RULES, watch), history);
  }
}

/** Tells the order one fact after the other. */
export function live(beside: Witness, history: readonly Draw[]): void {
  let now: Instant = CREATED;
  for (const draw of history) {
    const at = draw.afterMs === 'long ago' ? CREATED : later(now, draw.afterMs);
    now = instant(Math.max(now, at));
    const fact = factOf(beside, draw, at);
    for (let times = 0; times < draw.repeats; times += 1) beside.tell(fact);
  }
}

function factOf(beside: Witness, draw: Draw, at: Instant): Fact {
  if (draw.kind === 'awaited')
    return draw.flag ? (forClaim(beside, draw, at) ?? forPhase(beside, draw, at)) : forPhase(beside, draw, at);
  return draw.kind === 'payment' ? anyNews(beside.order, draw, at) : make(beside, draw, at, draw.kind);
}

/** What the phase waits for. */
function forPhase(beside: Witness, draw: Draw, at: Instant): Fact {
  const { order } = beside;
  const { state } = order;
  switch (state.phase) {
    case 'screening':
      return make(beside, draw, at, 'deposit_screened');
    case 'collecting':
      return nextOf(collectionPayment(order), draw, at) ?? make(beside, draw, at, 'deposit_observed');
    case 'stocking':
      return make(beside, draw, at, 'stock_reserved');
    case 'trading':
      return make(beside, draw, at, 'ticket_done');
    case 'placing':
      return make(beside, draw, at, draw.isGood ? 'leg_placed' : 'leg_declined');
    case 'swapping':
    case 'provider_failed': {
      const deal = dealPayment(order, state.deal);
      const unpaid = deal && !isPaid(deal) ? nextOf(deal, draw, at) : undefined;
      return (
        unpaid ?? make(beside, draw, at, draw.isGood ? 'leg_delivered' : draw.flag ? 'leg_returned' : 'leg_failed')
      );
    }
    case 'payout_due':
      return draw.isGood
        ? make(beside, draw, at, 'payout_reserved')
        : { fact: 'refund_address_given', to: place(state.out.asset, 'home'), at };
    case 'paying':
      return nextOf(payoutPayment(order), draw, at) ?? make(beside, draw, at, 'deposit_observed');
    case 'payout_refused':
      return draw.isGood
        ? make(beside, draw, at, 'payout_address_given')
        : { fact: 'refund_address_given', to: place(state.out.asset, 'home'), at };
    case 'failed':
      return givingBack(order, draw, at) ?? make(beside, draw, at, 'deposit_observed');
    case 'below_minimum':
      return make(beside, draw, at, draw.isGood ? 'deposit_observed' : 'deadline_passed');
    default:
      return forClaim(beside, draw, at) ?? make(beside, draw, at, 'deposit_observed');
  }
}

/** What the first claim that is still open waits for. */
function forClaim({ order }: Witness, draw: Draw, at: Instant): Fact | undefined {
  const claim = order.claims.find(
    ({ stage }) => stage === 'address_required' || stage === 'pricing' || stage === 'paying',
  );
  if (!claim) return givingBack(order, draw, at);
  if (claim.stage === 'pricing') return pricing(order, claim, draw, at);
  return claim.stage === 'address_required'
    ? { fact: 'refund_address_given', to: place(claim.amount.asset, 'home'), at }
    : nextOf(refundPayment(order, claim), draw, at);
}

function pricing(order: Order, claim: Claim, { isGood, flag, part }: Draw, at: Instant): Fact {
  if (isGood) return claimPriced(order, claim.number, at, flag ? claim.amount.atoms / 10n : 0n);
  const dear = claimPriced(order, claim.number, at, partOf(order.asked, part).atoms);
  return flag ? { ...dear, inAsset: undefined } : dear;
}

/** A person gives back what could not be collected, or what one address could not be paid. */
function givingBack(order: Order, { isGood }: Draw, at: Instant): Fact | undefined {
  const blocked = order.claims.find(({ stage }) => stage === 'blocked' || stage === 'kept');
  const what = blocked ? { claim: blocked.number } : order.state.phase === 'failed' ? 'deposit' : undefined;
  return what && isGood ? { fact: 'give_back_decided', what, byHand: { by: 'Ada', reason: 'a story' }, at } : undefined;
}

/** What a payment waits for; sometimes what it fears. */
function nextOf(payment: Payment | undefined, draw: Draw, at: Instant): Fact | undefined {
  if (!payment) return undefined;
  const { state } = payment;
  switch (state.state) {
    case 'due': {
      const { priced, refused } = newsOf(payment, at);
      return draw.isGood ? priced(draw.flag ? 5n : 0n) : refused;
    }
    case 'awaiting_gas':
      if (!payment.gas || payment.gas.progress.state === 'refused') return undefined;
      return nextOfTransfer(payment, 'gas', payment.gas.progress, draw, at);
    case 'refused':
      return undefined;
    case 'held':
      return newsOf(payment, at).settled;
    default:
      return nextOfTransfer(payment, 'main', state, draw, at);
  }
}

function nextOfTransfer(payment: Payment, part: 'main' | 'gas', progress: Progress, draw: Draw, at: Instant): Fact {
  const news = newsOf(payment, at, part);
  switch (progress.state) {
    case 'reserved':
      return draw.isGood ? news.signed : news.refused;
    case 'signed':
      return draw.isGood ? (draw.flag ? news.sent : news.confirmed) : news.failed;
    case 'sent':
      if (draw.leg === 3) return draw.flag ? news.signedAnew : news.stuck;
      return draw.isGood ? (draw.flag ? news.confirmed : news.settled) : draw.flag ? news.failed : news.dead;
    default:
      return draw.isGood ? news.settled : news.failed;
  }
}
/** News of any payment, also of one that was never made. */
function anyNews(order: Order, draw: Draw, at: Instant): Fact {
  const payment = order.payments[draw.leg] ?? unknownTo(order);
  const { priced, ...news } = newsOf(payment, at, draw.flag ? 'main' : 'gas');
  const all = [...Object.values(news), priced(0n)];
  return all[draw.news % all.length] ?? priced(5n);
}

const unknownTo = (order: Order): Payment => ({
  ...newPayment({
    ...{ owner: order.id, purpose: { for: 'payout', number: 0 }, from: 'hot', source: `order:${order.id}` },
    ...{ amount: order.asked, to: order.destination.address },
  }),
  id: 'unheard of' as IntentId,
});

function make({ order }: Witness, draw: Draw, at: Instant, kind: OrderFactKind): Fact {
  switch (kind) {
    case 'deposit_observed': {
      const seen = partOf(order.asked, draw.part);
      const confirmed = { none: zero(seen.asset), some: amount(seen.asset, seen.atoms / 3n), all: seen }[
        draw.confirmed
      ];
      return observed(seen, confirmed, at, { firstSeenAt: order.funds.firstSeenAt ?? at });
    }
    case 'stray_observed':
      return {
        fact: kind,
        total: amount(draw.flag ? STRAY : ETH.id, draw.part[0]),
        from: { deposit: order.depositIndex },
        at,
      };
    case 'reward_observed':
      return { fact: kind, total: amount(order.from.id, draw.part[0]), from: 'hot', at };
    case 'deposit_screened':
      return { ...screenedFact(draw.isGood, senderOf(order, draw), at), fromStock: draw.leg % 2 === 0 };
    case 'inventory_short':
      return { fact: kind, asset: order.to.id, at };
    case 'ticket_done':
      return ticket(order, draw, at);
    case 'leg_placed':
    case 'leg_declined':
    case 'leg_delivered':
    case 'leg_returned':
    case 'leg_failed':
      return ofDeal(order, draw, at, kind);
    case 'refund_address_given':
      return { fact: kind, to: place(draw.flag ? order.from.id : STRAY, `home ${draw.leg}`), at };
    case 'fee_priced':
      return { fact: kind, cost: zero(order.from.id), at };
    case 'claim_priced':
      return forClaim({ order } as Witness, draw, at) ?? { fact: 'deadline_passed', at };
    case 'give_back_decided': {
      const blocked = order.claims.find(({ stage }) => stage === 'blocked')?.number;
      const what = draw.flag ? 'deposit' : { claim: draw.isGood ? (blocked ?? draw.leg) : draw.leg };
      return { fact: kind, what, byHand: { by: 'Ada', reason: 'a story' }, at };
    }
    case 'payout_address_given':
      return { fact: kind, to: place(payoutTo(order).asset, `other ${draw.leg}`), at };
    default:
      return { fact: kind, at };
  }
}

const senderOf = ({ from }: Order, { flag }: Draw) => (flag ? place(from.id, 'sender') : undefined);
const partOf = (whole: Amount, [tenThousandths, atoms]: Part): Amount =>
  amount(whole.asset, bigger(0n, (whole.atoms * tenThousandths) / 10_000n + atoms));
const bigger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Whoever has no business with the venue hears of it all the same. */
const NO_TRADE = { spend: ETH.id, receive: STRAY, side: 'buy' } as const;

/** Fills nothing, a little, all, or a little more than the chunk; sometimes of a ticket that is long done. */
function ticket(order: Order, draw: Draw, at: Instant): Fact {
  const leg = order.route.legs.find((one) => one.leg === 'venue') ?? NO_TRADE;
  const run = order.state.phase === 'trading' ? order.state.run : undefined;
  const wanted = run?.chunkLeft ?? amount(leg.spend, 100n);
  const spent = draw.isGood ? partOf(wanted, draw.part) : zero(wanted.asset);
  return {
    fact: 'ticket_done',
    chunk: run && draw.leg < 3 ? run.chunk : 0,
    attempt: run && draw.leg < 3 ? run.attempt : draw.leg,
    spent: smaller(spent, partOf(wanted, [12_000n, 0n])),
    got: amount(leg.receive, traded(leg.side, spent.atoms)),
    last: draw.flag,
    at,
  };
}
