import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openOnionDoor, parseProxyLine } from '../../src/api/proxy-line.ts';
import { BUY_ORDER, bench, SERVER_KEY } from './bench.ts';

const ORDER = JSON.stringify(BUY_ORDER);

/** A desk that believes these proxies, and how to create an order there from a bare connection. */
async function serving(t: TestContext, trustedProxies?: string[]) {
  const { api } = await bench(trustedProxies ? { trustedProxies } : {});
  t.after(() => api.close());
  await api.listen({ host: '127.0.0.1', port: 0 });
  const door = await openOnionDoor(api.server, { host: '127.0.0.1', port: 0 });
  t.after(() => door.close());
  return { port: (api.server.address() as AddressInfo).port, onion: door.port };
}

/** Sends the bytes and gives the status of the first answer, or undefined where the door is shut. */
async function speak(port: number, head: string, ...headers: string[]): Promise<number | undefined> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `${head}POST /v2/swaps HTTP/1.1\r\n${['Host: x', 'Content-Type: application/json', `Content-Length: ${ORDER.length}`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n${ORDER}`,
  );
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'close');
  const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** Five creations a minute are allowed, so the sixth tells whether two visitors are one client. */
async function spend(say: () => Promise<number | undefined>): Promise<void> {
  for (let n = 0; n < 5; n += 1) assert.equal(await say(), 201);
  assert.equal(await say(), 429);
}

test('visitors behind a trusted proxy have allowances of their own', async (t) => {
  const { port } = await serving(t, ['127.0.0.1']);
  await spend(() => speak(port, '', 'X-Forwarded-For: 198.51.100.1'));
  assert.equal(await speak(port, '', 'X-Forwarded-For: 198.51.100.2'), 201);
  // What a visitor wrote into the header himself stands before what the proxy adds.
  assert.equal(await speak(port, '', 'X-Forwarded-For: 203.0.113.9, 198.51.100.1'), 429);
});

test('a proxy that names the port, too, still names one visitor, and those whom it cannot name are one', async (t) => {
  const { port } = await serving(t, ['127.0.0.1']);
  let n = 1024;
  await spend(() => speak(port, '', `X-Forwarded-For: 198.51.100.1:${++n}`));
  await spend(() => speak(port, '', `X-Forwarded-For: unknown-${++n}`));
});

test('a visitor who writes himself a trail of trusted proxies is still himself', async (t) => {
  const { port } = await serving(t, ['127.0.0.1', '10.0.0.0/8']);
  let n = 0;
  await spend(() => speak(port, '', `X-Forwarded-For: 203.0.113.${++n}, 198.51.100.1, 10.1.2.3`));
});

test('a PROXY line of a trusted proxy names the client, and its headers then name nobody', async (t) => {
  const { port } = await serving(t, ['127.0.0.0/8']);
  const line = (ip: string) => `PROXY TCP4 ${ip} 192.0.2.1 40000 443\r\n`;
  await spend(() => speak(port, line('198.51.100.1')));
  assert.equal(await speak(port, line('198.51.100.2')), 201);
  assert.equal(await speak(port, line('198.51.100.1'), 'X-Forwarded-For: 198.51.100.7'), 429);
  assert.equal(await speak(port, 'PROXY nonsense\r\n'), undefined);
});

test('a forged header or line from anywhere else changes nothing', async (t) => {
  const { port } = await serving(t);
  let n = 0;
  await spend(() => speak(port, '', `X-Forwarded-For: 198.51.100.${++n}`));
  assert.equal(await speak(port, 'PROXY TCP4 198.51.100.200 192.0.2.1 40000 443\r\n'), 400);
});

test('believing another proxy is no reason to believe this one', async (t) => {
  const { port } = await serving(t, ['192.0.2.10', '10.0.0.0/8', '2001:db8::/32']);
  let n = 0;
  await spend(() => speak(port, '', `X-Forwarded-For: 198.51.100.${++n}`));
  assert.equal(await speak(port, 'PROXY TCP4 198.51.100.200 192.0.2.1 40000 443\r\n'), 400);
});

test('a partner’s server behind the proxy is known by its own address, and its users by what it says itself', async (t) => {
  const made = await bench({ trustedProxies: ['127.0.0.1'] });
  t.after(() => made.api.close());
  const limits = { requestLimitPerMin: 2, createLimitPerMin: 0, maxOpenOrders: 0 };
  made.partner({ forwarding: { enabled: true, approvedServerIps: ['198.51.100.9'], limits } });
  const ask = async (forwarded: string, endUser: string) => {
    const headers = { 'x-integrator-key': SERVER_KEY, 'x-forwarded-for': forwarded, 'x-end-user-ip': endUser };
    return (await made.call({ method: 'GET', url: '/v2/swaps/assets', headers })).statusCode;
  };
  assert.deepEqual([await ask('198.51.100.9', '8.8.8.8'), await ask('198.51.100.9', '8.8.8.8')], [200, 200]);
  assert.equal(await ask('198.51.100.9', '8.8.8.8'), 429, 'the user has used up what he may');
  assert.equal(await ask('198.51.100.9', '8.8.4.4'), 200);
  assert.equal(await ask('198.51.100.10', '8.8.4.4'), 403, 'no other server speaks for users');
  assert.equal(await ask('198.51.100.9, 198.51.100.10', '8.8.4.4'), 403, 'nor by writing the header itself');
});

test('every circuit of the onion door is a client of its own, and nobody comes in without one', async (t) => {
  const { onion } = await serving(t);
  const circuit = (n: number) => `PROXY TCP6 fc00:dead:beef:4dad::ffff:${n.toString(16)} ::1 ${n} 80\r\n`;
  await spend(() => speak(onion, circuit(1)));
  assert.equal(await speak(onion, circuit(2)), 201);
  assert.equal(await speak(onion, circuit(1), 'X-Forwarded-For: 198.51.100.7'), 429);
  assert.equal(await speak(onion, ''), undefined);
  assert.equal(await speak(onion, 'PROXY UNKNOWN\r\n'), undefined);
});

test('a PROXY line is read to the letter', () => {
  assert.equal(parseProxyLine('PROXY TCP4 192.0.2.7 192.0.2.1 1 2'), '192.0.2.7');
  assert.equal(parseProxyLine('PROXY TCP6 2001:db8::1 ::1 1 2'), '2001:db8::1');
  assert.equal(parseProxyLine('PROXY UNKNOWN'), 'unknown');
  for (const wrong of [
    'PROXY TCP4 x 192.0.2.1 1 2',
    'PROXY TCP4 192.0.2.7',
    'GET / HTTP/1.1',
    'PROXY TCP5 ::1 ::1 1 2',
  ]) {
    assert.equal(parseProxyLine(wrong), undefined, wrong);
  }
});
