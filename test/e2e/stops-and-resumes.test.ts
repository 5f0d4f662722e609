import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../../src/kernel/assert.ts';
import { signal } from '../run/family.ts';
import { eventually, orAway } from '../run/patience.ts';
import { type Box, launch, newDir, removeDir, startBox, threeFreePorts } from './box.ts';
import { assertPaidOnce, ending, pay, placeV2, until } from './customer.ts';
import { familyOf, type Listed, left } from './processes.ts';
import {
  assertBalanced,
  ENDS,
  openDestinations,
  openPrices,
  type PlacedRoute,
  payTo,
  placeRoute,
  type Route,
  received,
} from './routes.ts';

const dir = newDir();
let box: Box | undefined;
after(async () => {
  await box?.end('SIGTERM');
  removeDir(dir);
});

test('an order that was under way when the sandbox stopped is finished by the next one', async () => {
  box = await startBox(dir);
  const first = box;
  const placed = await placeV2(first, 'usdc_to_xmr');
  await first.control('POST', '/sandbox/clock', { advanceMs: 60_000 });
  await pay(first, placed);

  const second = launch('--simulated', '--dir', dir, '--port-base', `${await threeFreePorts()}`);
  assert.equal(await second.ended, 1);
  assert.match(second.output(), /A sandbox runs in .* already/);

  const family = familyOf(first.info.pid);
  assert.ok(family.length > 8, 'three roles, three nodes, a database with its helpers');
  assert.equal(await first.end('SIGINT'), 0);
  assert.match(first.output(), /Stopped\./);
  assert.ok(!existsSync(join(dir, 'sandbox.json')));
  assert.deepEqual(left(family), []);

  box = await startBox(dir);
  assert.deepEqual(box.info.demo, first.info.demo);
  assert.equal(box.info.operatorToken, first.info.operatorToken);
  const { body } = await box.control('GET', '/sandbox/info');
  assert.ok(Date.parse(String(body.now)) - Date.now() > 50_000, 'the clock does not go back');
  const order = await ending(box, placed, 60_000);
  assert.equal(order.status, 'completed');
  await assertPaidOnce(box, placed, order.actualOutput);
});

/** A little longer than whoever asks a node waits for its answer. */
const HANGS_MS = 17_000;
const childLike = (pattern: RegExp): Listed => {
  const found = familyOf(box?.info.pid ?? 0).find(({ command }) => pattern.test(command));
  assert.ok(found, `a child like ${pattern}`);
  return found;
};
const DATABASE = /(^|\/)postgres -D/;
const nodeOf = (chainId: number): Listed =>
  childLike(new RegExp(`(^|/)(anvil|evm-simulator) .*--chain-id ${chainId} `));

/** One that was ended is there again after a moment, and who asks before hears that nobody listens. */
async function untilNodeAnswers({ info }: Box, chainId: number): Promise<void> {
  const url = info.chains.find((chain) => chain.chainId === chainId)?.rpcUrl ?? '';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
  const headers = { 'content-type': 'application/json' };
  await eventually(orAway(async () => (await fetch(url, { method: 'POST', headers, body })).status === 200));
}

test('a node that hangs or dies does not end the sandbox: it goes on, is started again, and orders are paid', async () => {
  assert.ok(box);
  const hanging = nodeOf(10);
  process.kill(hanging.pid, 'SIGSTOP');
  const since = performance.now();
  const dying = nodeOf(42161);
  process.kill(dying.pid, 'SIGKILL');
  await untilNodeAnswers(box, 42161);
  assert.match(box.output(), /(anvil|evm-simulator) 42161 ended .* started again/);
  const placed = await placeV2(box, 'usdc_to_xmr');
  await pay(box, placed);
  const order = await ending(box, placed, 120_000);
  assert.equal(order.status, 'completed');
  await assertPaidOnce(box, placed, order.actualOutput);
  while (performance.now() - since < HANGS_MS) await sleep(100);
  signal(hanging.pid, 'SIGCONT');
  assert.equal((await box.control('POST', '/sandbox/mine', { chainId: 10, blocks: 1 })).status, 200);
});

/** What `/readyz` says, once this is true of it. Restarted, the API does not answer at first. */
async function untilReadyz(isTrue: (said: string, status: number) => boolean): Promise<void> {
  await eventually(
    orAway(async () => {
      const reply = await present(box, 'a sandbox').api('GET', '/readyz');
      const said = JSON.stringify(reply.body);
      return isTrue(said, reply.status) || `/readyz: ${said}`;
    }),
    60_000,
    100,
  );
}

