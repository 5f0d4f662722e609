import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Amount, amount, atoms, zero } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address, AssetId } from '../../src/kernel/ids.ts';
import { judge } from '../../src/life/deposit/judge.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import { customerState } from '../../src/life/order/view/v2-customer.ts';
import { price, priceClaim } from '../../src/life/transfer/price.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import { STRAY, USDC, usdc } from './market.ts';
import { clean, EARLY, listed, origins, originsBy, screen, screened, sent, showing } from './screening-room.ts';
import { after, buyOrder, measuresAt, minute, place } from './world.ts';

const THIRD = 'third' as Address;
const job = (order: Order) => ({ key: 'k', owner: order.id, tries: 0, troubledSince: undefined });
const stage = {
  chain: () => ({
    facts: { assets: [{ id: USDC.id, native: true }, { id: STRAY }], feePayer: 'sender' },
    terms: async () => ({ cost: atoms(0n), usual: atoms(0n) }),
    balance: async () => ({ spendable: atoms(0n), locked: atoms(0n) }),
  }),
  ...{ screen, boundOf: origins.boundOf, clock: { now: () => minute(9) } },
  books: { gasOf: async () => 0n, attempts: async () => [], find: async () => undefined },
  inAsset: async (_: Amount, of: AssetId) => zero(of),
} as unknown as TransferStage;

/** What is asked of this claim's refund, and whether it is paid then. */
async function priced(order: Order, claim: number, by = stage): Promise<Order> {
  const done = await priceClaim(by, { ...job(order), effect: { effect: 'price_claim', claim } }, order);
  return typeof done === 'object' && 'fact' in done ? after(order, done.fact) : order;
}
async function paid(order: Order): Promise<Order> {
  const payment = order.payments.findLast(({ purpose }) => purpose.for === 'refund');
  assert.ok(payment, 'a refund is under way');
  const done = await price(stage, { ...job(order), effect: { effect: 'price_payment', payment: payment.id } }, order);
  assert.ok(typeof done === 'object' && 'fact' in done);
  return after(order, done.fact);
}
const toNamed = (order: Order, asset = order.from.id): Order =>
  after(order, { fact: 'refund_address_given', to: place(asset, 'fresh'), at: minute(8) });
const claimOf = ({ claims }: Order, number: number) => {
  const claim = claims.find((one) => one.number === number);
  return [claim?.to?.address, claim?.stage, claim?.amount.atoms];
};
const DEPOSIT = [sent(0, usdc('60'), clean), sent(1, usdc('40'), THIRD)];
/** Carried out from stock, with what came afterwards. */
const wentOn = async (...more: readonly KeptSighting[]): Promise<Order> => {
  const order = await screened(showing(buyOrder(), DEPOSIT));
  assert.equal(order.state.phase, 'stocking');
  return showing(order, [...DEPOSIT, ...more], minute(7));
};

