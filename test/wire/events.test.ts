import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import WebSocket from 'ws';
import type { ApiDeps } from '../../src/api/deps.ts';
import { SOCKETS_PER_ORDER } from '../../src/api/limits.ts';
import { MONERO_ADDRESS, OTHER_MONERO_ADDRESS } from './assets.ts';
import { BUY_ORDER, bench, NO_LIMITS } from './bench.ts';
import { completed, confirming, expired, strayed } from './stages.ts';

interface Frame {
  readonly type: string;
  readonly seq: number;
  readonly order: { readonly status: string };
}

interface Listener {
  readonly socket: WebSocket;
  next(): Promise<Frame>;
  readonly closed: Promise<number>;
}

async function listening(t: TestContext, change: Partial<ApiDeps> = {}) {
  const made = await bench({ quota: NO_LIMITS, ...change });
  t.after(() => made.api.close());
  await made.api.listen({ host: '127.0.0.1', port: 0 });
  const { port } = made.api.server.address() as AddressInfo;
  const { orderId, sessionId } = (await made.post('/v2/swaps', BUY_ORDER)).json();
  const owner = { 'x-session-id': sessionId };
  const url = `ws://127.0.0.1:${port}/v2/swaps/${orderId}/events`;
  const read = async () => (await made.get(`/v2/swaps/${orderId}`, owner)).json();
  return { ...made, orderId, sessionId, owner, url, read };
}

function listen(url: string, headers: Record<string, string> = {}, protocols: string[] = []): Listener {
  const socket = new WebSocket(url, protocols, { headers });
  const frames: Frame[] = [];
  const waiting: ((frame: Frame) => void)[] = [];
  socket.on('message', (data) => {
    const frame: Frame = JSON.parse(data.toString());
    const take = waiting.shift();
    if (take) take(frame);
    else frames.push(frame);
  });
  return {
    socket,
    next: () => {
      const frame = frames.shift();
      return frame ? Promise.resolve(frame) : new Promise((take) => waiting.push(take));
    },
    closed: once(socket, 'close').then(([code]) => code as number),
  };
}

async function refusal(url: string, headers: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
  const socket = new WebSocket(url, { headers });
  const [, response] = await once(socket, 'unexpected-response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  assert.match(response.headers['x-request-id'], /^[0-9a-f]{24}$/);
  return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) };
}

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
  desk.change(orderId, () => ({}));
  assert.equal((await next()).type, 'update');
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

test('sockets of one order are counted', async (t) => {
  const { owner, url } = await listening(t);
  const held = Array.from({ length: SOCKETS_PER_ORDER }, () => listen(url, owner));
  await Promise.all(held.map(({ next }) => next()));
  assert.equal((await refusal(url, owner)).status, 429);
  held[0]?.socket.close();
  await held[0]?.closed;
  const again = listen(url, owner);
  assert.equal((await again.next()).type, 'snapshot');
  for (const { socket } of [...held, again]) socket.terminate();
});

test('other addresses do not speak WebSocket', async (t) => {
  const { url } = await listening(t);
  const answer = await refusal(url.replace(/\/v2.*/, '/v2/swaps/assets'));
  assert.equal(answer.status, 400);
  assert.equal((await refusal(url.replace(/\/v2.*/, '/v2/nothing'))).status, 404);
});

test('a stop finishes running requests and sends sockets away with 1012', async (t) => {
  const gate = deferred();
  const { api, owner, url } = await listening(t, { ready: () => gate.promise.then(() => true) });
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
