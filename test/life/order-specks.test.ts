import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { assetId, type TokenId } from '../../src/kernel/ids.ts';
import { usd } from '../../src/kernel/usd.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { customerState, refundRecovery } from '../../src/life/order/view/v2-customer.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { ENDS, STRAY, USDC, usdc } from './market.ts';
import { AT, ORDER_IN } from './order-phases.ts';
import { transfer } from './scripted-chain.ts';
import { after as afterFacts, buyOrder, claimPriced, final, place, screenedFact } from './world.ts';

let room: DepositRoom;
before(async () => {
  room = await openDepositRoom();
  await room.round();
});
after(() => room.close());

async function orderOf(): Promise<Order> {
  const id = await room.keep({ ...buyOrder(), expiresAt: instant(room.clock.now() + 60_000) });
  return room.find(id);
}

/** Blocks and rounds, until all is deep. */
async function settle(): Promise<void> {
  for (let n = 0; n < 6; n += 1) {
    room.mine(1);
    await room.round();
  }
}

describe('9.11: a speck of another token before the right deposit', () => {
  const usdt = ENDS.buy.chain.assets.find(({ symbol }) => symbol === 'USDT');

  test('kills no order: 0.000001 USDT shows nothing, and the right 100 USDC are carried out', async () => {
    assert.ok(usdt);
    const order = await orderOf();
    room.mine(1, transfer('a speck', order.depositAddress, amount(usdt.id, 1n)));
    await settle();
    const specked = await room.find(order.id);
    assert.deepEqual(
      [specked.state.phase, customerState(specked, RULES)],
      ['awaiting_deposit', { kind: 'awaiting_deposit' }],
    );
    assert.equal(await room.books.ledger.balance(`deposit:${order.id}`, usdt.id), 1n, 'it is in the books');
    room.mine(1, transfer('the right one', order.depositAddress, usdc('100')));
    await settle();
    const { state, used } = await room.find(order.id);
    assert.deepEqual([state.phase, used], ['screening', usdc('100')]);
  });

  test('that is worth less than its own refund shows nothing, and more of it does', async () => {
    assert.ok(usdt);
    const order = await orderOf();
    // In this room a refund costs twenty cents.
    const big = { ...RULES, dust: RULES.enough, speckBelow: usd(0) };
    room.mine(1, transfer('nineteen cents', order.depositAddress, amount(usdt.id, 190_000n)));
    await settle();
    assert.deepEqual(customerState(await room.find(order.id), big), { kind: 'awaiting_deposit' });
    room.mine(1, transfer('two dollars', order.depositAddress, amount(usdt.id, 2_000_000n)));
    await settle();
    const owed = await room.find(order.id);
    assert.deepEqual(customerState(owed, RULES), { kind: 'action_required', action: 'refund_address' });
    assert.equal(refundRecovery(owed)?.amount.atoms, 2_190_000n);
  });

  const speck: Fact = {
    ...{ fact: 'stray_observed', total: amount(STRAY, 1n), from: { deposit: 7 }, isSpeck: true, at: AT },
  };
  /** As it was: whatever strays ends the wait for the right deposit. */
  const ended = (order: Order): Order => ({ ...order, state: { phase: 'refunding', claim: 1, reason: 'strayed' } });

  test('9.11: where a stray ends the wait, the right 100 USDC are refunded instead of swapped: so it was won', () => {
    const specked = afterFacts(buyOrder(), speck);
    const carriedOut = afterFacts(specked, final(usdc('100'), AT));
    assert.deepEqual([carriedOut.state.phase, carriedOut.used], ['screening', usdc('100')]);
    const killed = afterFacts(ended(specked), final(usdc('100'), AT));
    assert.deepEqual([killed.state.phase, killed.used], ['refunding', usdc('0')]);
    assert.deepEqual(killed.claims.at(-1)?.amount, usdc('100'));
  });

  test('9.11: a speck that nobody weighs asks its victim for a refund address: so it was won', () => {
    assert.deepEqual(customerState(afterFacts(buyOrder(), speck), RULES), { kind: 'awaiting_deposit' });
    const unweighed = afterFacts(buyOrder(), { ...speck, isSpeck: false });
    assert.deepEqual(customerState(unweighed, RULES), { kind: 'action_required', action: 'refund_address' });
  });
});

describe('9.3: what waits for the same thing is one claim', () => {
  const home: Fact = { fact: 'refund_address_given', to: place(USDC.id, 'home'), at: AT };
  /** A stranger sends a speck, a dollar and another token, one after the other. */
  const senders = Array.from({ length: 2 * RULES.mostClaims }, (_, n): readonly Fact[] => [
    final(usdc(`${100 + 2 * n}.01`), AT),
    final(usdc(`${102 + 2 * n}`), AT),
    { fact: 'stray_observed', total: amount(STRAY, BigInt(n + 1)), from: { deposit: 7 }, at: AT },
  ]).flat();
  const owed = afterFacts(ORDER_IN.completed, ...senders);

  test('however often strangers send: the order has room for what its customer sends late', () => {
    const late = afterFacts(owed, final(usdc('5196'), AT), home);
    assert.deepEqual(
      late.claims.map(({ number, amount: { atoms }, stage }) => [number, atoms, stage]),
      [
        [1, 0n, 'address_required'],
        [3, 48n, 'address_required'],
        [2, usdc('5096').atoms, 'pricing'],
      ],
    );
    const again = afterFacts(late, claimPriced(late, 2, AT), final(usdc('5200'), AT));
    assert.deepEqual(
      again.claims.slice(1).map(({ number, stage }) => [number, stage]),
      [
        [3, 'address_required'],
        [2, 'paying'],
        [4, 'pricing'],
      ],
    );
  });

  const anAsset = (number: number) => assetId(ENDS.buy.chain.id, `asset ${number}` as TokenId);

  test('of as many assets as there may be claims: specks take no room from what is worth something', () => {
    const specks = Array.from({ length: RULES.mostClaims }, (_, n): Fact => {
      const total = amount(anAsset(n), 1n);
      return { fact: 'stray_observed', total, from: { deposit: 7 }, isSpeck: true, at: AT };
    });
    const specked = afterFacts(ORDER_IN.completed, ...specks);
    assert.equal(specked.claims.length, RULES.mostClaims);
    const late = afterFacts(specked, final(usdc('1100'), AT));
    assert.deepEqual(refundRecovery(late)?.amount, usdc('1000'));
    assert.deepEqual(customerState(late, RULES), { kind: 'action_required', action: 'refund_address' });
    const grown = afterFacts(late, {
      ...{ fact: 'stray_observed', total: amount(anAsset(0), 5_000_000n), from: { deposit: 7 }, at: AT },
    });
    assert.equal(grown.claims.at(-1)?.amount.atoms, 5_000_000n, 'and one that grows is a claim as any');
  });

  test('and the order’s own outcome stays what it is when more is joined with it', () => {
    const refused = screenedFact(false, undefined, AT);
    const order = afterFacts(buyOrder({ refundTo: place(USDC.id, 'home') }), final(usdc('100'), AT), refused);
    const kept = afterFacts(order, claimPriced(order, 1, AT, usdc('99').atoms));
    assert.deepEqual([kept.state.phase, kept.claims[0]?.stage], ['refunding', 'kept']);
    const { state, claims } = afterFacts(kept, final(usdc('150'), AT));
    assert.deepEqual(
      [state.phase === 'refunding' && state.claim, claims],
      [1, [{ ...claims[0], amount: usdc('150') }]],
    );
  });
});
