import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { later } from '../../src/kernel/clock.ts';
import { EVM_ADDRESS, MONERO_ADDRESS, OTHER_MONERO_ADDRESS } from './assets.ts';
import { listen, listening, refusal } from './listener.ts';
import { completed, confirming, expired, fill, strayed, trading } from './stages.ts';

test('the order comes at once, on every change, and at its end', async (t) => {
  const { api, desk, orderId, owner, url, read } = await listening(t);
  const { socket, next, closed } = listen(url, owner);
  const [opened] = await once(socket, 'upgrade');
  assert.match(opened.headers['x-request-id'], /^[0-9a-f]{24}$/);
  assert.deepEqual(await next(), { type: 'snapshot', seq: 1, order: await read() });
  desk.change(orderId, confirming);
  assert.deepEqual(await next(), { type: 'update', seq: 2, order: await read() });
  desk.change(orderId, completed);
  assert.deepEqual(await next(), { type: 'final', seq: 3, order: await read() });
  assert.equal(await closed, 1000);
  await api.close();
  assert.equal(desk.watchers(), 0);
});

test('an order that is over sends its end and closes', async (t) => {
  const { desk, orderId, url } = await listening(t);
  desk.change(orderId, expired);
  const { next, closed } = listen(`${url}?verify=${MONERO_ADDRESS}`);
  assert.deepEqual([(await next()).type, (await next()).type], ['snapshot', 'final']);
  assert.equal(await closed, 1000);
});

test('an end with money still owed is not the end', async (t) => {
  const { desk, wait, orderId, owner, url } = await listening(t);
  desk.change(orderId, (order) => ({ ...strayed(order), ...expired(order) }));
  const { next, socket } = listen(url, owner);
  assert.equal((await next()).type, 'snapshot');
  wait(1);
  desk.change(orderId, ({ expiresAt }) => ({ expiresAt: later(expiresAt, 1) }));
  assert.equal((await next()).type, 'update');
  socket.terminate();
});

test('money that is on its way back beside an outcome is followed until it is there', async (t) => {
  const { desk, orderId, owner, url, read } = await listening(t);
  desk.change(orderId, (order) => ({ ...strayed(order), ...expired(order) }));
  const { next, closed } = listen(url, owner);
  assert.equal((await next()).type, 'snapshot');
  for (const [stage, type] of [
    ['pricing', 'update'],
    ['completed', 'final'],
  ] as const) {
    desk.change(orderId, ({ claims }) => ({ claims: claims.map((claim) => ({ ...claim, stage })) }));
    assert.deepEqual([stage, await next()], [stage, { type, seq: type === 'update' ? 2 : 3, order: await read() }]);
  }
  assert.equal(await closed, 1000);
});

test('9.22: a change in which nothing but its time can be seen sends no frame', async (t) => {
  const { desk, wait, orderId, owner, url, read } = await listening(t);
  const { next, socket } = listen(url, owner);
  const { order } = await next();
  wait(1_000);
  desk.change(orderId, () => ({}));
  assert.notEqual((await read()).updatedAt, order.updatedAt);
  wait(1_000);
  desk.change(orderId, confirming);
  assert.deepEqual(await next(), { type: 'update', seq: 2, order: await read() });
  socket.terminate();
});

test('proof comes before the upgrade; browsers send it as a subprotocol that is not echoed', async (t) => {
  const { sessionId, url } = await listening(t);
  const missing = { status: 404, body: { error: 'Not found.', code: 'not_found' } };
  assert.deepEqual(await refusal(url), missing);
  assert.deepEqual(await refusal(url, { 'x-session-id': '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11' }), missing);
  assert.deepEqual(await refusal(`${url}?verify=${OTHER_MONERO_ADDRESS}`), missing);
  const { next, socket } = listen(url, {}, ['wherry.v2', `session.${sessionId}`]);
  assert.equal((await next()).type, 'snapshot');
  assert.equal(socket.protocol, 'wherry.v2');
  socket.terminate();
});

