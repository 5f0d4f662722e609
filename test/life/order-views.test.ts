import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Phase } from '../../src/life/order/state.ts';
import type { RecoveryPhase } from '../../src/life/order/view/open-claim.ts';
import { twapOf } from '../../src/life/order/view/twap.ts';
import { type V1Status, v1Status } from '../../src/life/order/view/v1-status.ts';
import {
  actualOutput,
  type CustomerState,
  completedAt,
  customerState,
  errorOf,
  fundedExpectedOutput,
  payoutTxHash,
  refundRecovery,
  refundTxHash,
  type V2Status,
  v2Status,
} from '../../src/life/order/view/v2-customer.ts';
import { USDC, usdc, xmr } from './market.ts';
import { everyLife } from './order-histories.ts';
import { AT, filled, news, ORDER_IN, paid, placed } from './order-phases.ts';
import { hashOf, newsOf, paymentOf } from './payment-facts.ts';
import {
  after,
  buyOrder,
  claimPriced,
  final,
  minute,
  paidBack,
  place,
  pooled,
  screenedFact,
  sellOrder,
} from './world.ts';

const shows = (v1: V1Status, v2: V2Status, customer: CustomerState) => ({ v1, v2, customer });
const processing = (step: Extract<CustomerState, { kind: 'processing' }>['step']) =>
  ({ kind: 'processing', step }) as const;

test('every phase shows itself in both generations', () => {
  const expected: Readonly<Record<Phase, ReturnType<typeof shows>>> = {
    awaiting_deposit: shows('awaiting_deposit', 'awaiting_deposit', { kind: 'awaiting_deposit' }),
    confirming: shows('deposit_detected', 'processing', processing('deposit_seen')),
    below_minimum: shows('awaiting_deposit', 'awaiting_deposit', {
      kind: 'paused',
      reason: 'below_minimum',
      observedDepositAmount: '50000000000',
      minimumDepositAmount: '100000000000',
    }),
    screening: shows('deposit_confirmed', 'processing', processing('funding')),
    collecting: shows('funding_gas', 'processing', processing('funding')),
    stocking: shows('executing_swap', 'processing', processing('executing')),
    trading: shows('executing_swap', 'processing', processing('executing')),
    placing: shows('executing_swap', 'processing', processing('executing')),
    swapping: shows('swap_pending', 'processing', processing('executing')),
    provider_failed: shows('swap_pending', 'processing', { kind: 'paused', reason: 'preparing_refund' }),
    payout_due: shows('swap_pending', 'processing', processing('paying_out')),
    paying: shows('swap_pending', 'processing', processing('paying_out')),
    payout_refused: shows('refunding_wrong_chain', 'processing', { kind: 'action_required', action: 'payout_address' }),
    refunding: shows('refunding', 'processing', { kind: 'paused', reason: 'preparing_refund' }),
    completed: shows('completed', 'completed', { kind: 'completed' }),
    refunded: shows('refunded', 'refunded', { kind: 'refunded' }),
    expired: shows('expired', 'expired', { kind: 'expired' }),
    failed: shows('failed', 'failed', { kind: 'failed', code: 'deposit_not_collectable' }),
  };
  for (const [phase, order] of Object.entries(ORDER_IN)) {
    assert.equal(order.state.phase, phase);
    const shown = shows(v1Status(order), v2Status(order), customerState(order, RULES));
    assert.deepEqual(shown, expected[order.state.phase], phase);
  }
});

/** v1 takes an address only in `refunding_wrong_chain`, so a refund passes through it wherever one is needed. */
const GIVES_BACK: readonly V1Status[] = ['refunding', 'refunding_wrong_chain'];

/** What was asked for may come after money that strayed, and be taken back by the chain; the order goes on with it. */
const BESIDE_A_STRAY: readonly V1Status[] = ['awaiting_deposit', 'deposit_detected', 'deposit_confirmed'];

/** Decision D12, with what the others make of it. */
const D12: Readonly<Record<V1Status, readonly V1Status[]>> = {
  awaiting_deposit: [
    'deposit_detected',
    'expired',
    // One look may show a deposit that is final already: it was detected and confirmed between two looks.
    'deposit_confirmed',
    'refunding_wrong_chain',
    // Too small to go on, and the customer gave a refund address beforehand.
    'refunding',
  ],
  deposit_detected: ['deposit_confirmed', 'awaiting_deposit', ...GIVES_BACK],
  deposit_confirmed: ['funding_gas', 'executing_swap', ...GIVES_BACK],
  funding_gas: ['gas_funded', 'failed', 'refunding_wrong_chain'],
  gas_funded: ['executing_swap', 'failed', ...GIVES_BACK],
  executing_swap: ['swap_pending', 'failed', ...GIVES_BACK],
  swap_pending: ['completed', 'executing_swap', 'failed', ...GIVES_BACK],
  // What is owed beside an outcome shows while its address is needed; then the outcome shows again.
  completed: ['refunding_wrong_chain'],
  // D64: a late deposit is owed.
  expired: GIVES_BACK,
  failed: ['refunding_wrong_chain'],
  refunding_wrong_chain: ['refunding', 'completed', 'refunded', 'failed', ...BESIDE_A_STRAY],
  // A second deposit of an expired order is owed too, and needs an address of its own.
  refunding: ['refunded', 'refunding_wrong_chain', ...BESIDE_A_STRAY],
  refunded: ['refunding_wrong_chain'],
};

