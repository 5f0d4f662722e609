import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MoneroSnapshot, startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { intentId, txHash } from '../../src/kernel/ids.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { MONERO_ID, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { conformanceBench, HOT_KEYS, openMoneroBench, XMR } from './monero-bench.ts';
import { moneroClientStories } from './monero-clients.ts';
import { moneroLockStories } from './monero-lock-stories.ts';
import { moneroLostWallet } from './monero-lost-wallet.ts';
import { moneroScanStories } from './monero-scan-stories.ts';
import { moneroStories } from './monero-stories.ts';

const start = () => startMoneroSimulator({ hotAddress: HOT_KEYS.address });

chainConformance('Monero on the simulator', async () => conformanceBench(await openMoneroBench(await start())), [
  'restarts',
  'refusals',
  'market',
  'floods',
]);
moneroLockStories('the simulator', start);
moneroScanStories('the simulator', start);
moneroStories('the simulator', start);
moneroClientStories('the simulator', start);
moneroLostWallet('the simulator', start);

test('a payout that joins forty outputs is signed within the terms', async () => {
  const world = await start();
  const { chain, device } = await openMoneroBench(world);
  await chain.balance('hot', XMR_ASSET.id);
  const to = await world.freshDestination();
  const transfer = { from: 'hot', asset: XMR_ASSET.id, atoms: atoms(39n * 35n * XMR + XMR), to } as const;
  const terms = await chain.terms(transfer);
  assert.ok('fee' in terms);
  const about = {
    intent: intentId('treasury', 'payout', 1),
    kind: 'payout',
    owner: 'treasury',
    chainId: MONERO_ID,
  } as const;
  const signed = await device.sign({ ...transfer, ...about, fee: terms.fee });
  assert.equal(signed.consumes.length, 40);
  await world.close();
});

test('a simulated network goes on where its snapshot was taken', async () => {
  const first = await start();
  const before = await openMoneroBench(first);
  const { follower, address } = await followFresh(before.chain);
  const mined = await first.pay({ to: address, atoms: XMR });
  await first.mine(1);
  const pooled = await first.pay({ to: address, atoms: XMR });
  const balance = await before.device.balance();
  const snapshot = JSON.parse(JSON.stringify(first.snapshot())) as MoneroSnapshot;
  await first.close();

  const second = await startMoneroSimulator({ hotAddress: HOT_KEYS.address, snapshot });
  const after = await openMoneroBench(second);
  const resumed = new Follower(after.chain, [address], follower.cursor);
  await resumed.catchUp();
  assert.ok(resumed.only(txHash(mined)).block);
  assert.equal(resumed.only(txHash(pooled)).block, undefined);
  assert.deepEqual(await after.device.balance(), balance);
  await second.close();
});
