import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVM_ADDRESS, MONERO_ADDRESS, OTHER_EVM_ADDRESS, OTHER_MONERO_ADDRESS } from './assets.ts';
import { BUY_ORDER, bench, NO_LIMITS, OTHER_KEY, PUBLIC_KEY, SERVER_KEY } from './bench.ts';
import { matchesGolden } from './golden.ts';
import { confirming } from './stages.ts';

const named = (key: string) => ({ 'idempotency-key': key });
const NAME = 'c1a7b3d2-8f40-4f6e-9a0b-3d5e7f901234';

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
  const { orderId, sessionId } = (await create(`"${NAME}"`)).json();
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

test('a key is any visible text of some length', async () => {
  const { create } = await open();
  for (const name of ['', ' x', 'a\u0007', 'x'.repeat(256)]) {
    assert.equal((await create(name)).json().code, 'invalid_request', name);
  }
  assert.equal((await create('order-1')).statusCode, 201);
});

test('a repeat says that it is one, with the status of the first, in both generations and for bridges', async () => {
  const { post, get } = await open();
  const bridge = { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS };
  const asked: [string, object][] = [
    ['/v2/swaps', BUY_ORDER],
    ['/v1/order', BUY_ORDER],
    ['/v2/bridges', bridge],
    ['/v1/bridge/deposit', { toAddress: EVM_ADDRESS }],
    ['/v1/bridge/withdraw', { toAddress: MONERO_ADDRESS }],
  ];
  const ids = new Set<string>();
  for (const [path, body] of asked) {
    const [first, second] = [await post(path, body, named(NAME)), await post(path, body, named(NAME))];
    assert.equal(first.headers['idempotent-replayed'], undefined, path);
    assert.equal(second.headers['idempotent-replayed'], 'true', path);
    assert.deepEqual([second.statusCode, second.body], [first.statusCode, first.body], path);
    const other = await post(
      path,
      {
        ...body,
        toAddress: 'toAddress' in body && body.toAddress === EVM_ADDRESS ? OTHER_EVM_ADDRESS : OTHER_MONERO_ADDRESS,
      },
      named(NAME),
    );
    assert.equal(other.statusCode, 422, path);
    ids.add(first.json().orderId);
  }
  assert.equal(ids.size, 5, 'each kind and generation has its own');
  const sessionId = '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11';
  const chosen = { ...BUY_ORDER, sessionId };
  const key = { 'x-integrator-key': SERVER_KEY, ...named('mine') };
  assert.equal((await post('/v2/swaps', chosen, key)).json().sessionId, sessionId);
  assert.equal((await post('/v2/swaps', chosen, key)).json().sessionId, sessionId);
  assert.equal((await get('/v2/orders', { 'x-session-id': sessionId })).json().orders.length, 1);
  assert.equal((await post('/v2/swaps', { ...chosen, fromAmount: '300000001' }, key)).statusCode, 422);
});

test('without a server key a key is good within the network of the caller', async () => {
  const { call } = await open();
  const from = async (remoteAddress: string, headers: Record<string, string> = {}) => {
    const asked = { method: 'POST', url: '/v2/swaps', payload: BUY_ORDER, remoteAddress } as const;
    return (await call({ ...asked, headers: { ...named(NAME), ...headers } })).json().orderId;
  };
  const open1 = { 'x-integrator-key': PUBLIC_KEY };
  assert.notEqual(await from('198.51.100.1'), await from('198.51.100.2'));
  assert.notEqual(await from('198.51.100.1', open1), await from('198.51.100.2', open1));
  const server = { 'x-integrator-key': SERVER_KEY };
  assert.equal(await from('198.51.100.1', server), await from('198.51.100.2', server));
});

test('repeats are no creations for the limits', async () => {
  const { post } = await bench();
  for (let n = 0; n < 4; n += 1) assert.equal((await post('/v2/swaps', BUY_ORDER)).statusCode, 201);
  for (let n = 0; n < 20; n += 1) assert.equal((await post('/v2/swaps', BUY_ORDER, named(NAME))).statusCode, 201);
  assert.equal((await post('/v2/swaps', BUY_ORDER, named('another'))).statusCode, 429, 'a new key is one');
  assert.equal((await post('/v2/swaps', BUY_ORDER, named(NAME))).statusCode, 201);
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
