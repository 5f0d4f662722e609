import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Amount, amount, atLeast, isZero, scale } from '../../src/kernel/amount.ts';
import { later } from '../../src/kernel/clock.ts';
import type { Address, AssetId } from '../../src/kernel/ids.ts';
import { percent } from '../../src/kernel/ratio.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { asPaid, feeAmount, feeAssetOf, saleOf } from '../../src/life/order/fee-destination.ts';
import { feesAt } from '../../src/life/order/machine/fees.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { newsOf as toldOf } from '../../src/life/order/view/news.ts';
import { orderFees } from '../../src/life/order/view/order-fees.ts';
import { feeReport } from '../../src/life/order/view/report.ts';
import type { FeeTerm } from '../../src/life/quote/quote.ts';
import { traded, USDC, usdc, xmr } from './market.ts';
import { histories, live, trips } from './order-histories.ts';
import { AT, paid } from './order-phases.ts';
import { type Witness, witness } from './order-witness.ts';
import { newsOf, paymentOf } from './payment-facts.ts';
import { after, buyOrder, final, place, screenedFact, sellOrder, tripOrder } from './world.ts';

const PERCENT = 1;
const OWED = 'owed:int_a';

/** A fee of one percent, which is taken only if it comes to `least`. */
function withFee(order: Order, least: Amount, rate = PERCENT): Order {
  const { route, from } = order;
  const term: FeeTerm = {
    ...{ type: 'integrator' as const, at: saleOf(route) ? 1 : 0, asset: least.asset, flat: undefined, least },
    rate: percent(`${rate}`),
  };
  const asset = feeAssetOf(route, from.id);
  const to = { asset, address: '0xfee' as Address, binding: 'bound:fee' };
  const integratorFee = { integrationId: 'int_a', percent: rate, payoutAddress: to.address, to };
  return { ...order, integratorFee, route: { ...route, fees: [term, ...route.fees] } };
}

/** The deposit is clear, and paying the fee costs so much by now. */
function screenedAt(fee: Amount): Fact {
  const clear = screenedFact(true, place(USDC.id, 'sender'), AT);
  assert.ok(clear.fact === 'deposit_screened');
  const nothing = amount(USDC.id, 0n);
  return { ...clear, costs: { fees: [], now: nothing, quoted: nothing, fee } };
}

const isSkipped = (order: Order): void => {
  const { status, skipReason } = feeReport(order);
  assert.deepEqual([status, skipReason], ['skipped', 'too_small']);
  assert.deepEqual([order.integratorFee, order.feeEarned], [undefined, undefined]);
  assert.ok(orderFees(order).every(({ type }) => type !== 'integrator'));
};

const filledAs = ({ state, route }: Order, part: bigint, last = false): Fact => {
  const leg = route.legs.find((one) => one.leg === 'venue');
  assert.ok(state.phase === 'trading' && leg);
  const { chunk, attempt, chunkLeft } = state.run;
  const spent = amount(chunkLeft.asset, (chunkLeft.atoms * part) / 100n);
  const got = amount(leg.receive, traded(leg.side, spent.atoms));
  return { fact: 'ticket_done', chunk, attempt, spent, got, last, at: AT };
};

test('gas rises between the quote and the deposit: the fee is not taken, and the customer is shown and traded what it was', () => {
  const asked = withFee(buyOrder({ fees: [] }), usdc('0.05'));
  const funded = after(asked, final(usdc('100'), AT));
  assert.equal(feeReport(funded).status, 'projected');
  const dear = after(funded, screenedAt(usdc('1.000001')));
  isSkipped(dear);
  assert.ok(isZero(feesAt(dear, 0, usdc('100'))), 'all of the deposit is traded');
  assert.equal(dear.expected.atoms, (asked.expected.atoms * 100n) / 99n);
  assert.deepEqual(toldOf(funded, dear, RULES), ['fee.skipped']);

  const fair = after(funded, screenedAt(usdc('1')));
  assert.deepEqual([feeReport(fair).status, feesAt(fair, 0, usdc('100'))], ['projected', usdc('1')]);
  assert.equal(fair.expected.atoms, asked.expected.atoms);
});

test('less arrives than was asked for: a fee that is too small of that is the customer’s', () => {
  const asked = withFee(buyOrder({ fees: [] }), usdc('0.5'));
  const closed = after(asked, final(usdc('40'), AT), { fact: 'wait_closed', at: AT });
  const order = after(closed, screenedFact(true, place(USDC.id, 'sender'), AT));
  isSkipped(order);
  assert.ok(isZero(feesAt(order, 0, usdc('40'))));
  const enough = after(asked, final(usdc('50'), AT), { fact: 'wait_closed', at: AT });
  assert.equal(feeReport(after(enough, screenedAt(usdc('0.5')))).status, 'projected');
});

