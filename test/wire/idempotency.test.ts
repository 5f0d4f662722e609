import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../src/kernel/clock.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { refuse } from '../../src/kernel/refusal.ts';
import { EVM_ADDRESS, MONERO_ADDRESS, OTHER_MONERO_ADDRESS } from './assets.ts';
import { BUY_ORDER, bench, NO_LIMITS, OTHER_KEY, PUBLIC_KEY, SERVER_KEY } from './bench.ts';
import type { MemoryDesk } from './desk.ts';
import { matchesGolden } from './golden.ts';
import { confirming } from './stages.ts';

const NAME = 'c1a7b3d2-8f40-4f6e-9a0b-3d5e7f901234';

/** Under whose network these orders were created. */
const owners = (desk: MemoryDesk, ids: ReadonlySet<string>): Promise<string[]> =>
  Promise.all([...ids].map(async (id) => (await desk.find(id as OrderId))?.owner.clientHash ?? ''));

async function open() {
  const made = await bench({ quota: NO_LIMITS });
  const create = (name: string, body: object = BUY_ORDER, headers: Record<string, string> = {}) =>
    made.post('/v2/swaps', body, { 'idempotency-key': name, ...headers });
  return { ...made, create };
}

test('the same key and body create one order, however often and however much at once', async () => {
  const { create, get, desk, wait } = await open();
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(NAME)));
  for (const answer of answers) assert.equal(answer.statusCode, 201);
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
  const { orderId, sessionId } = (await create(`"${NAME.toUpperCase()}"`)).json();
  assert.equal(orderId, answers[0]?.json().orderId);

  wait(60_000);
  desk.change(orderId, confirming);
  const { toAddress, ...rest } = BUY_ORDER;
  const later = (await create(NAME, { toAddress, ...rest })).json();
  assert.deepEqual([later.orderId, later.sessionId, later.status], [orderId, sessionId, 'processing']);
  const { orders } = (await get('/v2/orders', { 'x-session-id': sessionId })).json();
  assert.equal(orders.length, 1);
});

test('the same key with another body is a mistake that creates nothing', async () => {
  const { create, get } = await open();
  const { sessionId } = (await create(NAME)).json();
  matchesGolden('v2-idempotency-mismatch', await create(NAME, { ...BUY_ORDER, fromAmount: '300000001' }));
  assert.equal((await get('/v2/orders', { 'x-session-id': sessionId })).json().orders.length, 1);
});

test('every creation of both generations takes a key, and says when it had been made before', async () => {
  const { post, desk } = await open();
  const bridge = { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS };
  const creations: readonly (readonly [string, Record<string, unknown>, number])[] = [
    ['/v1/order', { ...BUY_ORDER, twapConfig: { disabled: true, intervalMs: 2_000 } }, 200],
    ['/v1/bridge/deposit', { toAddress: EVM_ADDRESS }, 200],
    ['/v1/bridge/withdraw', { toAddress: MONERO_ADDRESS }, 200],
    ['/v2/swaps', BUY_ORDER, 201],
    ['/v2/bridges', bridge, 201],
  ];
  const ids = new Set<string>();
  for (const [url, body, status] of creations) {
    const create = (sent: object) => post(url, sent, { 'idempotency-key': `once for ${url}` });
    const first = await create(body);
    assert.deepEqual([first.statusCode, first.headers['idempotent-replayed']], [status, undefined], url);
    const turned = Object.fromEntries(Object.entries(body).toReversed());
    const again = await create(turned);
    assert.deepEqual([again.statusCode, again.headers['idempotent-replayed']], [status, 'true'], url);
    assert.deepEqual(again.json(), first.json());
    const other = { ...body, toAddress: url === '/v1/order' || url === '/v2/swaps' ? OTHER_MONERO_ADDRESS : 'x' };
    assert.equal((await create(other)).statusCode, 422, url);
    ids.add(first.json().orderId);
  }
  assert.equal(ids.size, creations.length);
  assert.equal(
    await desk.openOrders({ clientHash: (await owners(desk, ids))[0] ?? '' }, instant(0), undefined),
    ids.size,
  );
});

test('a key names one order of its generation: under another call it is a mistake, and no order', async () => {
  const { post } = await open();
  const swap = { ...BUY_ORDER, twapConfig: { disabled: true, intervalMs: 2_000 } };
  const [toWrapped, home] = [{ toAddress: EVM_ADDRESS }, { toAddress: MONERO_ADDRESS }];
  const bridge = { asset: 'xmr', direction: 'deposit', ...toWrapped };
  const calls: readonly (readonly [string, object])[][] = [
    [
      ['/v1/order', swap],
      ['/v1/bridge/deposit', toWrapped],
      ['/v1/bridge/withdraw', home],
    ],
    [
      ['/v2/swaps', BUY_ORDER],
      ['/v2/bridges', bridge],
    ],
  ];
  for (const generation of calls)
    for (const [first, body] of generation) {
      const key = { 'idempotency-key': `first ${first}` };
      assert.ok((await post(first, body, key)).statusCode < 300, first);
      for (const [url, other] of generation.filter(([path]) => path !== first))
        assert.equal((await post(url, other, key)).statusCode, 422, `${first}, then ${url}`);
    }
});