test('a burst of changes ends with the newest state', async (t) => {
  const { desk, orderId, owner, url, read } = await listening(t);
  const { next, socket } = listen(url, owner);
  await next();
  for (let have = 1; have <= 100; have += 1) {
    desk.change(orderId, (order) => ({ ...confirming(order), funds: { ...order.funds, have } }));
  }
  const newest = await read();
  let frame = await next();
  for (let seq = frame.seq; !isDeepStrictEqual(frame.order, newest); seq = frame.seq) {
    frame = await next();
    assert.equal(frame.seq, seq + 1);
  }
  assert.ok(frame.seq < 100);
  socket.terminate();
});

test('a change between watching and reading is not lost', async (t) => {
  const { desk, orderId, owner, url } = await listening(t);
  const find = desk.find;
  let isFirst = true;
  desk.find = async (id) => {
    const found = await find(id);
    if (desk.watchers() > 0 && isFirst) {
      isFirst = false;
      desk.change(orderId, completed);
    }
    return found;
  };
  const { next } = listen(url, owner);
  assert.equal((await next()).order.status, 'awaiting_deposit');
  assert.deepEqual([(await next()).type], ['final']);
});

test('a change while the fills are read is not lost either', async (t) => {
  const { desk, orderId, owner, url, read } = await listening(t);
  desk.change(orderId, trading);
  const fills = desk.fills;
  let changes = 0;
  desk.fills = async (...asked) => {
    const found = await fills(...asked);
    if (desk.watchers() > 0 && changes < 3) {
      changes += 1;
      desk.saved.set(orderId, [...found, fill(changes)]);
      desk.change(orderId, (order) => ({ funds: { ...order.funds, have: order.funds.have + 1 } }));
    }
    return found;
  };
  const { next, socket } = listen(url, owner);
  let frame = await next();
  while (frame.order.hlFills.length < 3) frame = await next();
  assert.deepEqual(frame.order, await read());
  socket.terminate();
});

test('a bridge order is followed at its own address alone', async (t) => {
  const { post, desk, orderId, owner, url } = await listening(t);
  const wish = { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS };
  const bridge = (await post('/v2/bridges', wish)).json();
  const mine = { 'x-session-id': bridge.sessionId };
  const at = (product: string, id: string) => url.replace(/\/v2.*/, `/v2/${product}/${id}/events`);
  const { next, closed } = listen(at('bridges', bridge.orderId), mine);
  assert.deepEqual([(await next()).order.orderId], [bridge.orderId]);
  desk.change(bridge.orderId, expired);
  assert.deepEqual([(await next()).type, await closed], ['final', 1000]);
  assert.equal((await refusal(at('swaps', bridge.orderId), mine)).status, 404);
  assert.equal((await refusal(at('bridges', orderId), owner)).status, 404);
});

test('other addresses do not speak WebSocket', async (t) => {
  const { url } = await listening(t);
  const answer = await refusal(url.replace(/\/v2.*/, '/v2/swaps/assets'));
  assert.equal(answer.status, 400);
  assert.equal((await refusal(url.replace(/\/v2.*/, '/v2/nothing'))).status, 404);
});

test('a stop finishes running requests and sends sockets away with 1012', async (t) => {
  const gate = deferred();
  const { api, owner, url } = await listening(t, { unready: () => gate.promise.then(() => []) });
  const { next, closed } = listen(url, owner);
  await next();
  const running = fetch(url.replace('ws:', 'http:').replace(/\/v2.*/, '/readyz'));
  await once(api.server, 'request');
  const stopped = api.close();
  assert.equal(await closed, 1012);
  gate.resolve(undefined);
  assert.equal((await running).status, 200);
  await stopped;
});

function deferred() {
  let resolve: (value: unknown) => void = () => {};
  const promise = new Promise<unknown>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
