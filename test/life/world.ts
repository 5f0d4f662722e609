import assert from 'node:assert/strict';
import { type Amount, amount, zero } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { type UsdMicros, usdPrice } from '../../src/kernel/usd.ts';
import type { Measures } from '../../src/life/deposit/judge.ts';
import { draftOrder } from '../../src/life/order/create.ts';
import type { Fact, Of } from '../../src/life/order/fact.ts';
import type { Destination, Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Phase } from '../../src/life/order/state.ts';
import { transition } from '../../src/life/order/transition.ts';
import type { FeeTerm, Quote } from '../../src/life/quote/quote.ts';
import { dollarsOf, ENDS, ether, feesOf, legsOf, STRAY, USDC, usdc, type Way, worth, xmr, xmr1 } from './market.ts';
import { coin, wayOf } from './payment-facts.ts';

export const CREATED = instant(1_700_000_000_000);
/** Minutes after the order was made; its time is up at 60. */
export const minute = (minutes: number): Instant => instant(CREATED + Math.round(minutes * 60_000));

export const place = (asset: AssetId, name: string): Destination => ({
  asset,
  address: name as Address,
  binding: `bound:${name}`,
});

/** What a story may change; all else is as the real chains have it. */
export interface Terms {
  readonly asked?: Amount;
  readonly chunks?: number;
  readonly fees?: readonly FeeTerm[];
  readonly refundTo?: Destination;
  readonly deposits?: Order['deposits'];
  readonly collects?: boolean;
  readonly generation?: Order['generation'];
}

/** USDC on Arbitrum for XMR: waits for top-ups, and collects from an address of its own. */
export const buyOrder = (terms: Terms = {}): Order => orderOf('buy', usdc('100'), usdc('25'), terms);
/** XMR for USDC: takes what comes, and has nothing to collect. */
export const sellOrder = (terms: Terms = {}): Order => orderOf('sell', xmr('1'), xmr('0.1'), terms);

/** Ether to USDC: by a provider alone. */
export const swapOrder = (terms: Terms = {}): Order => orderOf('swap', ether('0.1'), ether('0.01'), terms);
/** Ether for XMR: a provider first, then the venue. */
export const swapBuyOrder = (terms: Terms = {}): Order => orderOf('swap_buy', ether('0.1'), ether('0.01'), terms);
/** XMR for ether: the venue first, then a provider. */
export const sellSwapOrder = (terms: Terms = {}): Order => orderOf('sell_swap', xmr('1'), xmr('0.1'), terms);

/** XMR to its wrapped form on the venue, and back. */
export const bridgeInOrder = (terms: Terms = {}): Order => orderOf('bridge_in', xmr('1'), xmr('0.1'), terms);
export const bridgeOutOrder = (terms: Terms = {}): Order => orderOf('bridge_out', xmr1('1'), xmr1('0.1'), terms);

const MAKERS: Readonly<Record<Way, (terms: Terms) => Order>> = {
  buy: buyOrder,
  sell: sellOrder,
  swap: swapOrder,
  swap_buy: swapBuyOrder,
  sell_swap: sellSwapOrder,
  bridge_in: bridgeInOrder,
  bridge_out: bridgeOutOrder,
};

/** An order in the few words that a counterexample needs. */
export interface Trip extends Omit<Terms, 'refundTo' | 'fees' | 'asked' | 'generation'> {
  readonly way: Way;
  readonly hasRefundTo: boolean;
  readonly fees?: 'none' | 'all of the input' | 'all of the middle' | 'all of the output';
}

export function tripOrder({ way, hasRefundTo, fees, ...terms }: Trip): Order {
  const make = MAKERS[way];
  const { from, to } = ENDS[way];
  const devouring = (at: number, asset: AssetId): FeeTerm => ({
    type: 'service',
    at,
    asset,
    rate: ratio(1n, 1n),
    flat: amount(asset, 1n),
  });
  const taken = {
    none: [],
    'all of the input': [devouring(0, from.id)],
    'all of the middle': [devouring(1, USDC.id)],
    'all of the output': [devouring(legsOf(way, undefined).length, to.id)],
  };
  return make({
    ...terms,
    ...(fees ? { fees: taken[fees] } : {}),
    ...(hasRefundTo ? { refundTo: place(from.id, 'home') } : {}),
  });
}

