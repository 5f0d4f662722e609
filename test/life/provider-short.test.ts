import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { type Amount, amount } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { errorOf } from '../../src/life/order/view/v2-customer.ts';
import { openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { ether } from './market.ts';
import { AT, paid, placed } from './order-phases.ts';
import { tripDesk } from './trip-desk.ts';
import { after, final, place, screenedFact, swapOrder } from './world.ts';

/** One per cent for the service, of what was deposited. */
const fees = [{ type: 'service', at: 0, asset: ether('1').asset, rate: ratio(1n, 100n), flat: undefined }] as const;
const placing = after(
  swapOrder({ collects: false, fees }),
  final(ether('0.1'), AT),
  screenedFact(true, place(ether('1').asset, 'sender'), AT),
);
const swapping = paid(after(placing, placed(placing)), 'provider_deal');

const part = ({ state }: Order, percent: bigint): Amount => {
  assert.ok(state.phase === 'swapping');
  const { asset, atoms } = state.deal.terms.least;
  return amount(asset, (atoms * percent) / 100n);
};
const delivered = (got: Amount): Fact => ({ fact: 'leg_delivered', number: 0, got, to: undefined, at: AT });

test('9.13: a provider delivers less than agreed: a case, no service fee, and the customer is told', () => {
  const step = transition(swapping, delivered(part(swapping, 89n)), RULES);
  assert.ok(step !== 'ignore');
  assert.deepEqual(
    step.cases.map((one) => one.case),
    ['provider_delivered_less'],
  );
  const earned = step.postings.filter(({ to }) => to === 'fees');
  assert.deepEqual(earned, [], 'the desk earns nothing by it');
  const [claim] = step.order.claims;
  assert.deepEqual([claim?.amount, claim?.to?.address, claim?.stage], [ether('0.001'), 'sender', 'pricing']);
  assert.equal(errorOf(step.order)?.code, 'delivered_less');
  assert.equal(step.order.state.phase, 'payout_due', 'what came is paid');
});

test('9.13: a deal that agreed on no least is short in silence, and the desk takes its fee: so it was won', () => {
  const { state } = swapping;
  assert.ok(state.phase === 'swapping');
  const least = amount(state.deal.terms.least.asset, 0n);
  const lax: Order = {
    ...swapping,
    state: { ...state, deal: { ...state.deal, terms: { ...state.deal.terms, least } } },
  };
  const step = transition(lax, delivered(part(swapping, 89n)), RULES);
  assert.ok(step !== 'ignore');
  assert.deepEqual([step.cases, errorOf(step.order), step.order.claims], [[], undefined, []]);
  assert.deepEqual(
    step.postings.filter(({ to }) => to === 'fees').map((one) => one.amount),
    [ether('0.001')],
  );
});

test('one atom under the least is less, the least itself is not', () => {
  const least = part(swapping, 100n);
  const whole = transition(swapping, delivered(least), RULES);
  assert.ok(whole !== 'ignore' && whole.cases.length === 0 && errorOf(whole.order) === undefined);
  assert.deepEqual(
    whole.postings.filter(({ to }) => to === 'fees').map((one) => one.amount),
    [ether('0.001')],
  );
  const short = transition(swapping, delivered(amount(least.asset, least.atoms - 1n)), RULES);
  assert.ok(short !== 'ignore' && short.cases.length === 1);
});

test('9.13: that provider’s breaker opens after the second deal with less than agreed, and counts anew once a person closed it', async () => {
  const { url, drop } = await testDatabase(async (fresh) => {
    await migrate(fresh);
  });
  const db = openDb(url, 3);
  let now = 1_700_000_000_000;
  const clock = { now: () => instant(now) };
  const { breakers, shortDeliveries, look } = tripDesk(db, clock);
  const isOpen = async (provider = 'acme') => (await breakers.isOpen(`provider:${provider}`)) !== undefined;
  const stands = async (provider: string, deal: string) => {
    now += 1_000;
    await shortDeliveries.note(provider, deal);
    await look();
    return isOpen();
  };
  try {
    assert.equal(await stands('acme', 'sw_a:0'), false);
    assert.equal(await stands('acme', 'sw_a:0'), false, 'the same deal told twice is one');
    assert.equal(await stands('other', 'sw_b:0'), false, 'another provider’s is not its own');
    assert.equal(await stands('acme', 'sw_c:0'), true);
    assert.equal(await isOpen('other'), false);
    now += 1_000;
    await breakers.set('provider:acme', false, 'it has explained itself', 'ada');
    assert.equal(await stands('acme', 'sw_d:0'), false);
    assert.equal(await stands('acme', 'sw_e:0'), true);
  } finally {
    await db.close();
    await drop();
  }
});
