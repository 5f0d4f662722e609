import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { BUY_ORDER, bench, NO_LIMITS } from './bench.ts';

/** Sends each after the answer to the one before, and reads until the server closes. */
async function exchange(t: TestContext, ...sent: readonly string[]): Promise<string> {
  const { api } = await bench({ quota: NO_LIMITS });
  t.after(() => api.close());
  await api.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((api.server.address() as AddressInfo).port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, 'close');
  for (const bytes of sent) {
    socket.write(bytes);
    await once(socket, 'data');
  }
  await closed;
  return Buffer.concat(chunks).toString();
}

const request = (line: string, headers: readonly string[], body = ''): string =>
  [`${line} HTTP/1.1`, 'Host: wherry', ...headers, `Content-Length: ${body.length}`, '', body].join('\r\n');

/** What Java's HttpClient adds to its first request on a connection. */
const H2C = ['Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA'];
const ASKING = ['Connection: Upgrade, HTTP2-Settings', ...H2C];

test('who asks for HTTP/2 is answered in HTTP/1.1, body and all, on a connection that goes on', async (t) => {
  const body = JSON.stringify(BUY_ORDER);
  const post = ['Content-Type: application/json', ...ASKING];
  const answers = await exchange(
    t,
    request('GET /v1/chains', ASKING),
    request('POST /v2/swaps', post, body),
    request('GET /healthz', ['Connection: close']),
  );
  const statuses = ['HTTP/1.1 200 OK', 'HTTP/1.1 201 Created', 'HTTP/1.1 200 OK'];
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+ .*/g), statuses);
  assert.match(answers, /"status":"awaiting_deposit"/);
});

test('asking for an unknown protocol is no mistake either', async (t) => {
  const asking = ['Connection: Upgrade, close', 'Upgrade: TLS/1.0, foo/2'];
  assert.match(await exchange(t, request('GET /v2/swaps/assets', asking)), /^HTTP\/1\.1 200 OK\r\n/);
});

test('a socket is asked for by the right words, or refused in words', async (t) => {
  const asking = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const refused = await exchange(t, request('GET /v2/swaps/assets', [...asking, 'Sec-WebSocket-Key: x']));
  assert.match(refused, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.match(refused, /"code":"invalid_request"/);
});

test('what is not HTTP gets a 400 and a closed connection', async (t) => {
  const answer = await exchange(t, 'nonsense\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\nX-Request-Id: [0-9a-f]{24}\r\n/);
});

test('headers beyond reason are refused', async (t) => {
  const answer = await exchange(t, request('GET /v1/chains', [`X-Session-ID: ${'a'.repeat(70_000)}`]));
  assert.match(answer, /^HTTP\/1\.1 431 /);
});

test('a request that is not whole in time is cut off: its head is late, or its body comes drop by drop', async (t) => {
  const { api } = await bench({ quota: NO_LIMITS, requestDeadlineMs: 300 });
  t.after(() => api.close());
  await api.listen({ host: '127.0.0.1', port: 0 });
  for (const begun of [
    'POST /v2/swaps HTTP/1.1\r\nHost: wherry\r\n',
    request('POST /v2/swaps', [], ' '.repeat(50)).slice(0, -45),
  ]) {
    const socket = connect((api.server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(begun);
    const drops = setInterval(() => socket.write(' '), 20);
    await closed;
    clearInterval(drops);
  }
});

test('connections have a bound, and no head may take longer than the whole request', async (t) => {
  const { api } = await bench({ quota: NO_LIMITS });
  t.after(() => api.close());
  const { maxConnections, headersTimeout, requestTimeout } = api.server;
  assert.deepEqual([maxConnections, requestTimeout, headersTimeout <= requestTimeout], [10_000, 30_000, true]);
  await api.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.server.address() as AddressInfo;
  api.server.maxConnections = 1;
  const first = connect(port, '127.0.0.1');
  await once(first, 'connect');
  const second = connect(port, '127.0.0.1');
  second.on('error', () => undefined);
  await once(second.resume(), 'close');
  assert.equal(first.destroyed, false, 'who was there first stays');
  first.destroy();
});
