import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Amount } from '../../src/kernel/amount.ts';
import type { CostsNow, Fact } from '../../src/life/order/fact.ts';
import { feesAt } from '../../src/life/order/machine/fees.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { FeeTerm } from '../../src/life/quote/quote.ts';
import { USDC, usdc } from './market.ts';
import { AT } from './order-phases.ts';
import { newsOf, paymentOf } from './payment-facts.ts';
import { after, buyOrder, final, place, screenedFact } from './world.ts';

const network = (flat: Amount): FeeTerm => ({ type: 'network', at: 0, asset: USDC.id, rate: undefined, flat });
const service: FeeTerm = { type: 'service', at: 0, asset: USDC.id, rate: { num: 1n, den: 100n }, flat: undefined };

/** Ordered while networks took `quoted`, and paid when they take `now`; without the defence nobody looks again. */
function paidAt(quoted: string, now: string, deposit = '100', looksAgain = true): Order {
  const funded = after(buyOrder({ fees: [service, network(usdc(quoted))] }), final(usdc(deposit), AT));
  const costs: CostsNow = { fees: [network(usdc(now))], now: usdc(now), quoted: usdc(quoted) };
  const screened = screenedFact(true, place(USDC.id, 'sender'), AT);
  const told: Fact = looksAgain && screened.fact === 'deposit_screened' ? { ...screened, costs } : screened;
  return after(funded, told);
}

describe('9.7: gas as a free option', () => {
  test('ordered at 0.4 gwei and paid at 40, the order bears what its network costs now', () => {
    const order = paidAt('0.85', '15.98');
    assert.equal(order.state.phase, 'collecting');
    assert.deepEqual(feesAt(order, 0, usdc('100')), usdc('16.98'), 'what it costs now, and the service fee as agreed');
    const before = buyOrder().expected.atoms;
    assert.equal(order.expected.atoms, (before * 8_402n) / 9_915n, 'what is told to come out follows');
  });

  test('9.7: without a second look the desk pays the difference: so it was won', () => {
    const order = paidAt('0.85', '15.98', '100', false);
    assert.deepEqual(feesAt(order, 0, usdc('100')), usdc('1.85'));
  });

  test('what became cheaper is cheaper for the customer', () => {
    assert.deepEqual(feesAt(paidAt('5', '1'), 0, usdc('100')), usdc('2'));
  });

  test('an order that no longer carries itself goes back', () => {
    const order = paidAt('0.85', '25');
    const [claim] = order.claims;
    assert.deepEqual([order.state.phase, claim?.amount, claim?.isOurs], ['refunding', usdc('100'), false]);
    assert.match(claim?.reason ?? '', /network costs rose/);
  });

  test('the share that networks may take is inclusive, and costs that were known are no reason to give back', () => {
    assert.deepEqual(RULES.mostCostShare, { num: 1n, den: 5n });
    assert.equal(paidAt('0.85', '20').state.phase, 'collecting');
    assert.equal(paidAt('0.85', '20.000001').state.phase, 'refunding');
    assert.equal(paidAt('25', '25').state.phase, 'collecting');
  });
});

test('9.5: a collection that ran out of its narrow gas is measured anew, a few times, and only then is a person asked', () => {
  let order = paidAt('0.85', '0.85');
  for (const again of [0, 1, 2]) {
    const { id, purpose } = paymentOf(order, 'collection');
    assert.deepEqual([order.state.phase, purpose], ['collecting', { for: 'collection', again }]);
    assert.equal(id, `${order.id}:sweep:${again}`);
    const news = newsOf(paymentOf(order, 'collection'), AT);
    order = after(order, news.priced(0n), news.signed, news.failed);
  }
  assert.equal(order.state.phase, 'failed');
});
