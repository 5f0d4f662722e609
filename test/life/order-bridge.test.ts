import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Amount, amount, atoms } from '../../src/kernel/amount.ts';
import type { Instant } from '../../src/kernel/clock.ts';
import { judge, tierOf } from '../../src/life/deposit/judge.ts';
import { may } from '../../src/life/order/command.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import { transition } from '../../src/life/order/transition.ts';
import { customerState, refundRecovery, v2Status } from '../../src/life/order/view/v2-customer.ts';
import { XMR, XMR1, xmr, xmr1 } from './market.ts';
import { AT, news, paid as paidFor } from './order-phases.ts';
import { sighting } from './order-script.ts';
import {
  after,
  bridgeInOrder,
  bridgeOutOrder,
  final,
  isIgnored,
  measuresAt,
  minute,
  paidBack,
  place,
  pooled,
  screenedFact,
} from './world.ts';

const EARLY = minute(5);
const LATER = minute(70);
const deadline = (at: Instant = minute(60)): Fact => ({ fact: 'deadline_passed', at });
const reserved: Fact = { fact: 'stock_reserved', at: AT };
const short: Fact = { fact: 'inventory_short', asset: XMR1.id, at: AT };
/** Monero shows no sender, the venue does. */
const screened = ({ from }: Order, clear = true): Fact =>
  screenedFact(clear, from.id === XMR1.id ? place(XMR1.id, 'sender') : undefined, AT);

/** The deposit is final, screened and on the hot account. */
function funded(order: Order, value: Amount): Order {
  const cleared = after(order, final(value, EARLY), screened(order));
  return order.collects ? paidFor(cleared, 'collection') : cleared;
}
const paid = (order: Order): Order => paidFor(after(order, { fact: 'payout_reserved', at: AT }), 'payout');

describe('a bridge', () => {
  test('pays what came in the wrapped form, less a rate and what the payout costs', () => {
    const order = funded(bridgeInOrder(), xmr('2.000000000001'));
    assert.ok(order.state.phase === 'stocking');
    assert.deepEqual(order.state.stock, xmr1('1.994'));
    const done = paid(after(order, reserved));
    assert.ok(done.state.phase === 'completed');
    assert.deepEqual([done.state.out, done.used], [xmr1('1.9939'), xmr('2.000000000001')]);
  });

  test('pays the coin for what came of its wrapped form, collected first', () => {
    const done = paid(after(funded(bridgeOutOrder(), xmr1('2')), reserved));
    assert.ok(done.state.phase === 'completed');
    assert.deepEqual(done.state.out, xmr('1.9939'));
  });

  test('is nothing but an exchange: fees are earned as it happens, and not before', () => {
    const order = funded(bridgeInOrder(), xmr('1'));
    const step = transition(order, reserved, RULES);
    assert.ok(step !== 'ignore');
    const own = `order:${order.id}`;
    assert.deepEqual(
      new Set(step.postings.map(({ from, to, amount: value }) => `${from} ${to} ${value.asset} ${value.atoms}`)),
      new Set([
        `${own} fees ${XMR.id} ${xmr('0.003').atoms}`,
        `${own} treasury ${XMR.id} ${xmr('0.997').atoms}`,
        `treasury ${own} ${XMR1.id} ${xmr1('0.997').atoms}`,
      ]),
    );
    assert.equal(step.order.state.phase, 'payout_due');
  });

  test('waits while the treasury is short, and goes on by the same terms', () => {
    const order = funded(bridgeInOrder(), xmr('1'));
    const waiting = after(order, short, short);
    assert.ok(waiting.state.phase === 'stocking');
    assert.equal(waiting.state.shortOf, XMR1.id);
    assert.deepEqual(customerState(waiting, RULES), { kind: 'processing', step: 'executing' });
    const done = paid(after(waiting, reserved));
    assert.ok(done.state.phase === 'completed');
    assert.deepEqual(done.state.out, xmr1('0.9969'));
  });

  test('takes what comes: the minimum is enough, an atom less is not, and a top-up joins it', () => {
    for (const [order, least] of [
      [bridgeInOrder(), xmr('0.1')],
      [bridgeOutOrder(), xmr1('0.1')],
    ] as const) {
      assert.equal(after(order, final(least, EARLY)).state.phase, 'screening');
      const little = amount(least.asset, least.atoms - 1n);
      assert.deepEqual(customerState(after(order, pooled(little, EARLY)), RULES).kind, 'notice');
      const under = after(order, final(little, EARLY));
      assert.equal(under.state.phase, 'below_minimum');
      assert.notEqual(may(under, { command: 'close_wait' }, RULES), undefined, 'there is nothing to close');
      const topped = after(under, final(least, minute(9)));
      assert.deepEqual([topped.state.phase, topped.used], ['screening', least]);
    }
  });

  test('names what a withdrawal waits for', () => {
    const named = (asset: string): Order => ({ ...bridgeOutOrder(), bridge: { asset, direction: 'withdraw' } });
    assert.deepEqual(['xmr', 'trx', 'zec'].map(named).map(v2Status), [
      ...['awaiting_xmr1', 'awaiting_trx1', 'awaiting_deposit'],
    ]);
    assert.equal(v2Status(bridgeInOrder()), 'awaiting_deposit');
  });

  test('waits for the deeper finality, however small it is', () => {
    assert.equal(tierOf(bridgeInOrder(), [], RULES), 'large');
  });
});