test('a bridge in the other direction is another body, and no order', async () => {
  const made = await bench();
  const bridge = (body: object) => made.post('/v2/bridges', body, { 'idempotency-key': NAME });
  const deposit = { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS };
  const withdraw = { asset: 'xmr', direction: 'withdraw', toAddress: MONERO_ADDRESS };
  const { orderId, sessionId } = (await bridge(deposit)).json();
  assert.equal((await bridge(withdraw)).json().code, 'idempotency_mismatch');
  assert.equal((await bridge(deposit)).json().orderId, orderId);
  const { orders } = (await made.get('/v2/orders', { 'x-session-id': sessionId })).json();
  assert.equal(orders.length, 1);
});

test('the order of nested fields does not make another body, and their values do', async () => {
  const { post } = await open();
  const create = (twapConfig: object) => post('/v1/order', { ...BUY_ORDER, twapConfig }, { 'idempotency-key': NAME });
  const { orderId } = (await create({ chunkSizeUsd: 300, intervalMs: 2_000 })).json();
  assert.equal((await create({ intervalMs: 2_000, chunkSizeUsd: 300 })).json().orderId, orderId);
  assert.equal((await create({ intervalMs: 2_001, chunkSizeUsd: 300 })).statusCode, 422);
});

test('without an integration a key is good within its network', async () => {
  const { call } = await open();
  const create = async (remoteAddress: string) => {
    const headers = { 'idempotency-key': NAME };
    return (await call({ method: 'POST', url: '/v2/swaps', payload: BUY_ORDER, headers, remoteAddress })).json();
  };
  const { orderId } = await create('198.51.100.1');
  assert.equal((await create('::ffff:198.51.100.1')).orderId, orderId);
  assert.notEqual((await create('198.51.100.2')).orderId, orderId);
});

test('a repeat is no creation for the limits, and is answered when nothing new would be', async () => {
  const made = await bench();
  const { post, desk, bridges } = { ...made, bridges: made.deps.bridges };
  const create = (body: object = BUY_ORDER) => post('/v2/swaps', body, { 'idempotency-key': NAME });
  const first = await create();
  for (let times = 0; times < 20; times += 1) assert.equal((await create()).statusCode, 201);
  assert.equal((await create()).headers['x-ratelimit-limit'], '50');
  for (let times = 0; times < 4; times += 1) assert.equal((await post('/v2/swaps', BUY_ORDER)).statusCode, 201);
  assert.equal((await post('/v2/swaps', BUY_ORDER)).statusCode, 429);
  assert.deepEqual((await create()).json(), first.json());

  made.wait(60_000);
  const wanted = { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS };
  const bridge = () => post('/v2/bridges', wanted, { 'idempotency-key': 'a bridge' });
  const { orderId } = (await bridge()).json();
  bridges.isOn = async () => false;
  desk.runDry();
  assert.equal((await post('/v2/bridges', wanted)).statusCode, 503);
  assert.equal((await bridge()).json().orderId, orderId);
});

test('what another process made while it was counted here is counted once', async () => {
  const made = await bench();
  const other = await bench({ desk: made.desk, quota: made.deps.quota });
  const create = ({ post }: typeof made, name: string) => post('/v2/swaps', BUY_ORDER, { 'idempotency-key': name });
  const save = made.desk.create;
  made.desk.create = async (...order) => {
    made.desk.create = save;
    const first = await create(other, NAME);
    assert.equal(first.headers['x-ratelimit-remaining'], '3', 'both are counted so far');
    return save(...order);
  };
  assert.equal((await create(made, NAME)).headers['idempotent-replayed'], 'true');
  assert.equal((await create(made, 'another')).headers['x-ratelimit-remaining'], '3');

  const full = refuse('rate_limited', 'Too many requests; try again later.', {
    resource: 'open_orders',
    retryAfter: 60,
  });
  made.desk.create = async () => {
    made.desk.create = save;
    await create(other, 'the last one');
    return full;
  };
  assert.equal((await create(made, 'the last one')).headers['idempotent-replayed'], 'true');
});

test('a key belongs to its integration, and other keys are other orders', async () => {
  const { create } = await open();
  const made = [
    await create(NAME),
    await create(NAME, BUY_ORDER, { 'x-integrator-key': SERVER_KEY }),
    await create(NAME, BUY_ORDER, { 'x-integrator-key': OTHER_KEY }),
    await create('5d0cf5a1-94d7-4c11-8a4e-6b1d2f3a4b5c'),
  ].map((answer) => answer.json());
  assert.equal(new Set(made.map(({ orderId }) => orderId)).size, 4);
  assert.equal(new Set(made.map(({ sessionId }) => sessionId)).size, 4);
});

