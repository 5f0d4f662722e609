import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Config } from '../../src/app/config.ts';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import { sealKeysOf } from '../../src/app/process-keys.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Delivery } from '../../src/life/order/delivery.ts';
import type { Order } from '../../src/life/order/order.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { usdc } from './market.ts';
import { transfer } from './scripted-chain.ts';
import { buyOrder } from './world.ts';

const NEW = '07'.repeat(32);
const OLD = Buffer.from(SEAL_KEY.reveal()).toString('hex');

let room: DepositRoom;
before(async () => {
  room = await openDepositRoom();
  await rounds(4);
});
after(() => room.close());

const rounds = async (count: number) => {
  for (let n = 0; n < count; n += 1) {
    room.mine(1);
    await room.round();
  }
};
/** What an engine that starts with these settings believes of what lies in the database. */
const believedWith = (keys: object) =>
  openEngineBooks(room.db, room.clock, ...sealKeysOf({ keys } as unknown as Config)).sightings;

async function waiting(name: string): Promise<Order> {
  const { id, depositAddress } = await room.find(await room.keep(buyOrder()));
  room.mine(1, transfer(name, depositAddress, usdc('3823')));
  await rounds(8);
  return room.find(id);
}

test('an order whose deposit was sealed under the old key goes on, and so does what a provider delivered', async () => {
  const order = await waiting('before');
  const { facts } = room.chain;
  assert.equal(order.state.phase, 'screening', 'it is final, told, and nobody will ask the chain about it again');
  const proven = (keys: object) =>
    believedWith(keys).proven(facts.id, facts.family, order.depositAddress, usdc('1').asset);
  assert.deepEqual(await proven({ engine: NEW }), usdc('0'), 'a key that nobody names proves nothing');
  assert.deepEqual(await proven({ engine: NEW, oldEngines: [OLD] }), usdc('3823'));

  const delivery: Delivery = {
    ...{ deal: 'a deal', chain: facts.id, account: order.depositAddress },
    ...{ told: usdc('3823'), txHash: undefined, since: instant(0) },
  };
  await assert.rejects(believedWith({ engine: NEW }).takeDelivery(delivery), /no engine has proven it/);
  assert.deepEqual(await believedWith({ engine: NEW, oldEngines: [OLD] }).takeDelivery(delivery), usdc('3823'));
});

test('what is sealed from then on is sealed with the new key alone', async () => {
  const order = await waiting('after');
  const { facts } = room.chain;
  const both = believedWith({ engine: NEW, oldEngines: [OLD] });
  const sum = () => believedWith({ engine: NEW }).proven(facts.id, facts.family, order.depositAddress, usdc('1').asset);
  assert.deepEqual(await sum(), usdc('0'));
  await room.db.query({ name: 'touch', text: "UPDATE sighting SET changed = true WHERE key = 'after'" });
  await both.settle(facts.id, await both.live(facts.id, 500, undefined));
  assert.deepEqual(await sum(), usdc('3823'));
});
