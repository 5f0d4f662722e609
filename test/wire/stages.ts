import { amount, zero } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import type { Claim, Order } from '../../src/life/order/order.ts';
import type { Execution } from '../../src/life/order/state.ts';
import { newPayment, type Payment } from '../../src/life/payment/payment.ts';
import type { SavedFill } from '../../src/store/trades.ts';
import { BASE_ETH, VENUE_USDC, VENUE_XMR } from './assets.ts';
import { START } from './bench.ts';

/** Orders at the stages that a reader tells apart; each is a change for `desk.change`. */
type Change = (order: Order) => Partial<Order>;

const MINUTE = 60_000;

export const arrived =
  (atoms: bigint, have = 0): Change =>
  ({ from, funds }) => ({
    funds: {
      ...funds,
      seen: amount(from.id, atoms),
      firstSeenAt: instant(START + MINUTE),
      txHash: txHash('0xdeposit'),
      have,
    },
  });

export const confirming: Change = (order) => ({
  ...arrived(order.asked.atoms, 3)(order),
  state: { phase: 'confirming', closed: false },
});

const run = ({ route }: Order): Execution => {
  const leg = route.legs.find((one) => one.leg === 'venue');
  const spend = leg?.spend ?? VENUE_USDC.id;
  return {
    idleSince: undefined,
    leg: 0,
    total: amount(spend, 30_000_000_000n),
    reserved: amount(spend, 20_000_000_000n),
    spent: amount(spend, 10_000_000_000n),
    got: amount(leg?.receive ?? VENUE_XMR.id, 33_000_000n),
    chunk: 1,
    attempt: 0,
    chunks: leg?.chunks.count ?? 1,
    chunkLeft: amount(spend, 0n),
  };
};

const traded = (order: Order): Execution => ({ ...run(order), spent: run(order).total });

export const trading: Change = (order) => ({
  ...arrived(order.asked.atoms, 12)(order),
  state: { phase: 'trading', leg: 0, held: order.asked, run: run(order) },
});

/** What a payment has come to once a block holds it; what it cost shows nowhere. */
const confirmed = (payment: Payment, hash: string): Payment => ({
  ...payment,
  state: { state: 'confirmed', txHash: txHash(hash), cost: zero(payment.amount.asset) },
});

/** The order's payout, in a block since then. */
export function paidOut(order: Order, atoms: bigint, at: number): Pick<Order, 'payments' | 'state'> {
  const out = amount(order.to.id, atoms);
  const payout = newPayment({
    ...{ owner: order.id, purpose: { for: 'payout', number: 0 }, from: 'hot', amount: out },
    ...{ to: order.destination.address, source: `order:${order.id}` },
  });
  return { payments: [confirmed(payout, 'payout')], state: { phase: 'completed', out, at: instant(at) } };
}

export const completed: Change = (order) => ({
  ...arrived(order.asked.atoms, 12)(order),
  traded: traded(order),
  ...paidOut(order, order.expected.atoms - 7n, START + 5 * MINUTE),
});

export const payoutRefused: Change = (order) => ({
  ...arrived(order.asked.atoms, 12)(order),
  traded: traded(order),
  state: {
    phase: 'payout_refused',
    out: amount(order.to.id, order.expected.atoms),
    reason: 'frozen by the token',
  },
});

const claim = (order: Order, change: Partial<Claim>): Claim => ({
  number: 1,
  kind: 'wrong_chain',
  amount: amount(BASE_ETH.id, 10n ** 17n),
  from: { deposit: order.depositIndex },
  stage: 'address_required',
  to: undefined,
  reason: 'sent on another chain or in another asset',
  ...change,
});

/** Somebody sent a tenth of an ether on Base. */
export const strayed: Change = (order) => ({
  claims: [claim(order, {})],
  state: { phase: 'refunding', claim: 1, reason: 'sent on another chain or in another asset' },
});

export const refunded: Change = (order) => {
  const to = { asset: BASE_ETH.id, address: '0x2222222222222222222222222222222222222222' as Address, binding: 'b' };
  const owed = claim(order, { to, stage: 'completed' });
  const { depositAddress: address, depositIndex: index } = order;
  const refund = newPayment({
    ...{ owner: order.id, purpose: { for: 'refund', claim: owed.number }, from: owed.from, amount: owed.amount },
    ...{ to: to.address, source: `deposit:${order.id}`, payer: { address, index } },
  });
  return {
    claims: [owed],
    payments: [confirmed(refund, '0xrefund')],
    refundTo: to,
    state: {
      phase: 'refunded',
      claim: 1,
      reason: 'sent on another chain or in another asset',
      at: instant(START + 9 * MINUTE),
    },
  };
};

export const expired: Change = (order) => ({ state: { phase: 'expired', at: order.expiresAt } });

export const fill = (seq: number): SavedFill => ({
  seq,
  tradeId: String(9000 + seq),
  txHash: seq % 2 === 0 ? '0xfill' : undefined,
  market: 'XMR1/USDC',
  side: 'buy',
  price: '300.5',
  size: amount(VENUE_XMR.id, 25_000_000n),
  quote: amount(VENUE_USDC.id, 7_512_500_000n),
  fee: amount(VENUE_XMR.id, 17_500n),
  at: instant(START + seq * 1000),
});
