import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Amount, add, amount } from '../../src/kernel/amount.ts';
import { type Instant, later } from '../../src/kernel/clock.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { may, refundAsset } from '../../src/life/order/command.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { twapOf } from '../../src/life/order/view/twap.ts';
import { v1Status } from '../../src/life/order/view/v1-status.ts';
import { customerState, refundRecovery, v2Status } from '../../src/life/order/view/v2-customer.ts';
import { USDC, usdc, XMR, xmr } from './market.ts';
import { AT, filled, news, ORDER_IN, paid, screened } from './order-phases.ts';
import { witness } from './order-witness.ts';
import { after, buyOrder, final, isIgnored, paidBack, place, screenedFact, sellOrder } from './world.ts';

const PATIENCE_MS = RULES.tradePatienceMs;

/** The book gives nothing at this moment. */
function empty({ state }: Order, at: Instant): Fact {
  assert.ok(state.phase === 'trading');
  const { chunk, attempt, spent, got } = state.run;
  const none = (like: Amount) => amount(like.asset, 0n);
  return { fact: 'ticket_done', chunk, attempt, spent: none(spent), got: none(got), last: false, at };
}

/** Tells an order one fact after the other under the eyes of the witness, who knows the ledger. */
function told(order: Order, ...facts: readonly (Fact | ((now: Order) => Fact))[]): Order {
  const beside = witness(order, RULES);
  for (const fact of facts) {
    const what = typeof fact === 'function' ? fact(beside.order) : fact;
    assert.notEqual(beside.tell(what), 'ignore', `${what.fact} in ${beside.order.state.phase}`);
  }
  return beside.order;
}

/** Each chunk of a trade reserves its own. */
const RESERVED: Fact = { fact: 'stock_reserved', at: AT };

const collected: readonly (Fact | ((now: Order) => Fact))[] = [
  final(usdc('100'), AT),
  screened(true),
  (order) => news(order, 'collection').priced(0n),
  (order) => news(order, 'collection').signed,
  (order) => news(order, 'collection').confirmed,
  RESERVED,
];
const since = (ms: number): Instant => later(AT, ms);

describe('a market that goes away', () => {
  test('before anything was traded sends everything back, fees and all, once patience is over', () => {
    const trading = told(buyOrder({ chunks: 4 }), ...collected);
    const waiting = after(trading, empty(trading, AT));
    const almost = after(waiting, empty(waiting, since(PATIENCE_MS - 1)));
    assert.equal(almost.state.phase, 'trading');
    const back = told(
      buyOrder({ chunks: 4 }),
      ...collected,
      (order) => empty(order, AT),
      (order) => empty(order, since(PATIENCE_MS)),
    );
    assert.deepEqual([back.state.phase, back.used], ['refunding', usdc('0')]);
    const [claim] = back.claims;
    assert.deepEqual([claim?.amount, claim?.to?.address, claim?.stage], [usdc('100'), 'sender', 'pricing']);
    assert.equal(twapOf(back)?.status, 'failed');
  });

  test('goes back to the address that was named at creation before its sender', () => {
    const named = buyOrder({ chunks: 4, refundTo: place(USDC.id, 'home') });
    const gone = [(order: Order) => empty(order, AT), (order: Order) => empty(order, since(PATIENCE_MS))];
    assert.equal(told(named, ...collected, ...gone).claims[0]?.to?.address, 'home');
    // An address of another asset is no place for this one.
    const elsewhere = { ...named, refundTo: place(XMR.id, 'home') };
    assert.equal(told(elsewhere, ...collected, ...gone).claims[0]?.to?.address, 'sender');
  });

  test('in the middle pays out what was traded and gives back the rest', () => {
    const stopped = told(
      buyOrder({ chunks: 4 }),
      ...collected,
      filled,
      RESERVED,
      (order) => empty(order, AT),
      (order) => empty(order, since(PATIENCE_MS)),
    );
    assert.equal(stopped.state.phase, 'payout_due');
    const [claim] = stopped.claims;
    assert.deepEqual([claim?.amount, claim?.to?.address], [usdc('74.924775'), 'sender']);
    assert.deepEqual([stopped.used, stopped.claims.length], [usdc('25.075225'), 1]);
    const { status, chunksCompleted, chunksTotal, filledQty, totalQty, estimatedTimeRemainingMs } =
      twapOf(stopped) ?? {};
    assert.deepEqual(
      { status, chunksCompleted, chunksTotal, filledQty, totalQty, estimatedTimeRemainingMs },
      {
        ...{ status: 'failed', chunksCompleted: 1, chunksTotal: 4 },
        ...{ filledQty: '25.00', totalQty: '99.70', estimatedTimeRemainingMs: 0 },
      },
    );
    const out = paid(after(stopped, { fact: 'payout_reserved', at: AT }), 'payout');
    const done = after(out, ...paidBack(stopped, 1, AT));
    assert.deepEqual([v2Status(done), refundRecovery(done)?.phase], ['completed', 'completed']);
  });

  test('in the middle of Monero asks where the rest is to go, while the traded part is paid out', () => {
    const sold = told(
      sellOrder({ chunks: 4 }),
      final(xmr('1'), AT, { sender: undefined }),
      screenedFact(true, undefined, AT),
      RESERVED,
      filled,
      RESERVED,
      filled,
      RESERVED,
      (order) => empty(order, AT),
      (order) => empty(order, since(PATIENCE_MS)),
    );
    assert.equal(sold.state.phase, 'payout_due');
    assert.deepEqual(customerState(sold, RULES), { kind: 'action_required', action: 'refund_address' });
    assert.deepEqual([refundRecovery(sold)?.amount, refundRecovery(sold)?.kind], [xmr('0.5'), 'source']);
    assert.deepEqual(add(sold.used, xmr('0.5')), xmr('1'));
  });

  test('and comes back before patience is over is traded to the end', () => {
    const trading = told(buyOrder({ chunks: 4 }), ...collected);
    const idle = after(trading, empty(trading, AT));
    const again = after(idle, filled(idle), RESERVED);
    assert.ok(again.state.phase === 'trading');
    assert.equal(again.state.run.idleSince, undefined);
    const late = after(again, empty(again, since(PATIENCE_MS * 2)));
    assert.equal(late.state.phase, 'trading', 'an outage of the venue is no market without offers');
  });

  test('leaves a flat fee with the part that was traded', () => {
    const flat = { type: 'service', at: 0, asset: USDC.id, rate: undefined, flat: usdc('4') } as const;
    const stopped = told(
      buyOrder({ chunks: 4, fees: [flat] }),
      ...collected,
      filled,
      RESERVED,
      (order) => empty(order, AT),
      (order) => empty(order, since(PATIENCE_MS)),
    );
    assert.deepEqual(stopped.claims[0]?.amount, usdc('71'));
  });
});

