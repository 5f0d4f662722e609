import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { type Address, type AssetId, assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { may } from '../../src/life/order/command.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { takesRefundAddress, v1Status } from '../../src/life/order/view/v1-status.ts';
import { customerState, refundRecoveries, refundRecovery, v2Status } from '../../src/life/order/view/v2-customer.ts';
import { STRAY, USDC, usdc, xmr } from './market.ts';
import { AT, news, ORDER_IN } from './order-phases.ts';
import { after, bridgeInOrder, buyOrder, claimPriced, final, minute, paidBack, place, screenedFact } from './world.ts';

const v1 = (order: Order): Order => ({ ...order, generation: 'v1' });
const strayed = (asset: AssetId, sum = 100_000_000n): Fact => ({
  fact: 'stray_observed',
  total: amount(asset, sum),
  from: { deposit: 7 },
  at: AT,
});
const ELSEWHERE = assetId(chainId(10), 'USDC' as TokenId);
const given = (asset: AssetId): Fact => ({ fact: 'refund_address_given', to: place(asset, 'home'), at: AT });
const phasesOf = (order: Order) => refundRecoveries(order).map(({ phase }) => phase);

describe('9.18: v2 never reads refunded while something is still owed', () => {
  const both = after(buyOrder(), strayed(STRAY), strayed(ELSEWHERE));
  const one = after(both, given(STRAY));
  const half = after(one, ...paidBack(one, 1, AT));

  test('a refund is no end while another sum waits for its address, and every claim is listed', () => {
    assert.deepEqual(phasesOf(both), ['address_required', 'address_required']);
    assert.deepEqual([v2Status(half), half.state.phase], ['awaiting_deposit', 'awaiting_deposit']);
    assert.deepEqual(customerState(half, RULES), { kind: 'action_required', action: 'refund_address' });
    assert.deepEqual(phasesOf(half), ['completed', 'address_required']);
    assert.equal(refundRecovery(half)?.asset, ELSEWHERE, 'the one that needs attention is shown alone as well');
    const other = after(half, given(ELSEWHERE));
    assert.deepEqual([v2Status(other), customerState(other, RULES).kind], ['awaiting_deposit', 'paused']);
    const done = after(other, ...paidBack(other, 2, AT));
    assert.deepEqual([v2Status(done), customerState(done, RULES)], ['refunded', { kind: 'refunded' }]);
    assert.deepEqual(phasesOf(done), ['completed', 'completed']);
  });

  test('9.18: an order that ends with its first refund reads refunded while 100 USDC need an address: so it was won', () => {
    const refund = half.claims.find(({ stage }) => stage === 'completed');
    const ended: Order = {
      ...half,
      state: { phase: 'refunded', claim: refund?.number ?? 0, reason: 'strayed', at: AT },
      claims: half.claims.filter((claim) => claim === refund),
    };
    assert.deepEqual([v2Status(ended), customerState(ended, RULES)], ['refunded', { kind: 'refunded' }]);
    assert.deepEqual(phasesOf(ended), ['completed'], 'and nothing lists what is owed');
    const owed = half.claims.filter(({ stage }) => stage === 'address_required').map((one) => one.amount);
    assert.deepEqual(owed, [amount(ELSEWHERE, 100_000_000n)]);
  });

  test('what only a person can move does not hold the outcome, and is said beside it', () => {
    const asked = after(half, given(ELSEWHERE));
    const other = after(asked, claimPriced(asked, 2, AT));
    const { refused } = news(other, 'refund');
    const blocked = after(other, refused);
    assert.deepEqual(
      [v2Status(blocked), customerState(blocked, RULES)],
      ['refunded', { kind: 'refunded', stillOwed: true }],
    );
    assert.deepEqual(phasesOf(blocked), ['completed', 'blocked']);
  });

  test('a completed order says so while what came later is not paid back', () => {
    const extra = after(ORDER_IN.completed, final(usdc('130'), AT));
    const paying = after(extra, given(USDC.id));
    assert.deepEqual(
      [v2Status(paying), customerState(paying, RULES)],
      ['completed', { kind: 'completed', stillOwed: true }],
    );
    const done = after(paying, ...paidBack(paying, 1, AT));
    assert.deepEqual(customerState(done, RULES), { kind: 'completed' });
    assert.deepEqual(phasesOf(ORDER_IN.completed), []);
  });
});

describe('9.17: v1 shows what is owed beside an outcome, or returns it by itself', () => {
  const completed = v1(ORDER_IN.completed);
  const elsewhere = { sender: undefined, senders: ['sender' as Address, 'other' as Address] };

  test('an extra deposit after completion goes back to the one plain sender of everything', () => {
    const extra = after(completed, final(usdc('130'), AT));
    const [claim] = extra.claims;
    assert.deepEqual([claim?.stage, claim?.to?.address, claim?.amount], ['pricing', 'sender', usdc('30')]);
    assert.equal(v1Status(extra), 'completed');
    assert.equal(
      after(ORDER_IN.completed, final(usdc('130'), AT)).claims[0]?.stage,
      'address_required',
      'v2 asks (D64)',
    );
  });

  test('where the chain shows no one sender, refunding_wrong_chain is shown again and takes an address', () => {
    const extra = after(completed, final(usdc('130'), AT, elsewhere));
    assert.deepEqual([v1Status(extra), takesRefundAddress(extra)], ['refunding_wrong_chain', true]);
    const to = place(USDC.id, 'home');
    assert.equal(may(extra, { command: 'give_refund_address', to }, RULES), undefined);
    const paying = after(extra, given(USDC.id));
    assert.equal(v1Status(paying), 'completed');
    assert.equal(v1Status(after(paying, ...paidBack(paying, 1, AT))), 'completed');
  });

  test('9.17: a read that knows the phase alone says completed and takes no address for what is owed: so it was won', () => {
    const extra = after(completed, final(usdc('130'), AT, elsewhere));
    const unclaimed: Order = { ...extra, claims: [] };
    assert.deepEqual([v1Status(unclaimed), takesRefundAddress(unclaimed)], ['completed', false]);
    const home = { command: 'give_refund_address', to: place(USDC.id, 'home') } as const;
    assert.ok(isRefusal(may(unclaimed, home, RULES)));
    assert.equal(may(extra, home, RULES), undefined, 'with the claim it can be had back');
  });

  test('the right deposit after a wrong-chain one is asked about, before and after the first went back', () => {
    const stray = v1(after(buyOrder(), strayed(STRAY)));
    const right = final(usdc('100'), AT, elsewhere);
    const early = after(stray, given(STRAY), right);
    if (early.state.phase === 'refunding') assert.equal(v1Status(early), 'refunding_wrong_chain');
    const back = after(stray, given(STRAY));
    const late = after(after(back, ...paidBack(back, 1, AT)), right);
    assert.deepEqual([v1Status(late), takesRefundAddress(late)], ['refunding_wrong_chain', true]);
    const again = after(late, given(USDC.id));
    assert.equal(v1Status(after(again, ...paidBack(again, 2, AT))), 'refunded');
  });

  test('a bridge of v1 has no such word, so a person is told', () => {
    const screening = after(v1(bridgeInOrder()), final(xmr('1'), AT, { sender: undefined, senders: [] }));
    const step = transition(screening, screenedFact(false, undefined, minute(11)), RULES);
    assert.ok(step !== 'ignore');
    assert.deepEqual(step.cases, [{ case: 'refund_unasked', claim: 1 }]);
    assert.ok(takesRefundAddress(step.order), 'and whoever helps can send the customer to the refund call');
    const v2 = transition({ ...screening, generation: 'v2' }, screenedFact(false, undefined, minute(11)), RULES);
    assert.ok(v2 !== 'ignore' && v2.cases.length === 0);
  });
});
