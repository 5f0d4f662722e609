import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import WebSocket from 'ws';
import type { Desk } from '../../src/engine/desk.ts';
import { MONERO_ADDRESS } from './assets.ts';
import { BUY_ORDER, bench, NO_LIMITS } from './bench.ts';
import { listening } from './listener.ts';
import { confirming, fill, strayed, trading } from './stages.ts';

test('whoever has the order already is told so, until it changes', async () => {
  const { post, get, desk } = await bench({ quota: NO_LIMITS });
  const { orderId, sessionId } = (await post('/v2/swaps', BUY_ORDER)).json();
  const read = (held?: string) =>
    get(`/v2/swaps/${orderId}`, { 'x-session-id': sessionId, ...(held ? { 'if-none-match': held } : {}) });
  const first = await read();
  const etag = String(first.headers.etag);
  assert.match(etag, /^"[0-9a-f]{32}"$/);
  for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { statusCode, body, headers } = await read(held);
    assert.deepEqual([statusCode, body, headers.etag], [304, '', etag], held);
    assert.match(String(headers['x-request-id']), /^[0-9a-f]{24}$/);
  }
  assert.equal((await read('"other"')).body, first.body);
  desk.change(orderId, confirming);
  const changed = await read(etag);
  assert.equal(changed.statusCode, 200);
  assert.notEqual(changed.headers.etag, etag);
  assert.equal(changed.json().status, 'processing');
});

test('a name of the bytes is no proof of ownership', async () => {
  const { post, get } = await bench({ quota: NO_LIMITS });
  const { orderId, sessionId } = (await post('/v2/swaps', BUY_ORDER)).json();
  const { etag = '' } = (await get(`/v2/swaps/${orderId}`, { 'x-session-id': sessionId })).headers;
  assert.equal((await get(`/v2/swaps/${orderId}`, { 'if-none-match': String(etag) })).statusCode, 404);
  const other = { 'x-session-id': '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11', 'if-none-match': String(etag) };
  assert.equal((await get(`/v2/swaps/${orderId}`, other)).statusCode, 404);
  assert.equal((await get(`/v2/swaps/${orderId}?verify=${MONERO_ADDRESS}`, { 'if-none-match': etag })).statusCode, 304);
});

test('creation, polls and sockets show an order in the same bytes', async (t) => {
  const { post, get, desk, url, orderId, owner } = await listening(t);
  const { sessionId, ...created } = (await post('/v2/swaps', BUY_ORDER)).json();
  const polled = await get(`/v2/swaps/${created.orderId}`, { 'x-session-id': sessionId });
  assert.equal(polled.body, JSON.stringify(created));
  desk.saved.set(orderId, [fill(1)]);
  desk.change(orderId, (order) => ({ ...strayed(order), ...trading(order) }));
  const socket = new WebSocket(url, { headers: owner });
  const [frame] = await once(socket, 'message');
  socket.terminate();
  const read = await get(`/v2/swaps/${orderId}`, owner);
  assert.equal(String(frame), `{"type":"snapshot","seq":1,"order":${read.body}}`);
});

test('a version is written once, however many read and follow it', async (t) => {
  const { get, desk, url, orderId, owner } = await listening(t);
  desk.change(orderId, trading);
  let asked = 0;
  const fills: Desk['fills'] = desk.fills;
  desk.fills = (...of) => {
    asked += 1;
    return fills(...of);
  };
  const sockets = Array.from({ length: 5 }, () => new WebSocket(url, { headers: owner }));
  await Promise.all(sockets.map((socket) => once(socket, 'message')));
  await Promise.all(Array.from({ length: 5 }, () => get(`/v2/swaps/${orderId}`, owner)));
  assert.equal(asked, 1);
  const next = Promise.all(sockets.map(async (socket) => String((await once(socket, 'message'))[0])));
  desk.change(orderId, ({ funds }) => ({ funds: { ...funds, have: funds.have + 1 } }));
  assert.equal(new Set(await next).size, 1);
  assert.equal(asked, 2);
  for (const socket of sockets) socket.terminate();
});