test('v1 has words of its own for how far a payment is', () => {
  const { collecting, placing } = ORDER_IN;
  const collection = news(collecting, 'collection');
  const funding = after(collecting, collection.priced(5n));
  const gas = news(funding, 'collection', 'gas');
  const ahead = after(funding, gas.signed, gas.sent);
  assert.deepEqual([v1Status(funding), v1Status(ahead)], ['funding_gas', 'funding_gas']);
  assert.equal(v1Status(after(ahead, gas.confirmed)), 'gas_funded');
  const dealt = after(placing, placed(placing));
  assert.equal(v1Status(dealt), 'executing_swap');
  assert.equal(v1Status(paid(dealt, 'provider_deal')), 'swap_pending');
});

test('v1 never shows a move that D12 does not have', () => {
  const taken = new Set<string>();
  everyLife((before, now) => {
    const [was, is] = [v1Status(before), v1Status(now)];
    // v1 has no way to give another payout address.
    const isOfV2 = before.replacement !== now.replacement;
    // What could be taken back instead of waiting for stock goes on when the stock comes first; another story tells that.
    const isOverdue = 'isOverdue' in before.state && before.state.isOverdue;
    if (was === is || isOfV2 || isOverdue) return;
    taken.add(`${was} ${is}`);
    assert.ok(D12[was].includes(is), `${was} to ${is} (${before.state.phase} to ${now.state.phase})`);
  });
  const all = Object.entries(D12).flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`));
  assert.deepEqual([...taken].sort(), all.sort());
});

test('a refund shows how far it is, from asking for an address to a person who must act', () => {
  const owed = after(buyOrder(), final(usdc('5'), AT), { fact: 'deadline_passed', at: minute(60) });
  const given = after(owed, { fact: 'refund_address_given', to: place(USDC.id, 'home'), at: minute(61) });
  const due = after(given, claimPriced(given, 1, AT, usdc('0.5').atoms));
  const kept = after(given, claimPriced(given, 1, AT, usdc('2').atoms));
  const { priced, refused } = news(due, 'refund');
  const [free, ...rest] = paidBack(due, 1, AT);
  assert.ok(free);
  const queued = after(due, priced(7n));
  const sending = after(due, free);
  const stages: readonly [Order, RecoveryPhase, CustomerState['kind']][] = [
    [owed, 'address_required', 'action_required'],
    [given, 'checking', 'paused'],
    [kept, 'blocked', 'paused'],
    [due, 'checking', 'paused'],
    [queued, 'queued', 'paused'],
    [sending, 'sending', 'paused'],
    [after(sending, refused), 'blocked', 'paused'],
    [after(sending, ...rest), 'completed', 'refunded'],
  ];
  for (const [order, stage, kind] of stages) {
    assert.equal(refundRecovery(order)?.phase, stage);
    assert.equal(customerState(order, RULES).kind, kind, stage);
  }
  assert.deepEqual(refundRecovery(owed), {
    kind: 'source',
    asset: USDC.id,
    amount: usdc('5'),
    deducted: undefined,
    kept: undefined,
    phase: 'address_required',
    suggestedAddress: undefined,
  });
  assert.deepEqual([refundRecovery(sending)?.amount, refundRecovery(sending)?.deducted], [usdc('4.5'), usdc('0.5')]);
  assert.equal(refundRecovery(kept)?.kept?.least?.atoms, usdc('6').atoms);
  assert.equal(refundRecovery(ORDER_IN.completed), undefined);
});

test('the sender is suggested as a refund address once it is known', () => {
  const extra = after(ORDER_IN.stocking, final(usdc('130'), AT));
  assert.equal(refundRecovery(extra)?.suggestedAddress, 'sender');
});

test('a refund on its way names the address that it goes to, whatever was named before', () => {
  const [claim] = ORDER_IN.refunding.claims;
  assert.ok(claim?.to);
  const other = { ...claim.to, address: 'named at creation' as Address };
  assert.equal(refundRecovery({ ...ORDER_IN.refunding, refundTo: other })?.suggestedAddress, claim.to.address);
});

test('money that waits for an address outranks all other news, and the outcome stays in the status', () => {
  const extra = after(ORDER_IN.completed, final(usdc('130'), AT));
  assert.deepEqual(customerState(extra, RULES), { kind: 'action_required', action: 'refund_address' });
  assert.equal(v2Status(extra), 'completed');
});

test('what went back beside a refund that is under way is not shown as that refund', () => {
  const [fee] = ORDER_IN.refunded.claims;
  assert.ok(fee?.stage === 'completed' && refundTxHash(ORDER_IN.refunded));
  const claims = [fee, { ...fee, number: fee.number + 1, stage: 'paying' as const }];
  const state = { phase: 'refunding' as const, claim: fee.number + 1, reason: 'nobody could carry it out' };
  assert.equal(refundTxHash({ ...ORDER_IN.refunded, claims, state }), undefined);
});

test('a confirmed part shows as confirming', () => {
  const order = after(buyOrder(), pooled(usdc('100'), AT, { have: 3 }));
  assert.deepEqual(customerState(order, RULES), processing('confirming'));
});

test('what was paid, what is expected and why it went otherwise', () => {
  const { completed, refunded, failed, payout_refused, trading } = ORDER_IN;
  assert.ok(completed.state.phase === 'completed');
  assert.deepEqual(actualOutput(completed), completed.state.out);
  assert.equal(actualOutput(ORDER_IN.paying), undefined);
  assert.deepEqual(
    [payoutTxHash(completed), completedAt(completed), errorOf(completed)],
    [hashOf(paymentOf(completed, 'payout')), AT, undefined],
  );
  assert.deepEqual([refundTxHash(refunded), completedAt(refunded)], [hashOf(paymentOf(refunded, 'refund')), AT]);
  assert.equal(errorOf(refunded)?.message, 'The deposit is returned: the deposit did not pass screening.');
  assert.equal(errorOf(failed)?.code, 'deposit_not_collectable');
  assert.equal(errorOf(payout_refused)?.code, 'payout_refused');
  assert.equal(fundedExpectedOutput(trading), undefined);
  const half = after(sellOrder(), pooled(xmr('0.5'), AT));
  assert.deepEqual(fundedExpectedOutput(half), usdc('150'));
});

test('what came beside a deposit that was carried out is no part of what is expected of it', () => {
  const extra = after(ORDER_IN.completed, final(usdc('130'), AT));
  assert.deepEqual([extra.funds.seen, extra.used], [usdc('130'), usdc('100')]);
  assert.equal(fundedExpectedOutput(extra), undefined);
});

test('a payout that its chain names once it is done is shown under that name alone', () => {
  const reserved = ORDER_IN.paying;
  const { signed, sent, confirmed } = newsOf(paymentOf(reserved, 'payout'), AT);
  const unnamed = after(reserved, { ...signed, isUnnamed: true });
  const underWay = after(unnamed, sent);
  assert.deepEqual([payoutTxHash(unnamed), payoutTxHash(underWay)], [undefined, undefined]);
  assert.equal(payoutTxHash(after(underWay, { ...confirmed, txHash: txHash('0xdone') })), '0xdone');
  assert.equal(payoutTxHash(after(reserved, signed)), signed.txHash, 'others are known by what was signed');
});

test('who has waited too long for stock is told why an address is asked for, unless it is for other money', () => {
  for (const order of [ORDER_IN.stocking, ORDER_IN.payout_due]) {
    assert.equal(errorOf(order), undefined);
    const overdue = { ...order, state: { ...order.state, isOverdue: true } } as Order;
    assert.deepEqual(customerState(overdue, RULES), { kind: 'action_required', action: 'refund_address' });
    const { code, message } = errorOf(overdue) ?? {};
    assert.equal(code, 'waiting_for_stock');
    assert.match(message ?? '', /goes on by itself.*or give an address/);
    assert.equal(errorOf({ ...overdue, claims: after(ORDER_IN.completed, final(usdc('130'), AT)).claims }), undefined);
  }
});

test('chunked execution shows its progress, and one order at once shows none', () => {
  const start = after(sellOrder({ chunks: 4 }), final(xmr('1'), AT), screenedFact(true, undefined, AT));
  assert.deepEqual([twapOf(start)?.status, twapOf(start)?.chunksTotal], ['pending', 4]);
  const trading = after(start, { fact: 'stock_reserved', at: AT });
  const { status, chunksCompleted, filledQty, totalQty, estimatedTimeRemainingMs } =
    twapOf(after(trading, filled(trading))) ?? {};
  assert.deepEqual(
    { status, chunksCompleted, filledQty, totalQty, estimatedTimeRemainingMs },
    { status: 'active', chunksCompleted: 1, filledQty: '75.00', totalQty: '300.00', estimatedTimeRemainingMs: 24_000 },
  );
  assert.equal(twapOf(ORDER_IN.trading), undefined);
});
