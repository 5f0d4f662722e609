import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { OrderId } from '../../src/kernel/ids.ts';
import { isHeld } from '../../src/life/order/hold.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { usdc } from './market.ts';
import { transfer } from './scripted-chain.ts';
import { buyOrder } from './world.ts';

/** Where many blocks wait, or the pool is full of what strangers pay each other, a page has no time for all of the pool. */
describe('a page that did not look at the pool', () => {
  let room: DepositRoom;
  before(async () => {
    room = await openDepositRoom();
    await room.round();
  });
  after(() => room.close());

  const seen = async (id: OrderId) => (await room.find(id)).funds.seen;

  test('lets nothing vanish that waits there, until one has looked', async () => {
    const id = await room.keep(buyOrder());
    const { depositAddress } = await room.find(id);
    room.pool.push(transfer('waits', depositAddress, usdc('100')));
    await room.round();
    assert.deepEqual(await seen(id), usdc('100'));
    room.lookAtPool(false);
    room.pool.length = 0;
    room.mine(1);
    await room.round();
    assert.deepEqual(await seen(id), usdc('100'), 'nobody has looked');
    room.lookAtPool(true);
    room.mine(1);
    await room.round();
    assert.deepEqual(await seen(id), usdc('0'));
  });

  test('and says of nothing that a reorganisation took that it is gone: it waits, is credited to nobody, and is credited where it is mined again', async () => {
    const height = room.tip();
    const id = await room.keep(buyOrder());
    const { depositAddress } = await room.find(id);
    const paid = transfer('moves', depositAddress, usdc('100'));
    room.mine(1, paid);
    await room.round();
    room.mine(1);
    await room.round();
    assert.deepEqual((await room.find(id)).funds.confirmed, usdc('100'));
    room.lookAtPool(false);
    room.reorganise(height);
    room.mine(2);
    await room.round();
    const moved = await room.find(id);
    assert.deepEqual([moved.funds.seen, isHeld(moved)], [usdc('100'), true]);
    room.lookAtPool(true);
    room.mine(1, paid);
    for (let blocks = 5; blocks > 0; blocks -= 1) {
      await room.round();
      room.mine(1);
    }
    await room.round();
    const again = await room.find(id);
    assert.deepEqual([again.funds.confirmed, isHeld(again)], [usdc('100'), false]);
  });
});
