import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { type UsdMicros, usd } from '../../src/kernel/usd.ts';
import { tierOf } from '../../src/life/deposit/judge.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import { openDepositRoom } from './deposit-room.ts';
import { usdc } from './market.ts';
import { NEEDS, transfer } from './scripted-chain.ts';
import { bridgeInOrder, buyOrder, minute } from './world.ts';

const mined = (order: Order, value: bigint): KeptSighting => ({
  key: `${value}`,
  orderId: order.id,
  address: order.depositAddress,
  asset: order.from.id,
  atoms: atoms(value),
  credited: atoms(0n),
  txHash: txHash('0x1'),
  height: 1,
  blockHash: '0xb',
  sender: undefined,
  firstSeenAt: minute(1),
  state: 'mined',
  isReward: false,
  isProven: false,
  changed: false,
});

test('a deposit of $1,000 waits for the deeper finality, and a bridge always does', () => {
  const order = buyOrder();
  assert.equal(tierOf(order, [mined(order, 999_999_999n)], RULES, usd(0)), 'small');
  assert.equal(tierOf(order, [mined(order, 1_000_000_000n)], RULES, usd(0)), 'large');
  assert.equal(tierOf(order, [mined(order, 600_000_000n), mined(order, 400_000_000n)], RULES, usd(0)), 'large');
  const bridge = bridgeInOrder();
  assert.equal(tierOf(bridge, [mined(bridge, 1n)], RULES, usd(0)), 'large');
  assert.equal(bridge.funds.need, 20);
});

/** Thirty orders of $990 are paid in one block; how many of them are credited at the depth of small change. */
async function creditedEarly(largeStake: UsdMicros): Promise<number> {
  const room = await openDepositRoom({ largeStake });
  try {
    await room.round();
    const ids = await Promise.all(Array.from({ length: 30 }, () => room.keep(buyOrder({ asked: usdc('990') }))));
    const orders = await Promise.all(ids.map(room.find));
    room.mine(1, ...orders.map(({ depositAddress: to }, n) => transfer(`one of thirty ${n}`, to, usdc('990'))));
    await room.round();
    room.mine(NEEDS.small - 1);
    await room.round();
    const early = (await Promise.all(ids.map(room.find))).filter(({ state }) => state.phase === 'screening');
    room.mine(NEEDS.large - NEEDS.small);
    await room.round();
    for (const id of ids) assert.equal((await room.find(id)).state.phase, 'screening');
    const later = await room.keep(buyOrder());
    room.mine(1, transfer('one of a hundred', (await room.find(later)).depositAddress, usdc('100')));
    room.mine(NEEDS.small - 1);
    await room.round();
    assert.equal((await room.find(later)).state.phase, 'screening', 'what is final is not at stake any more');
    return early.length;
  } finally {
    await room.close();
  }
}

test('9.8: thirty orders of $990 wait as long as one of $29,700: depth follows what is at stake on the chain', async () => {
  assert.equal(await creditedEarly(RULES.largeStake), 0);
});

test('9.8: where depth follows the order alone, $29,700 are credited at the depth of small change: so it was won', async () => {
  assert.equal(await creditedEarly(usd(1_000_000)), 30);
});