test('chunks stop early: the fee of the part that was traded would not cover its transfer, and goes back with the rest', () => {
  const beside = witness(withFee(buyOrder({ fees: [], chunks: 10, collects: false }), usdc('0.5')), RULES);
  beside.tell(final(usdc('100'), AT));
  beside.tell(screenedAt(usdc('0.5')));
  beside.tell({ fact: 'stock_reserved', at: AT });
  beside.tell(filledAs(beside.order, 100n));
  beside.tell({ fact: 'stock_reserved', at: AT });
  beside.tell(filledAs(beside.order, 0n));
  const { state } = beside.order;
  assert.ok(state.phase === 'trading');
  beside.tell({ ...(filledAs(beside.order, 0n) as Fact), at: later(AT, RULES.tradePatienceMs) } as Fact);
  const { order } = beside;
  assert.equal(order.state.phase, 'payout_due');
  isSkipped(order);
  assert.deepEqual(
    order.claims.map((claim) => claim.amount),
    [usdc('90')],
    'ten were traded, and nothing is kept of the rest',
  );
  assert.equal(beside.balance(OWED, USDC.id), 0n);
});

test('a coin that is sold: a first payment to a venue account must cover its activation, or nothing is taken of the sale', () => {
  for (const [cost, isTaken] of [
    [usdc('2.99'), true],
    [usdc('3.01'), false],
  ] as const) {
    const beside = witness(withFee(sellOrder({ fees: [] }), usdc('0')), RULES);
    beside.tell(final(xmr('1'), AT));
    beside.tell(screenedAt(cost));
    beside.tell({ fact: 'stock_reserved', at: AT });
    beside.tell(filledAs(beside.order, 100n));
    beside.tell({ fact: 'payout_reserved', at: AT });
    const { order } = beside;
    assert.equal(order.state.phase, 'paying');
    const payout = paymentOf(order, 'payout').amount.atoms;
    const gross = usdc('300').atoms;
    assert.equal(payout, isTaken ? gross - usdc('3').atoms : gross, `at ${cost.atoms}`);
    assert.equal(beside.balance(OWED, USDC.id), isTaken ? usdc('3').atoms : 0n);
    if (!isTaken) isSkipped(order);
  }
});

test('the market gives less than was reckoned with: a fee that became too small by that is paid out to the customer', () => {
  const beside = witness(withFee(sellOrder({ fees: [] }), usdc('2.99')), RULES);
  beside.tell(final(xmr('1'), AT));
  beside.tell(screenedAt(usdc('2.99')));
  assert.equal(feeReport(beside.order).status, 'projected');
  beside.tell({ fact: 'stock_reserved', at: AT });
  const full = filledAs(beside.order, 100n);
  assert.ok(full.fact === 'ticket_done');
  beside.tell({ ...full, got: scale(full.got, percent('99'), 'down') });
  beside.tell({ fact: 'payout_reserved', at: AT });
  isSkipped(beside.order);
  assert.equal(paymentOf(beside.order, 'payout').amount.atoms, usdc('297').atoms);
  assert.equal(beside.balance(OWED, USDC.id), 0n);
});

test('what was taken is paid, whatever became dearer since', () => {
  const order = withFee(buyOrder({ fees: [], collects: false }), usdc('0.5'));
  const trading = after(order, final(usdc('100'), AT), screenedAt(usdc('0.5')), { fact: 'stock_reserved', at: AT });
  const due = after(trading, filledAs(trading, 100n), { fact: 'payout_reserved', at: AT });
  const done = paid(due, 'payout');
  const priced: Fact = { fact: 'fee_priced', cost: usdc('40'), at: AT };
  const paying = after(done, priced);
  assert.deepEqual(paymentOf(paying, 'integrator_fee').amount, usdc('1'));
  assert.equal(feeReport(paying).status, 'projected');
  const news = newsOf(paymentOf(paying, 'integrator_fee'), AT);
  assert.equal(feeReport(after(paying, news.signed, news.sent, news.confirmed)).status, 'paid');
});

/** Either it was taken and is the integration's, and covers its transfer; or nothing of the customer's money is. */
function checkFee(beside: Witness, first: Order): void {
  const { order } = beside;
  const taken = assetsOf(order).reduce((sum, asset) => sum + beside.balance(OWED, asset), 0n);
  assert.equal(taken, order.feeEarned?.atoms ?? 0n, 'what is owed is what the order says');
  if (order.feeSkipped) assert.equal(taken, 0n);
  const least = first.route.fees.find(({ type }) => type === 'integrator')?.least;
  if (!order.feeEarned || !least) return;
  assert.ok(atLeast(order.feeEarned, least), 'a fee was taken that does not cover its transfer');
  assert.equal(feeReport(order).status === 'skipped', false);
  assert.deepEqual(asPaid(order.route, order.feeEarned), feeAmount(order, PERCENT));
}

const assetsOf = ({ route, from }: Order): readonly AssetId[] => [
  ...new Set([from.id, ...route.legs.map(({ output }) => output.asset)]),
];

test('no history takes a fee that is skipped, or skips one that was taken', () =>
  fc.assert(
    fc.property(trips, histories, fc.bigInt(0n, 2_000n), (trip, history, thousandths) => {
      const plain = tripOrder(trip);
      if (plain.bridge) return;
      const sale = saleOf(plain.route);
      const asset = sale?.output.asset ?? plain.from.id;
      const usual = withFee(plain, amount(asset, 0n));
      const whole = feeAmount(usual, PERCENT).atoms;
      const inUnits = sale ? whole / 10n ** BigInt(sale.receiveDecimals - sale.output.decimals) : whole;
      const first = withFee(plain, amount(asset, (inUnits * thousandths) / 1_000n));
      const beside = witness(first, RULES, () => checkFee(beside, first));
      live(beside, history);
    }),
    { numRuns: 1_000, includeErrorInReport: true },
  ));