function orderOf(way: Way, usual: Amount, minimum: Amount, terms: Terms): Order {
  const { to, chain } = ENDS[way];
  const asked = terms.asked ?? usual;
  const quote = quoteOf(way, asked, minimum, terms);
  const destination = place(to.id, 'customer');
  const draft = draftOrder(
    {
      id: `sw_${'a'.repeat(26)}` as OrderId,
      generation: terms.generation ?? 'v2',
      ...(way.startsWith('bridge')
        ? { bridge: { asset: 'xmr', direction: way === 'bridge_in' ? 'deposit' : 'withdraw' } }
        : {}),
      quote,
      chain,
      destination,
      charter: 'bound:charter',
      refundTo: terms.refundTo,
      now: CREATED,
    },
    RULES,
  );
  return {
    ...draft,
    deposits: terms.deposits ?? draft.deposits,
    collects: terms.collects ?? draft.collects,
    depositAddress: 'deposit' as Address,
    depositIndex: 7,
  };
}

function quoteOf(way: Way, asked: Amount, minimum: Amount, terms: Terms): Quote {
  const { from, to } = ENDS[way];
  const toAmount = worth(asked, to.id);
  const zeroUsd = 0n as UsdMicros;
  return {
    from,
    to,
    mode: 'exact_in',
    fromAmount: asked,
    fromUsd: zeroUsd,
    toAmount,
    toUsd: zeroUsd,
    minReceived: toAmount,
    fees: [],
    integratorFee: undefined,
    minFrom: minimum,
    maxFrom: asked,
    minDepositUsd: 25,
    estimatedSeconds: 60,
    route: {
      legs: legsOf(way, asked, terms.chunks),
      fees: terms.fees ?? feesOf(way),
      fromPrice: usdPrice(ratio(dollarsOf(from.id), 1n), from.decimals),
      toPrice: usdPrice(ratio(dollarsOf(to.id), 1n), to.decimals),
    },
    expiresAt: minute(1),
  };
}

type Observed = Extract<Fact, { fact: 'deposit_observed' }>;

/** The chain shows this much; unless said otherwise all of it since the beginning, from a plain account. */
export function observed(seen: Amount, confirmed: Amount, at: Instant, more: Partial<Observed> = {}): Observed {
  return {
    fact: 'deposit_observed',
    seen,
    confirmed,
    firstSeenAt: at,
    txHash: txHash('0xdeposit'),
    sender: 'sender' as Address,
    senders: ['sender' as Address],
    have: 0,
    need: 10,
    at,
    ...more,
  };
}

export const pooled = (seen: Amount, at: Instant, more: Partial<Observed> = {}): Observed =>
  observed(seen, amount(seen.asset, 0n), at, more);
export const final = (seen: Amount, at: Instant, more: Partial<Observed> = {}): Observed =>
  observed(seen, seen, at, { have: 10, ...more });

/** How sightings are judged where every asset is in the catalog and all of them have come so deep. */
export const measuresAt = (have: number, need: number): Measures => ({
  depthOf: () => ({ have, need }),
  listed: new Set([...Object.values(ENDS).flatMap(({ from, to }) => [from.id, to.id]), STRAY]),
  rules: RULES,
});

/** The order after facts that each must be taken. */
export function after(order: Order, ...facts: readonly Fact[]): Order {
  return facts.reduce((now, fact) => {
    const outcome = transition(now, fact, RULES);
    assert.notEqual(outcome, 'ignore', `${fact.fact} was ignored in ${now.state.phase}`);
    return outcome === 'ignore' ? now : outcome.order;
  }, order);
}

export const phaseAfter = (order: Order, ...facts: readonly Fact[]): Phase => after(order, ...facts).state.phase;
export const isIgnored = (order: Order, fact: Fact): boolean => transition(order, fact, RULES) === 'ignore';

/** Everything that has to happen for a claim to be paid, once it has an address. */
export function paidBack(order: Order, claim: number, at: Instant): readonly Fact[] {
  const isPriced = order.claims.find(({ number }) => number === claim)?.stage !== 'pricing';
  const pricing = isPriced ? [] : [claimPriced(order, claim, at)];
  const refund = after(order, ...pricing).payments.find(
    ({ purpose }) => purpose.for === 'refund' && purpose.claim === claim,
  );
  assert.ok(refund, `the refund of claim ${claim}`);
  return [...pricing, ...wayOf(refund, at)];
}

/** What giving that claim back costs, in the coin and in its own asset; nothing unless a story says so. */
export function claimPriced({ claims }: Order, claim: number, at: Instant, cost = 0n): Of<'claim_priced'> {
  const { asset } = present(
    claims.find(({ number }) => number === claim),
    `claim ${claim}`,
  ).amount;
  return { fact: 'claim_priced', claim, cost: coin(zero(asset), cost), inAsset: amount(asset, cost), at };
}

/** The deposit passed, or did not pass for who sent it. */
export const screenedFact = (clear: boolean, sender: Destination | undefined, at: Instant): Of<'deposit_screened'> => ({
  fact: 'deposit_screened',
  clear,
  isTainted: !clear,
  sender,
  hot: 'hot' as Address,
  at,
});
