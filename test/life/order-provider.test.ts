import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, subtract } from '../../src/kernel/amount.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { customerState, deliveredAsset, payoutTxHash, refundRecovery } from '../../src/life/order/view/v2-customer.ts';
import { ETH, ether, USDC, usdc, worth, XMR, xmr } from './market.ts';
import { AT, filled, news, paid, placed, screened } from './order-phases.ts';
import { paymentOf } from './payment-facts.ts';
import {
  after,
  final,
  isIgnored,
  minute,
  place,
  screenedFact,
  sellSwapOrder,
  swapBuyOrder,
  swapOrder,
} from './world.ts';

const funded = (order: Order): Order => {
  const sender = place(order.from.id, 'sender');
  return after(order, final(order.asked, AT), screenedFact(true, sender, AT));
};

/** The provider is chosen and paid. */
const swapping = (order: Order): Order => paid(after(order, placed(order)), 'provider_deal');

const delivered = (order: Order, got: Order['used'], to?: ReturnType<typeof place>): Fact => ({
  fact: 'leg_delivered',
  number: order.deals - 1,
  got,
  most: got,
  to,
  at: AT,
});
const returned = (order: Order, got: Order['used']): Fact => ({
  fact: 'leg_returned',
  number: order.deals - 1,
  got,
  at: AT,
});
const paidOut = (order: Order): Order => paid(after(order, { fact: 'payout_reserved', at: AT }), 'payout');

test('ether goes to a provider and the customer gets what our own account was paid, less the network', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  const done = paidOut(after(order, delivered(order, usdc('295.5'))));
  assert.ok(done.state.phase === 'completed');
  assert.deepEqual(done.state.out, usdc('295.47'));
  assert.equal(deliveredAsset(done), undefined);
});

test('a provider is kept before it is paid, and what it was offered is the deposit less fees', () => {
  const order = funded(swapOrder({ collects: false }));
  const step = transition(order, placed(order), RULES);
  assert.ok(step !== 'ignore' && step.order.state.phase === 'swapping');
  const deal = paymentOf(step.order, 'provider_deal');
  assert.deepEqual(deal.amount, ether('0.0997'));
  assert.deepEqual(deal.to, step.order.state.deal.terms.depositAddress);
  assert.deepEqual(
    step.effects.map(({ effect }) => effect),
    ['sign_transfer'],
  );
});

test('terms worse than the order’s bound, or for another sum than there is to spend, are declined and never paid', () => {
  const bound = { worstRate: ratio(usdc('2900').atoms, ether('1').atoms) };
  const made = funded(swapOrder({ collects: false }));
  const legs = made.route.legs.map((leg) => ({ ...leg, ...bound }));
  const order = { ...made, route: { ...made.route, legs } };
  const fact = placed(order);
  assert.ok(fact.fact === 'leg_placed');
  const { deal } = fact;
  const { terms } = deal;
  const told = (changed: Partial<typeof terms>): Order =>
    after(order, { ...fact, deal: { ...deal, terms: { ...terms, ...changed } } });
  const least = usdc('289.13');
  assert.equal(told({ least }).state.phase, 'swapping', '2,900 dollars for each of 0.0997 ether');
  for (const worse of [
    { least: subtract(least, amount(least.asset, 1n)) },
    { least: amount(ETH.id, least.atoms) },
    { output: amount(ETH.id, terms.output.atoms) },
    { input: ether('0.1') },
    { input: usdc('1') },
  ]) {
    const declined = told(worse);
    assert.deepEqual(declined.state, { ...order.state, refusals: 1 });
    assert.deepEqual(declined.payments, order.payments);
  }
  assert.ok(isIgnored(order, { ...fact, deal: { ...deal, number: 1 } }));
});

