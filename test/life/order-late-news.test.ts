import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { resume } from '../../src/life/order/resume.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { ETH, STRAY, USDC, usdc, XMR, xmr } from './market.ts';
import { AT, filled, gas, ORDER_IN, payout, priced, refused, sent, settled, signed, sweep } from './order-phases.ts';
import { after, buyOrder, final, isIgnored, minute, paidBack, phaseAfter, place, sellOrder } from './world.ts';

test('old news of the sweep never passes for news of the payout', () => {
  const { payout_reserved, payout_signed, payout_sent } = ORDER_IN;
  for (const other of [sweep, gas]) {
    assert.ok(isIgnored(payout_reserved, signed(other)));
    assert.ok(isIgnored(payout_reserved, refused(other)));
    assert.ok(isIgnored(payout_signed, sent(other)));
    assert.ok(isIgnored(payout_sent, settled(payout_sent, other)));
  }
});

test('a refusal from before signing, told after it, does not free money that may still be paid', () => {
  assert.equal(phaseAfter(ORDER_IN.payout_reserved, refused(payout)), 'payout_refused');
  assert.ok(isIgnored(ORDER_IN.payout_signed, refused(payout)));
  assert.ok(isIgnored(ORDER_IN.payout_sent, refused(payout)));
  assert.equal(phaseAfter(ORDER_IN.payout_sent, refused(payout, 'executed')), 'payout_refused');
});

test('news of the refused payout does not reach the one that replaced it', () => {
  const replaced = after(
    ORDER_IN.payout_refused,
    { fact: 'payout_address_given', to: place(XMR.id, 'other'), at: AT },
    { fact: 'payout_reserved', at: AT },
  );
  for (const news of [signed(payout), refused(payout)]) assert.ok(isIgnored(replaced, news));
  const again = { kind: 'payout', leg: 1 } as const;
  assert.equal(phaseAfter(replaced, signed(again), sent(again), settled(replaced, again)), 'completed');
});

test('a refund that was given up is neither signed nor paid by a job that comes late', () => {
  const expired = after(buyOrder({ refundTo: place(USDC.id, 'home') }), { fact: 'deadline_passed', at: minute(60) });
  const owed = after(expired, final(usdc('5'), minute(70)));
  const refund = { kind: 'refund', leg: 1 } as const;
  const [free, ...rest] = paidBack(owed, 1, AT);
  assert.ok(free);
  const blocked = after(owed, free, refused(refund));
  assert.equal(blocked.claims[0]?.stage, 'blocked');
  for (const news of [free, ...rest, refused(refund), refused(refund, 'executed')]) assert.ok(isIgnored(blocked, news));
});

test('gas is sent ahead once, however often it is priced', () => {
  const funding = after(ORDER_IN.funding_gas, priced);
  assert.ok(isIgnored(funding, priced));
  assert.ok(isIgnored(funding, { ...priced, needed: amount(ETH.id, 0n) }));
});

test('an address that nobody asked for is not kept', () => {
  assert.ok(isIgnored(buyOrder(), { fact: 'refund_address_given', to: place(USDC.id, 'home'), at: AT }));
});

test('what is resumed goes through the lane it was in: that of the chain and the account the money is on', () => {
  const stray = after(buyOrder(), {
    fact: 'stray_observed',
    total: amount(STRAY, 9n),
    from: { deposit: 7 },
    at: AT,
  });
  const given = after(stray, { fact: 'refund_address_given', to: place(STRAY, 'home'), at: AT });
  const [free] = paidBack(given, 1, AT);
  assert.ok(free);
  const step = transition(given, free, RULES);
  assert.ok(step !== 'ignore');
  assert.deepEqual(resume(step.order, AT), step.effects);
  assert.deepEqual(step.effects, [{ effect: 'sign_intent', intent: `${given.id}:refund:1`, lane: '1:7' }]);
});

test('an order to be worked at once stays so when more arrives, and no plan has more than a thousand chunks', () => {
  const trade = (chunks: number, coins: string) => {
    const order = after(
      sellOrder({ chunks }),
      final(xmr(coins), AT),
      { fact: 'deposit_screened', clear: true, sender: undefined, at: AT },
      { fact: 'stock_reserved', at: AT },
    );
    assert.ok(order.state.phase === 'trading');
    return { order, run: order.state.run };
  };
  const once = trade(1, '5');
  assert.deepEqual([once.run.chunks, once.run.chunkLeft], [1, once.run.total]);
  assert.equal(phaseAfter(once.order, filled(once.order)), 'payout_due');
  assert.equal(trade(4, '1.5').run.chunks, 6);
  assert.equal(trade(4, '1000000').run.chunks, 1_000);
});
