import assert from 'node:assert/strict';
import { type Amount, amount, rescale } from '../../src/kernel/amount.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import {
  type Address,
  type AssetId,
  assetId,
  chainId,
  type OrderId,
  type TokenId,
  txHash,
} from '../../src/kernel/ids.ts';
import { percent, type Ratio, ratio, scaleInt } from '../../src/kernel/ratio.ts';
import { type UsdMicros, usdPrice } from '../../src/kernel/usd.ts';
import { draftOrder } from '../../src/life/order/create.ts';
import type { Fact } from '../../src/life/order/event.ts';
import type { Destination, Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Phase } from '../../src/life/order/state.ts';
import { transition } from '../../src/life/order/transition.ts';
import type { FeeTerm, Quote, VenueLeg } from '../../src/life/quote/quote.ts';
import type { Asset, ChainFacts } from '../../src/world/chains/chain.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { MONERO_DEFAULTS, moneroRules, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';

const ARBITRUM = evmNetwork(42161).facts;
const MONERO = moneroRules(MONERO_DEFAULTS).facts;
const VENUE = chainId(1337);

export const XMR = XMR_ASSET;
export const USDC = assetOf(ARBITRUM, 'USDC');
export const ETH = assetOf(ARBITRUM, 'ETH');
/** The same coin on a chain where nobody expects it. */
export const STRAY = assetOf(evmNetwork(1).facts, 'USDC').id;
const VENUE_XMR = assetId(VENUE, 'XMR1' as TokenId);
const VENUE_USDC = assetId(VENUE, 'USDC' as TokenId);
const VENUE_DECIMALS = 8;

/** The market of these stories: one XMR is 300 dollars. */
export const DOLLARS_PER_XMR = 300n;

export const CREATED = instant(1_700_000_000_000);
/** Minutes after the order was made; its time is up at 60. */
export const minute = (minutes: number): Instant => instant(CREATED + Math.round(minutes * 60_000));

export const usdc = (dollars: string): Amount => amount(USDC.id, units(dollars, 6));
export const xmr = (coins: string): Amount => amount(XMR.id, units(coins, 12));

function units(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

function assetOf(chain: ChainFacts, symbol: string): Asset {
  const found = chain.assets.find((asset) => asset.symbol === symbol);
  assert.ok(found, symbol);
  return found;
}

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

/** An order in the few words that a counterexample needs. */
export interface Trip extends Omit<Terms, 'refundTo' | 'fees' | 'asked' | 'generation'> {
  readonly side: 'buy' | 'sell';
  readonly hasRefundTo: boolean;
  readonly fees?: 'none' | 'all of the input' | 'all of the output';
}

export function tripOrder({ side, hasRefundTo, fees, ...terms }: Trip): Order {
  const [from, to, make] = side === 'buy' ? [USDC, XMR, buyOrder] : [XMR, USDC, sellOrder];
  const devouring = (feeSide: FeeTerm['side'], asset: AssetId): FeeTerm => ({
    type: 'service',
    side: feeSide,
    asset,
    rate: ratio(1n, 1n),
    flat: amount(asset, 1n),
  });
  const taken = {
    none: [],
    'all of the input': [devouring('input', from.id)],
    'all of the output': [devouring('output', to.id)],
  };
  return make({
    ...terms,
    ...(fees ? { fees: taken[fees] } : {}),
    ...(hasRefundTo ? { refundTo: place(from.id, 'home') } : {}),
  });
}

function orderOf(side: 'buy' | 'sell', usual: Amount, minimum: Amount, terms: Terms): Order {
  const [from, to, chain] = side === 'buy' ? [USDC, XMR, ARBITRUM] : [XMR, USDC, MONERO];
  const asked = terms.asked ?? usual;
  const quote = quoteOf(side, from, to, asked, minimum, terms);
  const destination = place(to.id, 'customer');
  const draft = draftOrder(
    {
      id: `sw_${'a'.repeat(26)}` as OrderId,
      generation: terms.generation ?? 'v2',
      quote,
      chain,
      destination,
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

function quoteOf(side: 'buy' | 'sell', from: Asset, to: Asset, asked: Amount, minimum: Amount, terms: Terms): Quote {
  const leg = legOf(side, from, asked, terms.chunks ?? 1);
  const toAmount = amount(
    to.id,
    rescale(traded(side, venueAtoms(from, asked.atoms)), VENUE_DECIMALS, to.decimals, 'down'),
  );
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
      legs: [leg],
      fees: terms.fees ?? feesOf(side),
      fromPrice: usdPrice(ratio(side === 'buy' ? 1n : DOLLARS_PER_XMR, 1n), from.decimals),
      toPrice: usdPrice(ratio(side === 'buy' ? DOLLARS_PER_XMR : 1n, 1n), to.decimals),
    },
    expiresAt: minute(1),
  };
}

function legOf(side: 'buy' | 'sell', from: Asset, asked: Amount, chunks: number): VenueLeg {
  const [spend, receive] = side === 'buy' ? [VENUE_USDC, VENUE_XMR] : [VENUE_XMR, VENUE_USDC];
  return {
    leg: 'venue',
    side,
    spend,
    spendDecimals: VENUE_DECIMALS,
    receive,
    receiveDecimals: VENUE_DECIMALS,
    worstPrice: ratio(DOLLARS_PER_XMR, 1n),
    chunks: {
      count: chunks,
      each: amount(spend, venueAtoms(from, asked.atoms) / BigInt(chunks)),
      intervalMs: 8_000,
      chunkSizeUsd: 250,
    },
  };
}

const venueAtoms = (from: Asset, atoms: bigint): bigint => rescale(atoms, from.decimals, VENUE_DECIMALS, 'down');

/** What the venue gives for so much at the price of these stories. */
export function traded(side: 'buy' | 'sell', spent: bigint): bigint {
  const price: Ratio = side === 'buy' ? ratio(1n, DOLLARS_PER_XMR) : ratio(DOLLARS_PER_XMR, 1n);
  return scaleInt(spent, price, 'down');
}

/** As quotes make them: a rate where the money is in dollars, and what the networks cost. */
export function feesOf(side: 'buy' | 'sell'): readonly FeeTerm[] {
  const [rateSide, rateAsset] = side === 'buy' ? (['input', USDC.id] as const) : (['output', USDC.id] as const);
  const flatOut = side === 'buy' ? xmr('0.0001') : usdc('0.03');
  return [
    { type: 'service', side: rateSide, asset: rateAsset, rate: percent('0.3'), flat: undefined },
    { type: 'network', side: 'output', asset: flatOut.asset, rate: undefined, flat: flatOut },
  ];
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
export function paidBack(order: Order, leg: number, at: Instant): readonly Fact[] {
  const intent = { kind: 'refund', leg } as const;
  const claim = order.claims.find((one) => one.leg === leg);
  assert.ok(claim, `claim ${leg}`);
  const nothing = amount(ETH.id, 0n);
  const hash = txHash(`0xrefund${leg}`);
  return [
    { fact: 'gas_priced', forWhat: intent, needed: nothing, hot: 'hot' as Address, at },
    { fact: 'intent_signed', intent, txHash: hash, at },
    { fact: 'intent_sent', intent, at },
    { fact: 'intent_final', intent, txHash: hash, amount: claim.amount, cost: nothing, at },
  ];
}