test('ether for XMR: what the provider brought is traded on the venue', () => {
  const order = swapping(funded(swapBuyOrder({ collects: false })));
  const stocking = after(order, delivered(order, usdc('299.1')));
  assert.ok(stocking.state.phase === 'stocking');
  const trading = after(stocking, { fact: 'stock_reserved', at: AT });
  const done = paidOut(after(trading, filled(trading)));
  assert.ok(done.state.phase === 'completed');
  assert.deepEqual(done.state.out, xmr('0.9969'));
});

test('XMR for ether: the venue first, then what it yielded goes to a provider from our hot account', () => {
  const stocking = after(sellSwapOrder(), final(xmr('1'), AT), screened(true));
  const trading = after(stocking, { fact: 'stock_reserved', at: AT });
  const exchanging = after(trading, filled(trading));
  assert.ok(exchanging.state.phase === 'stocking' && exchanging.state.stock.asset === USDC.id);
  const order = swapping(after(exchanging, { fact: 'stock_reserved', at: AT }));
  assert.ok(order.state.phase === 'swapping');
  assert.deepEqual(order.state.deal.terms.input, usdc('299.1'));
  const done = paidOut(after(order, delivered(order, ether('0.0997'))));
  assert.ok(done.state.phase === 'completed');
  assert.deepEqual(done.state.out, ether('0.09969'));
});

test('less than was promised is paid as it came', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  const done = paidOut(after(order, delivered(order, usdc('200'))));
  assert.ok(done.state.phase === 'completed');
  assert.deepEqual(done.state.out, usdc('199.97'));
});

const stepOf = (order: Order, fact: Fact) => {
  const step = transition(order, fact, RULES);
  assert.ok(step !== 'ignore');
  const got = step.postings.filter(({ from, to }) => from === 'treasury' && to === `order:${order.id}`);
  return { got: got.map((one) => one.amount), cases: step.cases };
};

test('an order gets what was agreed and a little more; what came beyond it stays the treasury’s, and a person is told', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  assert.ok(order.state.phase === 'swapping');
  const { provider, terms } = order.state.deal;
  const { id, output } = terms;
  const most = amount(output.asset, (output.atoms * 105n) / 100n);
  assert.deepEqual(stepOf(order, delivered(order, most)), { got: [most], cases: [] });
  // A top-up of the desk's own, which the provider names as its delivery.
  const { got, cases } = stepOf(order, delivered(order, usdc('12500')));
  assert.deepEqual(got, [most]);
  const beyond = subtract(usdc('12500'), most);
  assert.deepEqual(cases, [{ case: 'provider_delivered_more', provider, deal: id, ...beyond }]);
});

test('nor more of another asset than what was agreed is worth', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  const [came, most] = [amount(ETH.id, 5n * 10n ** 18n), amount(ETH.id, 10n ** 17n)];
  const fact = { ...delivered(order, came, place(ETH.id, 'customer')), most } as Fact;
  const { got, cases } = stepOf(order, fact);
  assert.deepEqual(got, [most]);
  assert.deepEqual(cases.map((one) => one.case).sort(), ['provider_delivered_more', 'provider_delivered_other']);
});

test('nor more back than was paid; who gives back clearly less than that is a case', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  assert.ok(order.state.phase === 'swapping');
  const { input } = order.state.deal.terms;
  assert.deepEqual(stepOf(order, returned(order, ether('0.0990'))), { got: [ether('0.0990')], cases: [] });
  const much = stepOf(order, returned(order, ether('3')));
  assert.deepEqual([much.got, much.cases.map((one) => one.case)], [[input], ['provider_delivered_more']]);
  const dust = amount(input.asset, 1n);
  const little = stepOf(order, returned(order, dust));
  assert.deepEqual([little.got, little.cases.map((one) => one.case)], [[dust], ['provider_delivered_less']]);
});

test('another asset of the same chain is paid as it is, and named', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  const other = amount(ETH.id, 99n * 10n ** 15n);
  const done = paidOut(after(order, delivered(order, other, place(ETH.id, 'customer'))));
  assert.ok(done.state.phase === 'completed');
  assert.deepEqual(done.state.out, other);
  assert.equal(deliveredAsset(done), ETH.id);
});

