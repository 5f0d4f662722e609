import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeskParts, openDesk } from '../../src/engine/open-desk.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { STRAY, usdc } from './market.ts';
import { after, buyOrder, minute, place } from './world.ts';

const AT = minute(5);
const strayed: Fact = {
  ...{ fact: 'stray_observed', total: { asset: STRAY, atoms: usdc('100').atoms }, from: { deposit: 7 }, at: AT },
};

/** A desk whose store takes each key once, as the database does. */
function open() {
  let order = after(buyOrder(), strayed);
  const taken = new Set<string>();
  const submit = async (_: OrderId, key: string, fact: Fact) => {
    if (taken.has(key)) return 'seen';
    const step = transition(order, fact, RULES);
    if (step === 'ignore') return 'ignored';
    taken.add(key);
    order = step.order;
    return 'taken';
  };
  const parts = {
    orders: { find: async () => ({ order }) },
    cache: { forget: () => {} },
    submit: { submit },
    ...{ rules: RULES, clock: { now: () => AT }, feed: {} },
  };
  return openDesk(parts as unknown as DeskParts);
}

test('of two refund addresses that come at once one is saved, and the other hears that it was not', async () => {
  const desk = open();
  const { id } = buyOrder();
  const give = (name: string) => desk.command(id, { command: 'give_refund_address', to: place(STRAY, name) });
  const [first, second, third] = await Promise.all([give('home'), give('elsewhere'), give('home')]);
  assert.ok(!isRefusal(first));
  assert.equal(first.claims[0]?.to?.address, place(STRAY, 'home').address);
  assert.ok(isRefusal(second), 'it was not saved');
  assert.equal(second.refusal, 'address_already_set');
  assert.ok(!isRefusal(third), 'the same address twice is no mistake');
});
