import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Instant } from '../../src/kernel/clock.ts';
import { type AssetId, chainOf } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { may } from '../../src/life/order/command.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { v1Status } from '../../src/life/order/view/v1-status.ts';
import { customerState, refundRecovery } from '../../src/life/order/view/v2-customer.ts';
import { STRAY, USDC, usdc, XMR } from './market.ts';
import { after, buyOrder, final, isIgnored, minute, paidBack, phaseAfter, place, pooled } from './world.ts';

const EARLY = minute(5);
const DEADLINE = minute(60);
const LATER = minute(90);
const deadline = (at: Instant = DEADLINE): Fact => ({ fact: 'deadline_passed', at });

describe('money on another chain', () => {
  const strayed: Fact = {
    fact: 'stray_observed',
    total: { asset: STRAY, atoms: usdc('100').atoms },
    from: { deposit: 7 },
    at: EARLY,
  };

  test('stands beside an order that waits, and is given back to an address that the customer gives once', () => {
    const order = after(buyOrder(), strayed);
    assert.deepEqual([order.state.phase, v1Status(order)], ['awaiting_deposit', 'refunding_wrong_chain']);
    assert.deepEqual(customerState(order, RULES), { kind: 'action_required', action: 'refund_address' });
    assert.deepEqual([refundRecovery(order)?.kind, refundRecovery(order)?.asset], ['wrong_chain', STRAY]);
    const home = { command: 'give_refund_address', to: place(STRAY, 'home') } as const;
    assert.ok(isRefusal(may(order, { ...home, to: place(XMR.id, 'home') }, RULES)), 'not an address of that chain');
    const given = after(order, { fact: 'refund_address_given', to: home.to, at: EARLY });
    assert.deepEqual([v1Status(given), may(given, home, RULES)], ['refunding', 'done']);
    const other = may(given, { ...home, to: place(STRAY, 'elsewhere') }, RULES);
    assert.ok(isRefusal(other) && other.refusal === 'address_already_set');
    assert.deepEqual(customerState(given, RULES), { kind: 'paused', reason: 'preparing_refund' });
    assert.equal(phaseAfter(given, ...paidBack(given, 1, EARLY)), 'refunded', 'it was all there was');
  });

  test('is suggested to go where the customer is refunded on that chain', () => {
    const order = buyOrder({ refundTo: place(USDC.id, 'home') });
    const other = `${chainOf(USDC.id)}:0x${'5'.repeat(40)}` as AssetId;
    const suggested = (asset: AssetId) =>
      refundRecovery(after(order, { ...strayed, total: { asset, atoms: usdc('100').atoms } }))?.suggestedAddress;
    assert.deepEqual([suggested(other), suggested(STRAY)], ['home', undefined]);
  });

  test('of any size does not keep the right deposit from being carried out, whichever comes first', () => {
    const order = after(buyOrder(), strayed, pooled(usdc('100'), EARLY), final(usdc('100'), EARLY));
    assert.deepEqual([order.state.phase, order.used, order.claims.length], ['screening', usdc('100'), 1]);
    const asked = after(buyOrder(), strayed, { fact: 'refund_address_given', to: place(STRAY, 'home'), at: EARLY });
    const both = after(asked, final(usdc('100'), EARLY), ...paidBack(asked, 1, EARLY));
    assert.deepEqual([both.state.phase, both.claims[0]?.stage], ['screening', 'completed']);
  });

  test('that is a speck shows nothing, until so much has come that it is worth giving back', () => {
    const speck: Fact = { ...strayed, total: { asset: STRAY, atoms: usdc('0.000001').atoms }, isSpeck: true };
    const order = after(buyOrder(), speck);
    assert.deepEqual(
      [v1Status(order), customerState(order, RULES), refundRecovery(order)],
      ['awaiting_deposit', { kind: 'awaiting_deposit' }, undefined],
    );
    assert.ok(isRefusal(may(order, { command: 'give_refund_address', to: place(STRAY, 'home') }, RULES)));
    assert.deepEqual(
      [after(order, deadline()).state.phase, customerState(after(order, deadline()), RULES)],
      ['expired', { kind: 'expired' }],
    );
    const more: Fact = { ...speck, total: { asset: STRAY, atoms: usdc('0.000002').atoms } };
    assert.equal(after(order, more).claims.length, 1, 'specks of one asset are one claim');
    const whole = after(order, more, strayed);
    assert.deepEqual(refundRecovery(whole)?.amount, { asset: STRAY, atoms: usdc('100').atoms });
    assert.deepEqual(
      whole.claims.map(({ amount, isSpeck = false }) => [amount.atoms, isSpeck]),
      [
        [0n, true],
        [usdc('100').atoms, false],
      ],
    );
  });

  test('or an extra atom of what was asked for, after the end, shows nothing either', () => {
    const over = after(buyOrder(), final(usdc('0.000001'), EARLY), deadline());
    assert.deepEqual([over.state.phase, customerState(over, RULES)], ['expired', { kind: 'expired' }]);
    const worthIt = after(over, final(usdc('5'), LATER));
    assert.deepEqual(refundRecovery(worthIt)?.amount, usdc('5'), 'with what had been too little before');
    const large = after(
      buyOrder({ asked: usdc('100000') }),
      final(usdc('100000'), EARLY),
      final(usdc('100900'), EARLY),
    );
    assert.deepEqual(refundRecovery(large)?.amount, usdc('900'), 'under one percent, and no dust');
  });

  test('does not stop a deposit that has come already', () => {
    const order = after(buyOrder(), pooled(usdc('100'), EARLY), strayed, final(usdc('100'), EARLY));
    assert.deepEqual([order.state.phase, order.claims.length], ['screening', 1]);
  });

  test('is counted once, however often it is seen', () => {
    assert.ok(isIgnored(after(buyOrder(), strayed), strayed));
  });

  test('that was given back leaves an order that then expires', () => {
    const seen = after(buyOrder(), pooled(usdc('50'), EARLY), strayed);
    const given = after(seen, { fact: 'refund_address_given', to: place(STRAY, 'home'), at: EARLY });
    const back = after(given, ...paidBack(given, 1, EARLY), pooled(usdc('0'), EARLY));
    assert.equal(phaseAfter(back, deadline()), 'expired');
  });
});