test('roles that start while a node hangs and the venue is away work without them, and take both up by themselves', async () => {
  assert.ok(box);
  const placed = await placeV2(box, 'usdc_to_xmr');
  const hanging = nodeOf(10);
  process.kill(hanging.pid, 'SIGSTOP');
  await box.control('POST', '/sandbox/fault', { target: 'venue', mode: 'down' });
  for (const role of ['engine', 'api']) await box.control('POST', '/sandbox/kill', { role, signal: 'SIGKILL' });
  await pay(box, placed);
  await untilReadyz(() => true);
  await until(box, placed, 60_000, (order) => order.observedDepositAmount === placed.depositAmount);
  await box.control('POST', '/sandbox/clock', { advanceMs: 61_000 });
  await untilReadyz((said) => ['Optimism', 'Hyperliquid'].every((name) => said.includes(`${name} is not scanned`)));

  signal(hanging.pid, 'SIGCONT');
  await box.control('DELETE', '/sandbox/faults');
  const order = await ending(box, placed, 120_000);
  assert.equal(order.status, 'completed');
  await assertPaidOnce(box, placed, order.actualOutput);
});

/** Forty seconds without an answer, and as long again to be there. */
const STARTED_AGAIN_WITHIN_MS = 90_000;

test('a role, a node and the database that hang for good are started again and that is said, and orders are paid', async () => {
  assert.ok(box);
  const running = box;
  const hanging = [nodeOf(42161), childLike(DATABASE)];
  for (const { pid } of hanging) process.kill(pid, 'SIGSTOP');
  const { body } = await box.control('POST', '/sandbox/kill', { role: 'engine', signal: 'SIGSTOP' });
  const said = [
    /^The engine hangs \(no sign of life for 20 s\) and is started again\.$/m,
    /^(anvil|evm-simulator) 42161 hangs \(no answer for 40 s\) and is started again\.$/m,
    /^PostgreSQL hangs \(no answer for 40 s\) and is started again\.$/m,
  ];
  await eventually(
    () => said.every((line) => line.test(running.output())) || running.output(),
    STARTED_AGAIN_WITHIN_MS,
    100,
  );
  const gone = [...hanging.map(({ pid }) => pid), Number(body.pid)];
  assert.deepEqual(
    familyOf(box.info.pid).filter(({ pid }) => gone.includes(pid)),
    [],
  );
  await eventually(() => familyOf(running.info.pid).some(({ command }) => DATABASE.test(command)));
  await untilNodeAnswers(box, 42161);
  await untilReadyz((_, status) => status === 200);
  const placed = await placeV2(box, 'usdc_to_xmr');
  await pay(box, placed);
  const order = await ending(box, placed, 120_000);
  assert.equal(order.status, 'completed');
  await assertPaidOnce(box, placed, order.actualOutput);
});

test('a sandbox that was killed leaves nobody behind, and the next one goes on where it was, with what was paid on every chain', async () => {
  assert.ok(box);
  const [price, destination] = [await openPrices(box), openDestinations(box)];
  const [monero, arbitrum] = ['XMR', 'USDC Arbitrum'].map((name) => ENDS.find((end) => end.name === name));
  assert.ok(monero && arbitrum);
  const trips: { readonly route: Route; readonly to: string; readonly placed: PlacedRoute }[] = [];
  for (const from of ENDS) {
    const route = { from, to: from === arbitrum ? monero : arbitrum };
    const to = await destination(route.to.chainId);
    const amount = price(from);
    const placed = await placeRoute(box, route, amount, to);
    await payTo(box, from, placed.depositAddress, amount);
    trips.push({ route, to, placed });
  }
  const family = familyOf(box.info.pid);
  await box.end('SIGKILL');
  await eventually(() => left(family).length === 0 || JSON.stringify(left(family)), 20_000);

  const killed = box;
  box = await startBox(dir);
  assert.match(box.output(), /did not end cleanly: it goes on from its last second/);
  assert.equal(box.info.operatorToken, killed.info.operatorToken);
  for (const { route, to, placed } of trips) {
    const order = await ending(box, placed, 120_000);
    assert.equal(order.status, 'completed', route.from.name);
    assert.equal((await received(box, route.to, to)).total, order.actualOutput, route.from.name);
  }
  await assertBalanced(box);
});