test('another asset on another chain is owed, to an address that the customer names', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  const owed = after(order, delivered(order, worth(usdc('295'), XMR.id)));
  assert.deepEqual(customerState(owed, RULES), { kind: 'action_required', action: 'refund_address' });
  assert.equal(refundRecovery(owed)?.asset, XMR.id);
});

test('more of the deposited asset than was paid goes back, and what comes later is credited and owed all the same', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  const owed = after(order, delivered(order, ether('0.104')));
  assert.ok((refundRecovery(owed)?.amount.atoms ?? 0n) > order.funds.confirmed.atoms);
  const little = after(owed, final(ether('0.101'), AT));
  assert.deepEqual(little.funds.confirmed, ether('0.101'), 'it is looked at, though less came in all than goes back');
  const later = after(little, final(ether('0.15'), AT));
  assert.deepEqual(later.funds.confirmed, ether('0.15'));
  const sum = later.claims.reduce((atoms, one) => atoms + (one.stage === 'replaced' ? 0n : one.amount.atoms), 0n);
  assert.equal(sum, ether('0.15').atoms);
});

test('what a provider gives back is placed with another, and after three of them it goes back to its sender', () => {
  let order = swapping(funded(swapOrder({ collects: false })));
  for (const deals of [1, 2]) {
    assert.equal(order.deals, deals);
    order = swapping(after(order, returned(order, ether('0.0990'))));
  }
  const back = after(order, returned(order, ether('0.0980')));
  assert.ok(back.state.phase === 'refunding');
  assert.equal(back.claims[0]?.to?.address, 'sender');
  assert.ok((back.claims[0]?.amount.atoms ?? 0n) < ether('0.1').atoms, 'what providers kept is not given back twice');
});

test('when every provider refuses, or none answers for ten minutes, the whole deposit goes back', () => {
  const order = funded(swapOrder({ collects: false }));
  const no = (refused: boolean, at = AT): Fact => ({ fact: 'leg_declined', number: 0, refused, at });
  const refunding = after(order, no(true), no(true), no(true));
  assert.ok(refunding.state.phase === 'refunding');
  assert.deepEqual(refunding.claims[0]?.amount, ether('0.1'));
  assert.equal(after(order, no(false)).state.phase, 'placing');
  assert.equal(after(order, no(false, minute(21))).state.phase, 'refunding');
});

test('a provider that fails is waited for, the customer is told so, and what it brings late is paid', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  const failed = after(order, { fact: 'leg_failed', number: 0, reason: 'lost', at: AT });
  assert.deepEqual(customerState(failed, RULES), { kind: 'paused', reason: 'preparing_refund' });
  assert.equal(after(failed, delivered(failed, usdc('295'))).state.phase, 'payout_due');
  assert.equal(after(failed, returned(failed, ether('0.09'))).state.phase, 'placing');
});

test('news of a deal that is over changes nothing', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  const again = after(order, returned(order, ether('0.0990')));
  assert.ok(isIgnored(again, delivered(order, usdc('295'))));
  const second = swapping(again);
  assert.ok(isIgnored(second, delivered(order, usdc('295'))));
  assert.ok(isIgnored(second, { fact: 'leg_failed', number: 0, reason: 'lost', at: AT }));
});

test('bytes that are proven dead are followed by others of the same payment', () => {
  const order = swapping(funded(swapOrder({ collects: false })));
  const due = after(order, delivered(order, usdc('295')), { fact: 'payout_reserved', at: AT });
  const { signed, sent, signedAnew } = news(due, 'payout');
  const resigned = after(due, signed, sent, signedAnew);
  assert.equal(payoutTxHash(resigned), signedAnew.txHash);
  assert.ok(isIgnored(resigned, signedAnew));
});
