import assert from 'node:assert/strict';
import { amount } from '../../src/kernel/amount.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import type { Fact, IntentRef } from '../../src/life/order/fact.ts';
import { budgetAt } from '../../src/life/order/machine/fees.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { Phase } from '../../src/life/order/state.ts';
import { ETH, ether, traded, USDC, usdc, worth, xmr } from './market.ts';
import { dealOf } from './order-script.ts';
import { after, buyOrder, final, minute, paidBack, place, pooled, sellOrder, swapOrder } from './world.ts';

export const AT = minute(10);
export const HASH = txHash('0xpaid');
const GAS = amount(ETH.id, 5n);
const NO_GAS = amount(ETH.id, 0n);

export const gas: IntentRef = { kind: 'gas', leg: 0 };
export const sweep: IntentRef = { kind: 'sweep', leg: 0 };
export const payout: IntentRef = { kind: 'payout', leg: 0 };

export const priced = { fact: 'gas_priced', forWhat: sweep, needed: GAS, hot: 'hot' as Address, at: AT } as const;
export const screened = (clear: boolean): Fact => ({
  fact: 'deposit_screened',
  clear,
  sender: place(USDC.id, 'sender'),
  at: AT,
});
export const signed = (intent: IntentRef): Fact => ({ fact: 'intent_signed', intent, txHash: HASH, at: AT });
export const sent = (intent: IntentRef): Fact => ({ fact: 'intent_sent', intent, at: AT });
export const refused = (intent: IntentRef, cost?: 'executed'): Fact => ({
  fact: 'intent_refused',
  intent,
  reason: 'the chain says no',
  cost: cost && GAS,
  at: AT,
});
const done = (intent: IntentRef, value: Order['used']): Fact => ({
  fact: 'intent_final',
  intent,
  txHash: HASH,
  amount: value,
  cost: NO_GAS,
  at: AT,
});
/** The payment became final with what the order says of it. */
export function settled(order: Order, intent: IntentRef): Fact {
  const { state } = order;
  return done(intent, intent.kind === 'gas' ? GAS : 'out' in state ? state.out : order.used);
}

/** Fills the chunk at the price of these stories. */
export function filled({ state, route }: Order): Fact {
  const leg = route.legs.find((one) => one.leg === 'venue');
  assert.ok(state.phase === 'trading' && leg);
  const { chunk, attempt, chunkLeft } = state.run;
  const got = amount(leg.receive, traded(leg.side, chunkLeft.atoms));
  return { fact: 'ticket_done', chunk, attempt, spent: chunkLeft, got, last: false, at: AT };
}

export const fund: IntentRef = { kind: 'fund', leg: 0 };
export const placed = (order: Order): Fact => {
  assert.ok(order.state.phase === 'placing');
  const input = budgetAt(order, order.state.leg, order.state.held);
  return { fact: 'leg_placed', deal: dealOf(order.deals, input, worth(input, USDC.id)), at: AT };
};

const awaiting = buyOrder();
const confirming = after(awaiting, pooled(usdc('100'), AT));
const screening = after(confirming, final(usdc('100'), AT));
const fundingGas = after(screening, screened(true));
const collecting = after(fundingGas, priced, done(gas, GAS));
const stocking = after(collecting, settled(collecting, sweep));
const trading = after(stocking, { fact: 'stock_reserved', at: AT });
const due = after(trading, filled(trading));
const reserved = after(due, { fact: 'payout_reserved', at: AT });
const payoutSigned = after(reserved, signed(payout));
const payoutSent = after(payoutSigned, sent(payout));
const refunding = after(screening, screened(false));

const placing = after(swapOrder({ collects: false }), final(ether('0.1'), AT), screened(true));
const funding = after(placing, placed(placing));
const swapping = after(funding, signed(fund), done(fund, placing.used));

/** An order in every phase, brought there by facts. */
export const ORDER_IN: Readonly<Record<Phase, Order>> = {
  awaiting_deposit: awaiting,
  confirming,
  below_minimum: after(sellOrder(), final(xmr('0.05'), AT)),
  screening,
  funding_gas: fundingGas,
  collecting,
  stocking,
  trading,
  placing,
  funding,
  swapping,
  provider_failed: after(swapping, { fact: 'leg_failed', number: 0, reason: 'lost', at: AT }),
  payout_due: due,
  payout_reserved: reserved,
  payout_signed: payoutSigned,
  payout_sent: payoutSent,
  payout_refused: after(reserved, refused(payout)),
  refunding,
  completed: after(payoutSent, settled(payoutSent, payout)),
  refunded: after(refunding, ...paidBack(refunding, 1, AT)),
  expired: after(awaiting, { fact: 'deadline_passed', at: minute(60) }),
  failed: after(collecting, refused(sweep)),
};
