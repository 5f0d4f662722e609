import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Address } from '../../src/kernel/ids.ts';
import { depositHandlers } from '../../src/life/deposit/handlers.ts';
import { judge } from '../../src/life/deposit/judge.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import { customerState, errorOf } from '../../src/life/order/view/v2-customer.ts';
import { refusedByScreening } from '../../src/life/transfer/screened.ts';
import type { Wanted } from '../../src/life/transfer/wanted.ts';
import type { Chain } from '../../src/world/chains/chain.ts';
import type { Screen } from '../../src/world/screening/screen.ts';
import { usdc } from './market.ts';
import { sighting } from './order-script.ts';
import { after, buyOrder, measuresAt, minute } from './world.ts';

const EARLY = minute(5);
const [clean, listed] = ['clean', 'listed'] as Address[];
const from = (index: number, sender: Address | undefined): KeptSighting => ({
  ...sighting(index, usdc('50')),
  ...{ sender, credited: usdc('50').atoms, firstSeenAt: EARLY, state: 'final' },
});
const shown = (...senders: readonly (Address | undefined)[]): Order => {
  const facts = judge(
    buyOrder(),
    senders.map((sender, index) => from(index, sender)),
    measuresAt(1, 1),
    EARLY,
  );
  return after(buyOrder(), ...facts);
};
const screen: Screen = async (_, senders) => (senders.some((one) => one === listed) ? 'hit' : 'clear');
const refundTo = (to: Address | undefined) => ({ kind: 'refund', to, amount: usdc('100') }) as Wanted;
const { screen_deposit: screenDeposit } = depositHandlers({
  chain: () => ({ hotAddress: 'hot' }) as unknown as Chain,
  screen,
  bindRefund: (_, asset, address) => ({ asset, address, binding: 'bound' }),
  costsNow: async () => ({ fees: [], now: usdc('0'), quoted: usdc('0') }),
  isUntold: async () => false,
  proven: async ({ funds }) => funds.confirmed,
  clock: { now: () => EARLY },
});
const screened = async (order: Order): Promise<Order> => {
  const job = {
    key: '1',
    owner: order.id,
    effect: { effect: 'screen_deposit' },
    tries: 0,
    troubledSince: undefined,
  } as const;
  const done = await screenDeposit(job, order);
  assert.ok(typeof done === 'object' && 'fact' in done);
  return after(order, done.fact);
};

test('money from several accounts has no sender to go back to by itself, and every one of them is screened', async () => {
  const mixed = shown(clean, listed);
  assert.deepEqual([mixed.funds.sender, mixed.funds.senders], [undefined, [clean, listed]]);
  const back = await screened(mixed);
  assert.deepEqual([back.state.phase, back.claims[0]?.stage], ['refunding', 'address_required']);
  assert.equal((await screened(shown(undefined, listed))).state.phase, 'refunding');
  assert.equal((await screened(shown(clean, undefined))).state.phase, 'stocking');
});

test('money from one listed account goes back to it', async () => {
  const back = await screened(shown(listed, listed));
  assert.deepEqual([back.state.phase, back.claims[0]?.to?.address], ['refunding', listed]);
  assert.equal((await screened(shown(clean, clean))).state.phase, 'stocking');
});

test('money that did not pass screening goes back to its sender, whatever address was named for refunds', async () => {
  const named = { asset: buyOrder().from.id, address: 'a third one' as Address, binding: 'bound' };
  const back = await screened({ ...shown(listed, listed), refundTo: named });
  assert.deepEqual([back.state.phase, back.claims[0]?.to?.address], ['refunding', listed]);
  const hidden = await screened({ ...shown(clean, listed), refundTo: named });
  assert.equal(hidden.claims[0]?.to?.address, named.address, 'the chain shows no sender of all of it');
  assert.match(String((await refusedByScreening(screen, refundTo(listed), hidden))?.refused), /did not pass screening/);
  assert.equal(await refusedByScreening(screen, refundTo(listed), back), undefined, 'what is returned is no dealing');
});

test('where the chain shows no sender, the customer is told why an address is asked for', async () => {
  const asked = await screened(shown(clean, listed));
  assert.deepEqual(customerState(asked, RULES), { kind: 'action_required', action: 'refund_address' });
  assert.deepEqual(errorOf(asked), {
    code: 'refund_address_required',
    message: 'An address is needed to return the deposit to: the deposit did not pass screening.',
  });
});

test('where the chain shows no sender, a listed destination keeps the deposit from being carried out', async () => {
  const hidden = shown(undefined, undefined);
  const listedThere = { ...hidden, destination: { ...hidden.destination, address: listed as Address } };
  const back = await screened(listedThere);
  assert.deepEqual([back.state.phase, back.claims[0]?.stage], ['refunding', 'address_required']);
  assert.equal((await screened(hidden)).state.phase, 'stocking');
});

test('a listed destination sends the deposit where its customer said, not to the account of an exchange that sent it', async () => {
  const named = { asset: buyOrder().from.id, address: 'home' as Address, binding: 'bound' };
  const order = { ...shown(clean, clean), refundTo: named };
  const back = await screened({ ...order, destination: { ...order.destination, address: listed as Address } });
  assert.deepEqual([back.state.phase, back.claims[0]?.to?.address], ['refunding', 'home']);
  assert.match(String(errorOf(back)?.message), /the destination did not pass screening/);
});

describe('a speck of somebody else beside a deposit', () => {
  const speck = (sender: Address | undefined, state: KeptSighting['state'], value = '0.000001'): KeptSighting => ({
    ...{ ...from(9, sender), ...sighting(9, usdc(value)), sender, state },
    credited: state === 'final' ? usdc(value).atoms : usdc('0').atoms,
  });
  const withSpeck = (sender: Address | undefined, one: KeptSighting): Order => {
    const sightings = [from(0, sender), from(1, sender), one];
    return after(buyOrder(), ...judge(buyOrder(), sightings, measuresAt(1, 1), EARLY));
  };

  test('does not hide whose a listed deposit is: it goes back to its sender all the same', async () => {
    const named = { asset: buyOrder().from.id, address: 'a third one' as Address, binding: 'bound' };
    const back = await screened({ ...withSpeck(listed, speck(clean, 'final')), refundTo: named });
    assert.equal(back.claims[0]?.to?.address, listed);
    const unnamed = await screened({ ...withSpeck(listed, speck(undefined, 'final')), refundTo: named });
    assert.equal(unnamed.claims[0]?.to?.address, listed);
  });

  test('from a listed account does not stop a clean one, whether a block takes it or not', async () => {
    assert.equal((await screened(withSpeck(clean, speck(listed, 'final')))).state.phase, 'stocking');
    const pooled = withSpeck(clean, speck(listed, 'pool'));
    assert.deepEqual([pooled.state.phase, pooled.funds.sender, pooled.funds.senders], ['screening', clean, [clean]]);
    assert.equal((await screened(pooled)).state.phase, 'stocking');
  });

  test('is none where it is worth something: who sent it is looked at', async () => {
    assert.equal((await screened(withSpeck(clean, speck(listed, 'final', '2')))).state.phase, 'refunding');
  });
});