describe('a surplus of a listed account', () => {
  test('goes back to it, and nobody is asked for an address', async () => {
    const extra = await wentOn(sent(2, usdc('50'), listed));
    assert.deepEqual(claimOf(extra, 1), [undefined, 'address_required', usdc('50').atoms]);
    const back = await priced(extra, 1);
    assert.deepEqual(claimOf(back, 1), [listed, 'paying', usdc('50').atoms]);
    assert.notEqual(customerState(back, RULES).kind, 'action_required');
    assert.equal((await paid(back)).payments.at(-1)?.to, listed);
    assert.deepEqual(claimOf(await paid(back), 1).slice(0, 2), [listed, 'paying'], 'nothing refuses what is returned');
  });

  test('goes back to it though another address was named before that was known', async () => {
    const back = await priced(toNamed(await wentOn(sent(2, usdc('50'), listed))), 1);
    assert.deepEqual(claimOf(back, 1), [listed, 'paying', usdc('50').atoms]);
  });

  test('with the surplus of another is held, and a person is told which account is listed', async () => {
    const extra = await wentOn(sent(2, usdc('50'), listed), sent(3, usdc('20'), clean));
    assert.deepEqual(claimOf(await priced(extra, 1), 1), [undefined, 'address_required', usdc('70').atoms]);
    const held = await paid(await priced(toNamed(extra), 1));
    assert.deepEqual(claimOf(held, 1), ['fresh', 'blocked', usdc('70').atoms]);
    const { state } = held.payments.find(({ purpose }) => purpose.for === 'refund') ?? {};
    assert.match(JSON.stringify(state), /a part of it came from listed, which did not pass screening/);
  });

  test('that is next to nothing binds nobody: the surplus of a clean account goes where its customer says', async () => {
    const extra = await wentOn(sent(2, usdc('50'), clean), sent(3, usdc('0.5'), listed));
    const back = await priced(toNamed(extra), 1);
    assert.deepEqual(claimOf(back, 1).slice(0, 2), ['fresh', 'paying']);
    assert.equal(claimOf(await paid(back), 1)[1], 'paying');
  });

  test('is not paid while nobody can be screened', async () => {
    const extra = toNamed(await wentOn(sent(2, usdc('50'), listed)));
    const { boundOf } = originsBy(() => Promise.reject(new Fault('transient', 'screening', 'gone')));
    await assert.rejects(priced(extra, 1, { ...stage, boundOf }), { kind: 'transient', at: 'screening' });
  });
});

test('what the order has used was screened: a surplus of a clean account is not held for it', async () => {
  const before = [sent(0, usdc('100'), listed)];
  const used = { ...showing(buyOrder(), before), state: { phase: 'completed', out: usdc('1'), at: EARLY } } as Order;
  const extra = toNamed(showing(used, [...before, sent(1, usdc('30'), clean)], minute(7)));
  assert.deepEqual(claimOf(await priced(extra, 1), 1).slice(0, 2), ['fresh', 'paying']);
});

test('what goes back to its listed sender holds up nothing that has no sender', async () => {
  const mixed = [sent(0, usdc('60'), listed), sent(1, usdc('10'), clean), sent(2, usdc('30'), undefined)];
  const back = toNamed(await screened(showing(buyOrder(), mixed)));
  const own = await priced(back, 1);
  assert.deepEqual(claimOf(own, 1).slice(0, 2), [listed, 'paying']);
  assert.deepEqual(claimOf(await paid(own), 1).slice(0, 2), [listed, 'paying']);
  const rest = await priced(own, 3);
  assert.deepEqual(claimOf(await paid(rest), 3).slice(0, 2), ['fresh', 'paying']);
});

describe('money of a listed account in another asset or on another chain', () => {
  const stray = (index: number, sum: bigint, sender: Address | undefined): KeptSighting =>
    sent(index, amount(STRAY, sum), sender);
  const astray = (...sightings: readonly KeptSighting[]): Order => {
    showing(buyOrder(), sightings);
    return after(buyOrder(), ...judge(buyOrder(), sightings, measuresAt(1, 1), EARLY));
  };

  test('goes back to it and to no address that is named', async () => {
    const order = astray(stray(0, 50_000_000n, listed));
    assert.deepEqual(claimOf(await priced(order, 1), 1).slice(0, 2), [listed, 'paying']);
    assert.deepEqual(claimOf(await priced(toNamed(order, STRAY), 1), 1).slice(0, 2), [listed, 'paying']);
  });

  test('is held where somebody unknown sent some of it as well', async () => {
    const order = toNamed(astray(stray(0, 50_000_000n, listed), stray(1, 20_000_000n, undefined)), STRAY);
    assert.equal(claimOf(await paid(await priced(order, 1)), 1)[1], 'blocked');
  });

  test('leaves that of a clean account as it was', async () => {
    const order = toNamed(astray(stray(0, 50_000_000n, clean)), STRAY);
    assert.deepEqual(claimOf(await paid(await priced(order, 1)), 1).slice(0, 2), ['fresh', 'paying']);
  });
});
