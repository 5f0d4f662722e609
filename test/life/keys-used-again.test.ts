import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type OrderId, txHash } from '../../src/kernel/ids.ts';
import { usd } from '../../src/kernel/usd.ts';
import { isHeld } from '../../src/life/order/hold.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { usdc } from './market.ts';
import { transfer } from './scripted-chain.ts';
import { buyOrder } from './world.ts';

/** On some chains nothing keeps a sender from using the key of a deposit again, in another transaction. */
describe('the key of a deposit that is used again', () => {
  let room: DepositRoom;
  before(async () => {
    room = await openDepositRoom({ mostOrphaned: usd(50) });
    await room.round();
  });
  after(() => room.close());

  const rounds = async (count = 6) => {
    for (let n = 0; n < count; n += 1) {
      room.mine(1);
      await room.round();
    }
  };
  async function credited(key: string): Promise<OrderId> {
    const id = await room.keep(buyOrder());
    const { depositAddress } = await room.find(id);
    room.mine(1, transfer(key, depositAddress, usdc('100')));
    await rounds();
    assert.equal((await room.find(id)).state.phase, 'screening');
    return id;
  }

  test('by a speck takes nothing of what was credited, holds no order and opens no breaker', async () => {
    const id = await credited('used twice');
    const { depositAddress } = await room.find(id);
    const speck = { ...transfer('used twice', depositAddress, usdc('0.000001')), txHash: txHash('0xanother') };
    room.mine(1, speck);
    await rounds();
    const order = await room.find(id);
    assert.deepEqual([order.funds.confirmed, order.funds.seen], [usdc('100'), usdc('100')]);
    assert.equal(isHeld(order), false);
    assert.equal(await room.caseOf('deposit_orphaned'), undefined);
    assert.deepEqual(await room.books.breakers.all(), []);
  });

  test('after a reorganisation took the first is a deposit like any other', async () => {
    const height = room.tip();
    const id = await credited('moved');
    const { depositAddress } = await room.find(id);
    room.reorganise(height);
    room.mine(2);
    room.mine(1, transfer('moved', depositAddress, usdc('100')));
    await rounds();
    assert.equal(isHeld(await room.find(id)), false);
    assert.deepEqual((await room.find(id)).funds.confirmed, usdc('100'));
  });

  test('and that a reorganisation put back into the pool is seen there, and credited where it is mined later', async () => {
    const height = room.tip();
    const id = await credited('back in the pool');
    const { depositAddress } = await room.find(id);
    const again = transfer('back in the pool', depositAddress, usdc('100'));
    room.reorganise(height);
    room.pool.push(again);
    await rounds(2);
    assert.ok(isHeld(await room.find(id)), 'what is in the pool may be replaced');
    room.pool.length = 0;
    room.mine(1, again);
    await rounds();
    assert.equal(isHeld(await room.find(id)), false);
  });
});