test('a refusal uses no key up', async () => {
  const { create, quotes } = await open();
  const small = { ...BUY_ORDER, fromAmount: '1' };
  assert.equal((await create(NAME, small)).json().code, 'amount_below_minimum');
  assert.equal((await create(NAME)).statusCode, 201);
  const asked = quotes.asked.length;
  await create(NAME);
  assert.equal(quotes.asked.length, asked);
});

test('a name is any text, and nobody in a browser says the one that the server of his integration uses', async () => {
  const { create } = await open();
  const byServer = { 'x-integrator-key': SERVER_KEY };
  for (const headers of [byServer, {}]) {
    const orders = new Set<string>();
    for (const name of [
      '1',
      'order-1',
      'order 7 (again)',
      '01J9ZQ3V5K8M2N4P6R7S8T9V0W',
      NAME.replace('-4f6e', '-7f6e'),
    ]) {
      const { orderId } = (await create(name, BUY_ORDER, headers)).json();
      assert.equal((await create(`"${name}"`, BUY_ORDER, headers)).json().orderId, orderId, name);
      orders.add(orderId);
    }
    assert.equal(orders.size, 5);
  }
  const ours = (await create('our-order-number-1', BUY_ORDER, byServer)).json();
  const guessed = (await create('our-order-number-1', BUY_ORDER, { 'x-integrator-key': PUBLIC_KEY })).json();
  assert.notEqual(guessed.sessionId, ours.sessionId);
});

test('a key is one text of a length that can be kept', async () => {
  const { create } = await open();
  for (const name of ['', '""', `${NAME},${NAME}`, `${NAME}\t`, 'x'.repeat(256)]) {
    assert.equal((await create(name)).json().code, 'invalid_request', name);
  }
});

test('with a key and a session of its own choice a creation is repeated in that session', async () => {
  const { create, post, get } = await open();
  const byServer = { 'x-integrator-key': SERVER_KEY };
  const sessionId = '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11';
  const chosen = { ...BUY_ORDER, sessionId };
  const first = await create(NAME, chosen, byServer);
  assert.deepEqual([first.statusCode, first.json().sessionId], [201, sessionId]);
  const again = await create(NAME, chosen, byServer);
  assert.deepEqual([again.statusCode, again.json(), again.headers['idempotent-replayed']], [201, first.json(), 'true']);
  const others = [
    { ...chosen, fromAmount: '300000001' },
    { ...chosen, sessionId: '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c12' },
    BUY_ORDER,
  ];
  for (const other of others) assert.equal((await create(NAME, other, byServer)).statusCode, 422);
  assert.equal((await create('another', chosen)).statusCode, 400, 'a session is chosen by servers alone');
  const bridge = { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS, sessionId };
  assert.equal((await post('/v2/bridges', bridge)).statusCode, 400);
  assert.equal((await post('/v2/bridges', bridge, byServer)).json().sessionId, sessionId);
  const { orders } = (await get('/v2/orders', { 'x-session-id': sessionId })).json();
  assert.deepEqual(orders.map(({ product }: { product: string }) => product).toSorted(), ['bridge', 'swap']);

  const v1 = () => post('/v1/order', chosen, { 'idempotency-key': NAME });
  assert.equal((await v1()).json().sessionId, sessionId);
  assert.equal((await v1()).headers['idempotent-replayed'], 'true');
});

test('our own failure stays a failure, unless the order was saved', async () => {
  const { create, desk } = await open();
  const save = desk.create;
  desk.create = async () => {
    throw new Error('disk');
  };
  assert.equal((await create(NAME)).statusCode, 500);
  desk.create = async (...order) => {
    await save(...order);
    throw new Error('connection lost');
  };
  const saved = await create(NAME);
  assert.equal(saved.statusCode, 201);
  desk.create = save;
  assert.equal((await create(NAME)).body, saved.body);
});

test('a body as deep as its size allows is refused, and one that is only unusual is not', async () => {
  const { call } = await open();
  const headers = { 'idempotency-key': NAME, 'content-type': 'application/json' };
  const create = (levels: number) => {
    const nested = `"x":${'['.repeat(levels)}${']'.repeat(levels)}`;
    const payload = JSON.stringify({ ...BUY_ORDER, x: 0 }).replace('"x":0', nested);
    return call({ method: 'POST', url: '/v2/swaps', payload, headers });
  };
  assert.equal((await create(15_000)).json().code, 'invalid_request');
  assert.equal((await create(20)).statusCode, 201);
});
