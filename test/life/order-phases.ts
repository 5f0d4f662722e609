import assert from 'node:assert/strict';
import { amount } from '../../src/kernel/amount.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { budgetAt } from '../../src/life/order/machine/fees.ts';
import { legOf } from '../../src/life/order/machine/leg.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { Phase } from '../../src/life/order/state.ts';
import type { PurposeName } from '../../src/life/payment/payment.ts';
import { ether, traded, USDC, usdc, worth, xmr } from './market.ts';
import { dealOf } from './order-script.ts';
import { newsOf, paymentOf, wayOf } from './payment-facts.ts';
import {
  after,
  buyOrder,
  final,
  minute,
  paidBack,
  place,
  pooled,
  screenedFact,
  sellOrder,
  swapOrder,
} from './world.ts';

export const AT = minute(10);

export const screened = (clear: boolean): Fact => screenedFact(clear, place(USDC.id, 'sender'), AT);

/** Screened, and stock is there to go on with. */
export const advanced: Fact = { ...screenedFact(true, place(USDC.id, 'sender'), AT), fromStock: true };

/** What may happen to the newest payment of that purpose. */
export const news = (order: Order, purpose: PurposeName, part: 'main' | 'gas' = 'main') =>
  newsOf(paymentOf(order, purpose), AT, part);

/** The newest payment of that purpose is paid, without trouble. */
export const paid = (order: Order, purpose: PurposeName): Order =>
  after(order, ...wayOf(paymentOf(order, purpose), AT));

/** Fills the chunk at the price of these stories. */
export function filled({ state, route }: Order): Fact {
  const leg = route.legs.find((one) => one.leg === 'venue');
  assert.ok(state.phase === 'trading' && leg);
  const { chunk, attempt, chunkLeft } = state.run;
  const got = amount(leg.receive, traded(leg.side, chunkLeft.atoms));
  return { fact: 'ticket_done', chunk, attempt, spent: chunkLeft, got, last: false, at: AT };
}

export const placed = (order: Order): Fact => {
  assert.ok(order.state.phase === 'placing');
  const { leg, held } = order.state;
  const input = budgetAt(order, leg, held);
  const output = worth(input, legOf(order, leg).output.asset);
  return { fact: 'leg_placed', deal: dealOf(order.deals, input, output), at: AT };
};

/** The provider brings so many hundredths of what its deal names. */
export const brings =
  (what: 'input' | 'output' | 'least', hundredths: bigint) =>
  ({ state }: Order): Fact => {
    assert.ok(state.phase === 'swapping');
    const { asset, atoms } = state.deal.terms[what];
    const got = amount(asset, (atoms * hundredths) / 100n);
    return { fact: 'leg_delivered', number: 0, got, most: got, to: undefined, at: AT };
  };

const awaiting = buyOrder();
const confirming = after(awaiting, pooled(usdc('100'), AT));
const screening = after(confirming, final(usdc('100'), AT));
const collecting = after(screening, screened(true));
const stocking = paid(collecting, 'collection');
const trading = after(stocking, { fact: 'stock_reserved', at: AT });
const due = after(trading, filled(trading));
const paying = after(due, { fact: 'payout_reserved', at: AT });
const refunding = after(screening, screened(false));

const placing = after(swapOrder({ collects: false }), final(ether('0.1'), AT), screened(true));
const swapping = paid(after(placing, placed(placing)), 'provider_deal');

/** An order in every phase, brought there by facts. */
export const ORDER_IN: Readonly<Record<Phase, Order>> = {
  awaiting_deposit: awaiting,
  confirming,
  below_minimum: after(sellOrder(), final(xmr('0.05'), AT)),
  screening,
  collecting,
  stocking,
  trading,
  placing,
  swapping,
  provider_failed: after(swapping, { fact: 'leg_failed', number: 0, reason: 'lost', at: AT }),
  payout_due: due,
  paying,
  payout_refused: after(paying, news(paying, 'payout').refused),
  refunding,
  completed: paid(paying, 'payout'),
  refunded: after(refunding, ...paidBack(refunding, 1, AT)),
  expired: after(awaiting, { fact: 'deadline_passed', at: minute(60) }),
  failed: after(collecting, news(collecting, 'collection').refused),
};
