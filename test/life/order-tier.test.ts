import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { tierOf } from '../../src/life/deposit/judge.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
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
  changed: false,
});

test('a deposit of $1,000 waits for the deeper finality, and a bridge always does', () => {
  const order = buyOrder();
  assert.equal(tierOf(order, [mined(order, 999_999_999n)], RULES), 'small');
  assert.equal(tierOf(order, [mined(order, 1_000_000_000n)], RULES), 'large');
  assert.equal(tierOf(order, [mined(order, 600_000_000n), mined(order, 400_000_000n)], RULES), 'large');
  const bridge = bridgeInOrder();
  assert.equal(tierOf(bridge, [mined(bridge, 1n)], RULES), 'large');
  assert.equal(bridge.funds.need, 20);
});