describe('a payout that the chain refuses', () => {
  const asked = ORDER_IN.payout_refused;
  const home = place(XMR.id, 'home');
  const giveBack: Fact = { fact: 'refund_address_given', to: home, at: AT };
  const other: Fact = { fact: 'payout_address_given', to: place(XMR.id, 'other'), at: AT };

  test('may be given back instead, and then is never paid out', () => {
    assert.equal(refundAsset(asked), XMR.id);
    assert.equal(may(asked, { command: 'give_refund_address', to: home }, RULES), undefined);
    const back = after(asked, giveBack);
    assert.deepEqual([back.state.phase, back.claims[0]?.to, back.claims[0]?.stage], ['refunding', home, 'pricing']);
    assert.ok(isIgnored(back, other));
    const answer = may(back, { command: 'give_payout_address', to: place(XMR.id, 'other') }, RULES);
    assert.ok(isRefusal(answer) && answer.refusal === 'action_not_available');
    assert.equal(may(back, { command: 'give_refund_address', to: home }, RULES), 'done');
    assert.equal(after(back, ...paidBack(back, 1, AT)).state.phase, 'refunded');
  });

  test('is given back even after another address was named, until that payment is set apart', () => {
    const pending = after(asked, other);
    assert.equal(pending.state.phase, 'payout_due');
    const back = after(pending, giveBack);
    assert.equal(back.state.phase, 'refunding');
    assert.ok(isIgnored(back, { fact: 'payout_reserved', at: AT }));
    const reserved = after(pending, { fact: 'payout_reserved', at: AT });
    assert.ok(isIgnored(reserved, giveBack));
    assert.ok(isRefusal(may(reserved, { command: 'give_refund_address', to: home }, RULES)));
  });

  test('a first payout is no recovery, and cannot be exchanged for a refund', () => {
    for (const order of [ORDER_IN.payout_due, ORDER_IN.paying, ORDER_IN.completed]) {
      assert.ok(isRefusal(may(order, { command: 'give_refund_address', to: home }, RULES)), order.state.phase);
      assert.ok(isIgnored(order, giveBack));
    }
  });

  test('at the second address too is owed, and the customer names where', () => {
    const again = after(asked, other, { fact: 'payout_reserved', at: AT });
    const twice = after(again, news(again, 'payout').refused);
    assert.deepEqual([twice.state.phase, v1Status(twice)], ['refunding', 'refunding_wrong_chain']);
    assert.deepEqual(customerState(twice, RULES), { kind: 'action_required', action: 'refund_address' });
    const back = after(twice, giveBack);
    assert.equal(after(back, ...paidBack(back, 1, AT)).state.phase, 'refunded');
  });

  test('takes a refund address from v1, which knows no other way', () => {
    assert.equal(v1Status(asked), 'refunding_wrong_chain');
    assert.equal(v1Status(after(asked, giveBack)), 'refunding');
  });
});
