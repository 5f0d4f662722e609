import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BitcoinSnapshot, startBitcoinSimulator } from '../../sandbox/simulators/bitcoin/simulator.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { BITCOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { BTC, conformanceBench, openBitcoinBench } from './bitcoin-bench.ts';
import { bitcoinClientStories } from './bitcoin-clients.ts';
import { depositStories } from './bitcoin-deposit-stories.ts';
import { payoutStories } from './bitcoin-payout-stories.ts';
import { reorgStories } from './bitcoin-reorg-stories.ts';

const start = () => startBitcoinSimulator();

chainConformance('Bitcoin on the simulator', async () => conformanceBench(await openBitcoinBench(await start())), [
  'refusals',
  'floods',
]);
depositStories('the simulator', start);
payoutStories('the simulator', start);
bitcoinClientStories('the simulator', start);
reorgStories('the simulator', start);

test('a simulated network goes on where its snapshot was taken', async () => {
  const first = await start();
  const before = await openBitcoinBench(first);
  const { follower, address } = await followFresh(before.chain);
  const mined = await first.payAll({ to: address, atoms: BTC });
  await first.mine(1);
  const pooled = await first.payAll({ to: address, atoms: BTC });
  const balance = await before.chain.balance('hot', BITCOIN.coin.asset.id);
  const snapshot = JSON.parse(JSON.stringify(first.snapshot())) as BitcoinSnapshot;
  await first.close();

  const second = await startBitcoinSimulator({ snapshot });
  const after = await openBitcoinBench(second);
  const resumed = new Follower(after.chain, [address], follower.cursor);
  await resumed.catchUp();
  assert.ok(resumed.only(txHash(mined)).block && resumed.only(txHash(pooled)).block, 'the bench has mined since');
  const { spendable, locked } = await after.chain.balance('hot', BITCOIN.coin.asset.id);
  assert.equal(spendable + locked - balance.spendable - balance.locked, 21n * BTC, 'the bench funds its hot account');
  await second.close();
});
