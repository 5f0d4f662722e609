import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askWallet } from '../../sandbox/nodes/monero-world.ts';
import { startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { openDepositRoom } from '../life/deposit-room.ts';
import { xmr } from '../life/market.ts';
import { sellOrder } from '../life/world.ts';
import { HOT_KEYS, openMoneroBench, XMR } from './monero-bench.ts';

test('a deposit that is locked beyond its ten blocks is credited when it can be spent, and one locked for too long is a case', async () => {
  const world = await startMoneroSimulator({ hotAddress: HOT_KEYS.address });
  const { chain } = await openMoneroBench(world);
  const room = await openDepositRoom({}, chain);
  await room.round();
  const customer = askWallet(world, 'customer');
  const pay = async (address: string, unlock: number) => {
    await customer('refresh');
    const destinations = [{ address, amount: XMR.toString() }];
    await customer('transfer', { destinations, unlock_time: unlock, priority: 1 });
    await world.mine(1);
    await room.round();
  };
  const tip = async () => (await chain.scan(undefined, async () => new Set())).heads.tip;
  await world.wake();

  const id = await room.keep(sellOrder());
  const { depositAddress } = await room.find(id);
  const unlock = (await tip()) + 40;
  await pay(depositAddress, unlock);
  for (const blocks of [12, 12, 13]) {
    await world.mine(blocks);
    await room.round();
    const waiting = await room.find(id);
    assert.deepEqual([waiting.funds.seen, waiting.funds.confirmed], [xmr('1'), xmr('0')]);
  }
  await world.mine(1);
  assert.equal(await tip(), unlock - 1, 'what the next block may spend');
  await room.round();
  const { funds, state } = await room.find(id);
  assert.deepEqual([funds.confirmed, state.phase], [xmr('1'), 'screening']);

  const other = await room.find(await room.keep(sellOrder()));
  await pay(other.depositAddress, (await tip()) + 1_000);
  assert.match((await room.caseOf('deposit_out_of_reach'))?.reason ?? '', /locked it until block/);
  assert.deepEqual((await room.find(other.id)).funds.seen, xmr('0'));
  await room.close();
  await world.close();
});