describe('a bridge that cannot be', () => {
  test('under the minimum at the deadline expires and owes what came', () => {
    const order = after(bridgeInOrder(), final(xmr('0.05'), EARLY), deadline());
    assert.deepEqual([order.state.phase, order.claims[0]?.stage], ['expired', 'address_required']);
    const given = after(order, { fact: 'refund_address_given', to: place(XMR.id, 'home'), at: LATER });
    assert.equal(after(given, ...paidBack(given, 1, LATER)).state.phase, 'refunded');
  });

  test('late owes what came, and pays nobody else', () => {
    const order = after(bridgeOutOrder(), deadline(), final(xmr1('2'), LATER));
    assert.deepEqual([order.state.phase, order.claims[0]?.from], ['expired', { deposit: 7 }]);
    assert.deepEqual(refundRecovery(order)?.amount, xmr1('2'));
    assert.ok(isIgnored(order, reserved));
  });

  test('that screening stops goes back to the sender where the chain shows one, and asks where not', () => {
    const out = after(bridgeOutOrder(), final(xmr1('2'), EARLY), screened(bridgeOutOrder(), false));
    assert.deepEqual([out.state.phase, out.claims[0]?.to?.address], ['refunding', 'sender']);
    const hidden = after(bridgeInOrder(), final(xmr('2'), EARLY), screened(bridgeInOrder(), false));
    assert.deepEqual(customerState(hidden, RULES), { kind: 'action_required', action: 'refund_address' });
    const known = bridgeInOrder({ refundTo: place(XMR.id, 'home') });
    assert.equal(after(known, final(xmr('2'), EARLY), screened(known, false)).claims[0]?.to?.address, 'home');
  });

  test('paid to an address that is refused is paid elsewhere or given back in what it became', () => {
    const due = after(funded(bridgeInOrder(), xmr('1')), reserved, { fact: 'payout_reserved', at: AT });
    const stopped = after(due, news(due, 'payout').refused);
    assert.deepEqual(customerState(stopped, RULES), { kind: 'action_required', action: 'payout_address' });
    const back = after(stopped, { fact: 'refund_address_given', to: place(XMR1.id, 'home'), at: AT });
    assert.deepEqual([back.state.phase, back.claims[0]?.amount], ['refunding', xmr1('0.9969')]);
  });
});

describe('a mining reward', () => {
  const measures = measuresAt(10, 10);
  const seen = (index: number, value: Amount, more: Partial<KeptSighting>): KeptSighting => ({
    ...{ ...sighting(index, value), state: 'mined', credited: atoms(0n), firstSeenAt: EARLY },
    ...more,
  });
  const settledReward: Partial<KeptSighting> = { state: 'final', isReward: true };
  /** The order after the chain was looked at. */
  const shown = (order: Order, ...sightings: readonly KeptSighting[]): Order =>
    judge(order, sightings, measures, AT).reduce((now, fact) => after(now, fact), order);

  test('that looked like a deposit pauses the order, and a person gives it back', () => {
    const mined = shown(bridgeInOrder(), seen(0, xmr('2'), {}));
    assert.equal(mined.state.phase, 'confirming');
    const known = seen(0, xmr('2'), settledReward);
    const order = shown(mined, known);
    assert.deepEqual(customerState(order, RULES), { kind: 'paused', reason: 'preparing_refund' });
    assert.deepEqual([order.funds.seen, order.used], [xmr('0'), xmr('0')]);
    const [claim] = order.claims;
    assert.deepEqual([claim?.kind, claim?.stage, claim?.amount], ['reward', 'blocked', xmr('2')]);
    assert.deepEqual(judge(order, [known], measures, AT), [], 'told once');
  });

  test('is credited and raises a case', () => {
    const order = bridgeInOrder();
    const fact: Fact = { fact: 'reward_observed', total: xmr('2'), from: 'hot', at: AT };
    const step = transition(order, fact, RULES);
    assert.ok(step !== 'ignore');
    assert.deepEqual(
      step.cases.map((one) => one.case),
      ['reward_received'],
    );
    assert.deepEqual(step.postings, [{ from: 'world', to: `order:${order.id}`, amount: xmr('2') }]);
    assert.ok(isIgnored(step.order, fact));
  });

  test('beside a deposit is owed beside it, and the deposit is bridged', () => {
    const both = [seen(0, xmr('2'), settledReward), seen(1, xmr('1'), { state: 'final', credited: xmr('1').atoms })];
    const order = shown(bridgeInOrder(), ...both);
    assert.deepEqual([order.state.phase, order.used, order.claims[0]?.kind], ['screening', xmr('1'), 'reward']);
    const done = paid(after(order, screened(order), reserved));
    assert.deepEqual([done.state.phase, refundRecovery(done)?.phase], ['completed', 'blocked']);
  });

  test('that looked like a deposit and is found out after the deadline is paused as well', () => {
    const mined = shown(bridgeInOrder(), seen(0, xmr('2'), {}));
    assert.ok(isIgnored(mined, deadline()));
    const facts = judge(mined, [seen(0, xmr('2'), settledReward)], measures, LATER);
    const order = facts.reduce((now, fact) => after(now, fact), mined);
    assert.deepEqual(customerState(order, RULES), { kind: 'paused', reason: 'preparing_refund' });
  });
});
