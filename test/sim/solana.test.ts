import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSimulatedSolana, startSolanaWorld } from '../../sandbox/nodes/solana.ts';
import { txHash } from '../../src/kernel/ids.ts';
import { Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { chainConformance } from '../../src/world/chains/conformance.ts';
import { freshAddress, openSolanaBench, SOL } from './solana-bench.ts';
import { solanaClientStories } from './solana-clients.ts';
import { solanaReadingsStory } from './solana-readings.ts';
import { solanaStories } from './solana-stories.ts';

const start = () => startSolanaWorld('simulated');

chainConformance('Solana with SOL on the simulator', () => openSolanaBench(start, 'SOL'), [
  'reorgs',
  'restarts',
  'refusals',
  'market',
  'floods',
]);
chainConformance('Solana with USDC on the simulator', () => openSolanaBench(start, 'USDC'), [
  'reorgs',
  'restarts',
  'market',
  'floods',
]);
solanaStories('the simulator', start);
solanaReadingsStory('the simulator', start);
solanaClientStories('the simulator', start);

test('a simulated network goes on with the tokens that were moved before', async () => {
  const first = await startSimulatedSolana();
  const bench = await openSolanaBench(async () => first, 'USDC');
  const { token } = bench.asset;
  const to = freshAddress();
  await first.pay({ token, to, atoms: 5n });
  await first.mine(1);
  const snapshot = first.snapshot();
  await first.close();

  const second = await startSimulatedSolana(snapshot);
  await second.pay({ token, to, atoms: 7n });
  await second.mine(1);
  assert.equal((await second.received(token, to)).total, 12n);
  await second.close();
});

test('a simulated network goes on where its snapshot was taken', async () => {
  const first = await startSimulatedSolana();
  const before = await openSolanaBench(async () => first, 'SOL');
  const { follower, address } = await followFresh(before.chain);
  const payment = { token: before.asset.token, to: address, atoms: SOL };
  const mined = await first.pay(payment);
  await first.mine(1);
  await follower.catchUp();
  const open = await first.pay(payment);
  const snapshot = first.snapshot();
  await first.close();

  const second = await startSimulatedSolana(snapshot);
  assert.equal(second.genesisHash, first.genesisHash);
  await second.mine(1);
  const after = await openSolanaBench(async () => second, 'SOL');
  const resumed = new Follower(after.chain, [address], follower.cursor);
  await resumed.catchUp();
  assert.equal(resumed.only(txHash(open.txHash)).atoms, SOL);
  assert.deepEqual(resumed.of(txHash(mined.txHash)), [], 'what was read is not read again');
  const { total, transfers } = await second.received(before.asset.token, address);
  assert.deepEqual([total, transfers.length], [2n * SOL, 2]);
  await second.close();
});

test('a simulated node takes many questions at once, says what nobody knows, and tells one time of a block', async () => {
  const world = await start();
  const { txHash: hash } = await world.pay({ token: 'SOL', to: freshAddress(), atoms: SOL });
  await world.mine(1);
  const calls = [
    ['getTransaction', [hash]],
    ['getNothing', []],
    ['sendTransaction', ['AAAA', { encoding: 'base64' }]],
  ].map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
  const reply = await fetch(world.rpcUrl, { method: 'POST', body: JSON.stringify(calls) });
  const [tx, unknown, broken] = (await reply.json()) as { result?: Record<string, number>; error?: { code: number } }[];
  assert.deepEqual([unknown?.error?.code, broken?.error?.code], [-32601, -32602]);
  assert.equal(await world.rpc('getBlockTime', [tx?.result?.slot]), tx?.result?.blockTime);
  assert.ok(Math.abs(Number(tx?.result?.blockTime) - Date.now() / 1_000) < 60);
  assert.ok(!('version' in (tx?.result ?? {})), 'only who asks for a version is told it');
  await world.close();
});
