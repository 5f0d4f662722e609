import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import WebSocket from 'ws';
import { PING_MS, SOCKETS_PER_NETWORK, SOCKETS_PER_ORDER } from '../../src/api/limits.ts';
import { present } from '../../src/kernel/assert.ts';
import { BUY_ORDER, PUBLIC_KEY, SERVER_KEY } from './bench.ts';
import { listen, listening, refusal } from './listener.ts';
import { fill, trading } from './stages.ts';

/** Whether the upgrade is granted. */
async function tried(url: string, headers: Record<string, string>): Promise<WebSocket | undefined> {
  const socket = new WebSocket(url, { headers });
  const isOpen = once(socket, 'open').then(() => true);
  const isRefused = once(socket, 'unexpected-response').then(() => false);
  return (await Promise.race([isOpen, isRefused])) ? socket : undefined;
}

test('sockets of one order are counted, also those that come together', async (t) => {
  const { owner, url } = await listening(t);
  const together = await Promise.all(Array.from({ length: SOCKETS_PER_ORDER + 5 }, () => tried(url, owner)));
  const held = together.filter((socket) => socket !== undefined);
  assert.equal(held.length, SOCKETS_PER_ORDER);
  const refused = await refusal(url, owner);
  assert.equal(refused.status, 429);
  assert.deepEqual(refused.body, {
    error: 'Too many requests; try again later.',
    code: 'rate_limited',
    details: { resource: 'sockets', retryAfter: 60 },
  });
  // Whoever knows the order's destination takes no place of its owner's.
  const elsewhere = listen(url, { ...owner, 'x-integrator-key': SERVER_KEY });
  assert.equal((await elsewhere.next()).type, 'snapshot');
  elsewhere.socket.terminate();
  const leaving = present(held[0], 'a socket');
  leaving.close();
  await once(leaving, 'close');
  const again = listen(url, owner);
  assert.equal((await again.next()).type, 'snapshot');
  for (const socket of [...held, again.socket]) socket.terminate();
});

test('sockets of one network are counted, whatever they follow, and a server by its key instead', async (t) => {
  const { post, desk, url } = await listening(t);
  const held: WebSocket[] = [];
  let isFull = false;
  while (!isFull) {
    const { orderId, sessionId } = (await post('/v2/swaps', BUY_ORDER)).json();
    const its = url.replace(/sw_\w+/, orderId);
    const more = await Promise.all(
      Array.from({ length: SOCKETS_PER_ORDER - 1 }, () => tried(its, { 'x-session-id': sessionId })),
    );
    held.push(...more.filter((socket) => socket !== undefined));
    isFull = more.includes(undefined);
  }
  assert.equal(held.length, SOCKETS_PER_NETWORK);
  assert.equal(desk.watchers(), SOCKETS_PER_NETWORK);
  const { orderId, sessionId } = (await post('/v2/swaps', BUY_ORDER)).json();
  const [its, owner] = [url.replace(/sw_\w+/, orderId), { 'x-session-id': sessionId }];
  for (const key of [PUBLIC_KEY, undefined]) {
    const refused = await refusal(its, { ...owner, ...(key ? { 'x-integrator-key': key } : {}) });
    assert.equal(refused.status, 429, 'a browser counts by network, whatever key it has');
  }
  held.push(present(await tried(its, { ...owner, 'x-integrator-key': SERVER_KEY }), 'a socket of a partner’s server'));
  for (const socket of held) socket.terminate();
});

test('who answers pings stays, and who is silent for a whole round is cut', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { api, owner, url } = await listening(t);
  const { next, socket } = listen(url, owner);
  await next();
  const peer = present([...api.websocketServer.clients][0], 'the other end');
  const round = async () => {
    const answered = once(peer, 'pong');
    t.mock.timers.tick(PING_MS);
    await answered;
  };
  await round();
  const silent = new WebSocket(url, { headers: owner, autoPong: false });
  await once(silent, 'open');
  const cut = once(silent, 'close');
  await Promise.all([round(), once(silent, 'ping')]);
  assert.equal(api.websocketServer.clients.size, 2);
  await round();
  assert.equal((await cut)[0], 1006);
  assert.equal(socket.readyState, WebSocket.OPEN);
  socket.terminate();
});

test('a client that does not read costs one frame, and is cut', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { api, desk, orderId, owner, url } = await listening(t);
  desk.change(orderId, trading);
  desk.saved.set(
    orderId,
    Array.from({ length: 200 }, (_, at) => fill(at + 1)),
  );
  const { next, socket } = listen(url, owner);
  const frameBytes = JSON.stringify(await next()).length;
  socket.pause();
  const peer = present([...api.websocketServer.clients][0], 'the other end');
  let changes = 0;
  for (let stuck = 0; stuck < 50; stuck = peer.bufferedAmount > 0 ? stuck + 1 : 0) {
    changes += 1;
    assert.ok(changes < 5_000, 'the pipe is full some time');
    desk.change(orderId, (order) => ({ funds: { ...order.funds, have: changes } }));
    await turn();
  }
  assert.ok(peer.bufferedAmount < 2 * frameBytes, `${peer.bufferedAmount} bytes wait for one who does not read`);
  const reader = new WebSocket(url, { headers: owner });
  await once(reader, 'open');
  const gone = once(peer, 'close');
  t.mock.timers.tick(PING_MS);
  await once(present([...api.websocketServer.clients][1], 'the reader’s other end'), 'pong');
  t.mock.timers.tick(PING_MS);
  await gone;
  assert.equal(desk.watchers(), 1);
  for (const one of [socket, reader]) one.terminate();
});

test('clients have nothing to say', async (t) => {
  const { owner, url } = await listening(t);
  const { next, socket, closed } = listen(url, owner);
  await next();
  socket.send('x'.repeat(2_000));
  assert.equal(await closed, 1009);
});
