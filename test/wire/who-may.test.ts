import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVM_ADDRESS, MONERO_ADDRESS, OTHER_EVM_ADDRESS } from './assets.ts';
import { BUY_ORDER, bench, NO_LIMITS, PUBLIC_KEY, SELL_ORDER, SERVER_KEY } from './bench.ts';
import { arrived, payoutRefused, strayed } from './stages.ts';

const KEY = { 'x-integrator-key': SERVER_KEY };
const UUID_V1 = '6fa459ea-ee8a-11ee-9b3d-0242ac120002';

test('knowing the destination opens a read and no action', async () => {
  const { call, get, post, desk } = await bench({ quota: NO_LIMITS });
  const place = async (body: object, change: Parameters<typeof desk.change>[1]) => {
    const { orderId } = (await post('/v2/swaps', body)).json();
    desk.change(orderId, change);
    return orderId as string;
  };
  const short = await place(BUY_ORDER, arrived(200_000_000n));
  const stray = await place(BUY_ORDER, strayed);
  const refused = await place(SELL_ORDER, payoutRefused);
  const proof = `verify=${MONERO_ADDRESS}`;
  assert.equal((await get(`/v2/swaps/${short}?${proof}`)).statusCode, 200);
  const actions = [
    ['POST', `/v2/orders/${short}/deposit-wait/close?${proof}`, undefined],
    ['PUT', `/v2/orders/${stray}/refund-address?${proof}`, { refundAddress: EVM_ADDRESS }],
    ['PUT', `/v2/orders/${refused}/payout-address?verify=${EVM_ADDRESS}`, { payoutAddress: OTHER_EVM_ADDRESS }],
  ] as const;
  for (const [method, url, payload] of actions) {
    const answer = await call({ method, url, ...(payload ? { payload } : {}) });
    assert.deepEqual([answer.statusCode, answer.json().code], [404, 'not_found'], url);
  }
});

test('a session is a UUID v4, and nobody lists orders without one', async () => {
  const { post, get } = await bench({ quota: NO_LIMITS });
  for (const sessionId of ['x', '', UUID_V1]) {
    assert.equal((await post('/v1/order', { ...BUY_ORDER, sessionId })).statusCode, 400, sessionId);
    assert.equal((await post('/v2/swaps', { ...BUY_ORDER, sessionId }, KEY)).statusCode, 400, sessionId);
    assert.equal((await get('/v2/orders', { 'x-session-id': sessionId })).statusCode, 400, sessionId);
  }
  const { sessionId } = (await post('/v1/order', BUY_ORDER)).json();
  assert.match(sessionId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal((await get(`/v2/orders?session=${sessionId}`)).statusCode, 400);
});

test('what proxies say about a client makes it nobody else', async () => {
  const { call } = await bench();
  const ask = (ip: string) =>
    call({
      method: 'GET',
      url: '/v2/swaps/assets',
      headers: { 'x-forwarded-for': ip, 'x-real-ip': ip, forwarded: `for=${ip}`, 'cf-connecting-ip': ip },
    });
  for (let asked = 0; asked < 50; asked += 1) assert.equal((await ask(`8.8.4.${asked}`)).statusCode, 200);
  assert.equal((await ask('8.8.4.50')).statusCode, 429);
});

test('the keys of a company share its limits, and orders of its public keys fill its slots', async () => {
  const { get, post, partner, desk } = await bench();
  const limits = { requestLimitPerMin: 3, createLimitPerMin: 0, quoteLimitPerMin: 0, keyRequestLimitPerMin: 0 };
  const open = { maxOpenOrders: 0, openOrderWindowMinutes: 60 };
  const second = { 'x-integrator-key': PUBLIC_KEY };
  partner({ kind: 'server', limits: { ...limits, ...open } });
  for (const headers of [KEY, second, KEY]) {
    assert.equal((await get('/v2/swaps/assets', headers)).statusCode, 200);
  }
  assert.equal((await get('/v2/swaps/assets', second)).headers['x-ratelimit-resource'], 'requests');

  partner({ kind: 'public' });
  const { orderId } = (await post('/v2/swaps', BUY_ORDER, second)).json();
  partner({ kind: 'server', limits: { ...limits, requestLimitPerMin: 0, ...open, maxOpenOrders: 1 } });
  const full = await post('/v2/swaps', BUY_ORDER, KEY);
  assert.deepEqual([full.statusCode, full.headers['x-ratelimit-resource']], [429, 'open_orders']);
  desk.change(orderId, (order) => ({ state: { phase: 'expired', at: order.expiresAt } }));
  assert.equal((await post('/v2/swaps', BUY_ORDER, KEY)).statusCode, 201);
});

test('where clients and end users speak from is kept as a keyed hash alone, and logged nowhere', async () => {
  const { call, desk, deps, partner, logged } = await bench({ quota: NO_LIMITS });
  const limits = { requestLimitPerMin: 0, createLimitPerMin: 0, maxOpenOrders: 0 };
  partner({ forwarding: { enabled: true, approvedServerIps: ['203.0.113.9'], limits } });
  const create = async (remoteAddress: string, headers: Record<string, string>) => {
    const asked = { method: 'POST', url: '/v2/swaps', payload: BUY_ORDER, remoteAddress, headers } as const;
    return desk.find((await call(asked)).json().orderId);
  };
  const kept = [
    await create('203.0.113.9', { ...KEY, 'x-end-user-ip': '8.8.8.8' }),
    await create('203.0.113.9', { ...KEY, 'x-end-user-ip': '8.8.4.4' }),
    await create('198.51.100.7', {}),
  ];
  assert.equal(new Set(kept.map((placed) => placed?.owner.clientHash)).size, 3);
  deps.log.info('end');
  const everything = JSON.stringify([kept, logged], (_, value) => (typeof value === 'bigint' ? String(value) : value));
  for (const ip of ['8.8.8.8', '8.8.4.4', '203.0.113.9', '198.51.100.7']) assert.ok(!everything.includes(ip), ip);
});

test('a public key brings its integration’s fee, and its orders are the integration’s', async () => {
  const { post, desk } = await bench({ quota: NO_LIMITS });
  const key = { 'x-integrator-key': PUBLIC_KEY };
  const quote = (await post('/v2/swaps/quote', BUY_ORDER, key)).json();
  assert.deepEqual([quote.integratorFee.percent, quote.integratorFee.amount], [0.5, '1500000']);
  const { orderId } = (await post('/v2/swaps', BUY_ORDER, key)).json();
  const owner = (await desk.find(orderId))?.owner;
  assert.deepEqual([owner?.integrationId, owner?.keyId], ['int_1', 'k2']);
});

test('an end user’s allowance ends where the company’s does', async () => {
  const { get, partner } = await bench();
  const none = { createLimitPerMin: 0, quoteLimitPerMin: 0, keyRequestLimitPerMin: 0, maxOpenOrders: 0 };
  partner({
    limits: { ...none, requestLimitPerMin: 2, openOrderWindowMinutes: 60 },
    forwarding: {
      enabled: true,
      approvedServerIps: ['127.0.0.1'],
      limits: { requestLimitPerMin: 10, createLimitPerMin: 10, maxOpenOrders: 10 },
    },
  });
  const ask = (ip: string) => get('/v2/swaps/assets', { ...KEY, 'x-end-user-ip': ip });
  assert.deepEqual([(await ask('8.8.8.8')).statusCode, (await ask('8.8.4.4')).statusCode], [200, 200]);
  const refused = await ask('1.1.1.1');
  assert.deepEqual([refused.statusCode, refused.headers['x-ratelimit-resource']], [429, 'requests']);
});
