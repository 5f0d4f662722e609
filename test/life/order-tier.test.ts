import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { type UsdMicros, usd } from '../../src/kernel/usd.ts';
import { judge, tierOf } from '../../src/life/deposit/judge.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import type { Statement } from '../../src/store/db.ts';
import { openDepositRoom } from './deposit-room.ts';
import { usdc } from './market.ts';
import { NEEDS, transfer } from './scripted-chain.ts';
import { bridgeInOrder, buyOrder, measuresAt, minute } from './world.ts';

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

const inThePool = (order: Order, value: bigint): KeptSighting => ({
  ...mined(order, value),
  height: undefined,
  blockHash: undefined,
  state: 'pool',
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

test('whoever has sent much is told how deep it must be before a block has it, whatever else has left the chain', () => {
  const order = buyOrder();
  const gone: KeptSighting = { ...mined(order, 5_000_000n), state: 'gone' };
  const large = inThePool(order, 1_000_000_000n);
  assert.equal(tierOf(order, [gone, large], RULES, usd(0)), 'large');
  const [told] = judge(order, [large], measuresAt(0, NEEDS.large), minute(2));
  assert.ok(told?.fact === 'deposit_observed');
  assert.deepEqual([told.have, told.need], [0, NEEDS.large]);
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

const AT_STAKE: Statement = {
  name: 'tier_at_stake',
  text: "SELECT name, n::text FROM tallied WHERE what = 'at stake' AND n <> 0",
};
const COUNT: Statement = { name: 'tier_count', text: 'SELECT count_tally()' };

/** A stranger's order of $6,000 is paid by a transaction that no block takes; whether a hundred dollars are credited as ever. */
async function isCreditedBeside(...stranger: readonly ('pool' | 'block')[]): Promise<boolean> {
  const room = await openDepositRoom();
  try {
    await room.round();
    const large = await room.find(await room.keep(buyOrder({ asked: usdc('6000') })));
    const small = await room.find(await room.keep(buyOrder()));
    const stake = transfer('the large one', large.depositAddress, usdc('6000'));
    for (const where of stranger) {
      room.pool.length = 0;
      if (where === 'pool') room.pool.push(stake);
      else room.mine(1, stake);
      await room.round();
    }
    room.mine(1, transfer('the small one', small.depositAddress, usdc('100')));
    room.mine(NEEDS.small - 1);
    await room.round();
    const kept = await room.db.query(AT_STAKE);
    await room.db.query(COUNT);
    assert.deepEqual(kept, await room.db.query(AT_STAKE), 'counting anew gives the same');
    const { state } = await room.find(small.id);
    return state.phase === 'screening';
  } finally {
    await room.close();
  }
}

test('what is in no block is not at stake: it cannot leave with one, and costs whoever sends it nothing', async () => {
  assert.equal(await isCreditedBeside('pool'), true);
  assert.equal(await isCreditedBeside('pool', 'block'), false, 'once a block has it, it is');
  const order = buyOrder();
  assert.equal(tierOf(order, [mined(order, 990_000_000n), inThePool(order, 5_000_000_000n)], RULES, usd(0)), 'small');
});
