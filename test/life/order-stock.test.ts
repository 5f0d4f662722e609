import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Instant, later } from '../../src/kernel/clock.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { may } from '../../src/life/order/command.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { takesRefundAddress, v1Status } from '../../src/life/order/view/v1-status.ts';
import { customerState, refundRecoveries, v2Status } from '../../src/life/order/view/v2-customer.ts';
import { XMR, xmr1 } from './market.ts';
import { AT, ORDER_IN, paid } from './order-phases.ts';
import { after, bridgeOutOrder, final, isIgnored, paidBack, place, screenedFact } from './world.ts';

const short = (order: Order, at: Instant): Fact => ({ fact: 'inventory_short', asset: order.to.id, at });
const PATIENCE_OVER = later(AT, RULES.stockPatienceMs);
const collecting = after(
  bridgeOutOrder(),
  final(xmr1('1'), AT),
  screenedFact(true, place(xmr1('1').asset, 'sender'), AT),
);
const stocking = collecting.state.phase === 'collecting' ? paid(collecting, 'collection') : collecting;
const waiting = after(stocking, short(stocking, AT));
const overdue = after(waiting, short(stocking, PATIENCE_OVER));
const home = { command: 'give_refund_address', to: place(xmr1('1').asset, 'home') } as const;
const takeBack: Fact = { fact: 'refund_address_given', to: home.to, at: PATIENCE_OVER };

describe('a bridge withdrawal above our stock does not wait silently for ever', () => {
  test('for a while it just waits: nobody may change his mind at the first shortage', () => {
    assert.equal(waiting.state.phase, 'stocking');
    assert.deepEqual(customerState(waiting, RULES), { kind: 'processing', step: 'executing' });
    const answer = may(waiting, home, RULES);
    assert.ok(isRefusal(answer) && answer.refusal === 'action_not_available');
    assert.ok(isIgnored(waiting, takeBack));
    const early = after(waiting, short(stocking, later(PATIENCE_OVER, -1)));
    assert.ok(isRefusal(may(early, home, RULES)), 'and not a moment too early');
  });

  test('after the patience of the settings it can be taken back, in both generations, to the address that is given', () => {
    assert.equal(v2Status(overdue), 'processing');
    assert.deepEqual(customerState(overdue, RULES), { kind: 'action_required', action: 'refund_address' });
    const [shown] = refundRecoveries(overdue);
    assert.deepEqual(
      [shown?.kind, shown?.phase, shown?.amount, shown?.suggestedAddress],
      ['source', 'address_required', xmr1('1'), 'sender'],
    );
    const old: Order = { ...overdue, generation: 'v1' };
    assert.deepEqual([v1Status(old), takesRefundAddress(old)], ['refunding_wrong_chain', true]);
    assert.equal(may(overdue, home, RULES), undefined);
    const back = after(overdue, takeBack);
    assert.deepEqual([back.state.phase, back.claims[0]?.to?.address], ['refunding', 'home']);
    assert.equal(may(back, home, RULES), 'done');
    assert.ok(isIgnored(back, { fact: 'stock_reserved', at: PATIENCE_OVER }), 'and is never paid as well');
    assert.equal(v2Status(after(back, ...paidBack(back, 1, PATIENCE_OVER))), 'refunded');
  });

  test('it goes on by itself when the stock comes before the customer has decided', () => {
    const served = after(overdue, { fact: 'stock_reserved', at: PATIENCE_OVER });
    assert.equal(served.state.phase, 'payout_due');
    assert.equal(customerState(served, RULES).kind, 'processing');
    assert.ok(isIgnored(served, takeBack));
  });

  test('with a patience without end nothing can be taken back: so it was won', () => {
    const endless = { ...RULES, stockPatienceMs: Number.MAX_SAFE_INTEGER - PATIENCE_OVER };
    const patient = after(waiting, short(stocking, later(AT, 1)));
    assert.ok(isRefusal(may(patient, home, endless)));
  });
});

test('a payout that waits for stock can be had back as what was traded for it', () => {
  const due = ORDER_IN.payout_due;
  assert.ok(due.state.phase === 'payout_due');
  const late = after(due, short(due, AT), short(due, PATIENCE_OVER));
  const { asset } = due.state.held;
  assert.notEqual(asset, XMR.id);
  assert.equal(refundRecoveries(late)[0]?.asset, asset);
  const back = after(late, { fact: 'refund_address_given', to: place(asset, 'home'), at: PATIENCE_OVER });
  assert.deepEqual([back.state.phase, back.claims[0]?.amount], ['refunding', due.state.held]);
  assert.ok(isIgnored(back, { fact: 'payout_reserved', at: PATIENCE_OVER }));
});
