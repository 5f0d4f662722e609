import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import type { Order } from '../../src/life/order/order.ts';
import { EVM_ADDRESS, MONERO_ADDRESS, OTHER_EVM_ADDRESS } from './assets.ts';
import { bench, NO_LIMITS, START } from './bench.ts';
import { matchesGolden } from './golden.ts';
import { arrived, confirming, paidOut } from './stages.ts';

const DEPOSIT = { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS };
const WITHDRAW = { asset: 'xmr', direction: 'withdraw', toAddress: MONERO_ADDRESS };

/** Two coins came, and what the fees left was paid. */
const bridged =
  (paid: bigint) =>
  (order: Order): Partial<Order> => {
    const two = 2n * 10n ** BigInt(order.from.decimals);
    return {
      ...arrived(two, 20)(order),
      used: amount(order.from.id, two),
      ...paidOut(order, paid, START + 300_000),
    };
  };

test('terms tell fees, minimums and what is switched on', async () => {
  const { get } = await bench({ quota: NO_LIMITS });
  matchesGolden('v2-bridge-terms', await get('/v2/bridges/terms'));
});

test('a deposit order takes any amount, and is settled on what came', async () => {
  const { post, get, desk } = await bench({ quota: NO_LIMITS });
  const created = await post('/v2/bridges', DEPOSIT);
  matchesGolden('v2-bridge-created', created);
  const { orderId, sessionId } = created.json();
  assert.match(orderId, /^dep_/);
  const owner = { 'x-session-id': sessionId };
  desk.change(orderId, confirming);
  matchesGolden('v2-bridge-read', await get(`/v2/bridges/${orderId}`, owner));
  desk.change(orderId, bridged(199_800_000n));
  matchesGolden('v2-bridge-read-completed', await get(`/v2/bridges/${orderId}?verify=${EVM_ADDRESS}`));
  const { orders } = (await get('/v2/orders', owner)).json();
  assert.deepEqual([orders[0].product, orders[0].asset, orders[0].direction], ['bridge', 'xmr', 'deposit']);
});

test('a withdrawal waits for the wrapped coin at an address that it names twice', async () => {
  const { post } = await bench({ quota: NO_LIMITS });
  const created = await post('/v2/bridges', WITHDRAW);
  matchesGolden('v2-bridge-created-withdraw', created);
  const order = created.json();
  assert.match(order.orderId, /^wd_/);
  assert.equal(order.status, 'awaiting_xmr1');
  assert.equal(order.xmr1DepositAddress, order.depositAddress);
});

test('swaps and bridges are read each in its own place, and without proof in none', async () => {
  const { post, get } = await bench({ quota: NO_LIMITS });
  const { orderId, sessionId } = (await post('/v2/bridges', DEPOSIT)).json();
  const owner = { 'x-session-id': sessionId };
  const answers = [
    await get(`/v2/swaps/${orderId}`, owner),
    await get(`/v2/bridges/${orderId}`),
    await get(`/v2/bridges/${orderId}?verify=${OTHER_EVM_ADDRESS}`),
    await get(`/v1/bridge/order/${orderId}`),
  ];
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [404, 404, 404, 404],
  );
});

test('what is switched off is unavailable, in both generations, and terms say so', async () => {
  const off = await bench({ quota: NO_LIMITS });
  const { deps } = off;
  const isOn = async ({ direction }: { direction: string }) => direction === 'withdraw';
  const { post, get } = await bench({ quota: NO_LIMITS, bridges: { ...deps.bridges, isOn } });
  matchesGolden('v2-bridge-off', await post('/v2/bridges', DEPOSIT));
  matchesGolden('v1-bridge-off', await post('/v1/bridge/deposit', { toAddress: EVM_ADDRESS }));
  const { assets } = (await get('/v2/bridges/terms')).json();
  assert.deepEqual([assets[0].deposit, assets[0].withdraw], [false, true]);
  assert.equal((await post('/v2/bridges', WITHDRAW)).statusCode, 201);
});

test('a bridge order is refused for an address of the wrong kind, an unknown coin and a missing field', async () => {
  const { post } = await bench({ quota: NO_LIMITS });
  const status = async (body: object) => {
    const reply = await post('/v2/bridges', body);
    return `${reply.statusCode} ${reply.json().code}`;
  };
  assert.equal(await status({ ...DEPOSIT, toAddress: MONERO_ADDRESS }), '400 invalid_address');
  assert.equal(await status({ ...WITHDRAW, toAddress: EVM_ADDRESS }), '400 invalid_address');
  assert.equal(await status({ ...DEPOSIT, asset: 'btc' }), '400 invalid_request');
  assert.equal(await status({ asset: 'xmr', direction: 'deposit' }), '400 invalid_request');
  assert.equal(await status({ ...DEPOSIT, asset: 'zec' }), '503 unavailable');
});

test('v1 bridges Monero both ways, and reads it without proof', async () => {
  const { post, get, desk } = await bench({ quota: NO_LIMITS });
  const created = await post('/v1/bridge/deposit', { toAddress: EVM_ADDRESS });
  matchesGolden('v1-bridge-deposit', created);
  const { orderId } = created.json();
  const read = () => get(`/v1/bridge/order/${orderId}`);
  matchesGolden('v1-bridge-read', await read());
  desk.change(orderId, confirming);
  assert.equal((await read()).json().status, 'pending_confirmations');
  desk.change(orderId, bridged(199_800_000n));
  matchesGolden('v1-bridge-completed', await read());
  matchesGolden('v1-bridge-withdraw', await post('/v1/bridge/withdraw', { toAddress: MONERO_ADDRESS }));
  assert.equal((await get('/v1/bridge/order/dep_none')).statusCode, 404);
  matchesGolden('v1-bridge-rates', await get('/v1/bridge/rates'));
});
