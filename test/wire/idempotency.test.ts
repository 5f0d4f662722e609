import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUY_ORDER, bench, NO_LIMITS, OTHER_KEY, SERVER_KEY } from './bench.ts';
import { matchesGolden } from './golden.ts';
import { confirming } from './stages.ts';

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

test('a key must be one that nobody guesses, and leaves the session to us', async () => {
  const { create } = await open();
  for (const name of ['', '1', 'order-1', NAME.replace('-4f6e', '-1f6e'), `${NAME},${NAME}`]) {
    assert.equal((await create(name)).json().code, 'invalid_request', name);
  }
  const chosen = { ...BUY_ORDER, sessionId: '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11' };
  assert.equal((await create(NAME, chosen, { 'x-integrator-key': SERVER_KEY })).json().code, 'invalid_request');
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
