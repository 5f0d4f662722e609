import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { isGlobalIp } from '../../src/api/client-network.ts';
import { instant } from '../../src/kernel/clock.ts';
import { openGuardedPost } from '../../src/world/outbound/guarded-post.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A receiver on this computer, and how often it was asked. */
async function receiver(answer: RequestListener) {
  let asked = 0;
  const server = createServer((request, reply) => {
    asked += 1;
    answer(request, reply);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

const clock = { now: () => instant(0) };
const guarded = (parts: Partial<Parameters<typeof openGuardedPost>[0]> = {}) =>
  openGuardedPost({ resolve: async () => ['1.1.1.1'], isPublic: isGlobalIp, allowedOrigins: [], clock, ...parts });

test('private, loopback, link-local, metadata and special addresses are not the public internet', () => {
  const bad = [
    '127.0.0.1 127.9.9.9 0.0.0.0 10.0.0.1 100.64.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 192.0.0.1',
    '192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255',
    ':: ::1 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1',
    '2002:7f00:1:: 2002:a9fe:a9fe:: 3fff::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 5f00::1',
  ];
  for (const address of bad.join(' ').split(' ')) assert.equal(isGlobalIp(address), false, address);
  for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8'])
    assert.equal(isGlobalIp(address), true, address);
});

test('only https to a public host is taken, however the address is spelt', async () => {
  const { refuses } = guarded();
  assert.equal(await refuses('https://shop.example/hook?x=1'), undefined);
  assert.equal(await refuses('https://1.1.1.1:8443/'), undefined);
  const bad = [
    ...['', 'shop.example', 'http://shop.example', 'ftp://shop.example', 'file:///etc/passwd', 'javascript:alert(1)'],
    ...[
      'https://user:password@shop.example',
      'https://127.0.0.1',
      'https://127.1',
      'https://0x7f.1',
      'https://2130706433',
    ],
    ...[
      'https://0177.0.0.1',
      'https://[::1]',
      'https://[::ffff:127.0.0.1]',
      'https://169.254.169.254/latest/meta-data',
    ],
    ...['https://①②⑦.⓪.⓪.①', `https://shop.example/${'a'.repeat(3000)}`],
  ];
  for (const url of bad) assert.equal(typeof (await refuses(url)), 'string', url);
});

test('one bad address among good ones, none at all, and a name server that fails are refused', async () => {
  for (const found of [['1.1.1.1', '10.0.0.1'], ['10.0.0.1'], ['::1', '2606:4700::1'], []]) {
    assert.equal(
      typeof (await guarded({ resolve: async () => found }).refuses('https://a.example')),
      'string',
      `${found}`,
    );
  }
  const resolve = async () => Promise.reject(new Error('SERVFAIL'));
  assert.equal(typeof (await guarded({ resolve }).refuses('https://a.example')), 'string');
  const never = () => new Promise<readonly string[]>(() => {});
  assert.match((await guarded({ resolve: never, deadlineMs: 20 }).refuses('https://a.example')) ?? '', /No answer/);
});

test('a name that changes its address after it was registered is refused when it is called', async () => {
  const { origin, asked } = await receiver((_, reply) => reply.end());
  const port = new URL(origin).port;
  let turn = 0;
  const resolve = async () => {
    turn += 1;
    return turn === 1 ? ['1.1.1.1'] : ['127.0.0.1'];
  };
  const { refuses, post } = guarded({ resolve });
  const url = `https://rebind.example:${port}/`;
  assert.equal(await refuses(url), undefined);
  const result = await post(url, {}, '{}');
  assert.deepEqual([result.status, result.error], [null, 'The host is not on the public internet.']);
  assert.equal(asked(), 0);
});

test('the address that was looked at is the one that is called, and it is asked for once', async () => {
  let lookups = 0;
  const { origin, asked } = await receiver((_, reply) => reply.end());
  const port = new URL(origin).port;
  const resolve = async () => {
    lookups += 1;
    return ['127.0.0.1'];
  };
  // A desk whose idea of the public internet ends at this computer: the call must get as far as the handshake there.
  const { post } = guarded({ resolve, isPublic: () => true });
  const result = await post(`https://shop.example:${port}/`, {}, '{}');
  assert.deepEqual([result.status, lookups, asked()], [null, 1, 0], 'a receiver without TLS gets nothing');
  assert.doesNotMatch(String(result.error), /ENOTFOUND|EAI_AGAIN/, 'nobody looked the name up a second time');
});

test('a receiver of the rehearsal is called as it is, and what it answers counts', async () => {
  const { origin } = await receiver((request, reply) => {
    reply.statusCode = request.headers['x-wish'] ? 500 : 204;
    reply.end();
  });
  const { post, refuses } = guarded({ allowedOrigins: [origin] });
  assert.equal(await refuses(`${origin}/hook`), undefined);
  assert.deepEqual(await post(`${origin}/hook`, { a: 'b' }, '{}'), { status: 204, error: null, ms: 0 });
  assert.deepEqual(await post(origin, { 'x-wish': '1' }, '{}'), { status: 500, error: 'The answer was 500.', ms: 0 });
  assert.equal(typeof (await guarded().refuses(origin)), 'string', 'and nowhere else');
});

test('who is found only after the time is up is not called any more', async () => {
  const { origin, asked } = await receiver((_, reply) => reply.end());
  let found = (_: readonly string[]): void => {};
  const looking = new Promise<readonly string[]>((resolve) => {
    found = resolve;
  });
  const connected: string[] = [];
  const isPublic = (address: string) => connected.push(address) > 0;
  const { post } = guarded({ resolve: () => looking, isPublic, deadlineMs: 20 });
  const result = await post(`https://slow.example:${new URL(origin).port}/`, {}, '{}');
  assert.deepEqual([result.status, result.error], [null, 'No answer within 0.02 s.']);
  const connection = once(servers.at(-1) as Server, 'connection').then(() => 'called');
  found(['127.0.0.1']);
  const nobody = new Promise((resolve) => setTimeout(resolve, 200, 'nobody'));
  assert.equal(await Promise.race([connection, nobody]), 'nobody');
  assert.deepEqual([connected, asked()], [['127.0.0.1'], 0]);
});

test('redirects are not followed', async () => {
  const secret = await receiver((_, reply) => reply.end('secret'));
  const { origin } = await receiver((_, reply) => {
    reply.writeHead(302, { location: secret.origin }).end();
  });
  const result = await guarded({ allowedOrigins: [origin, secret.origin] }).post(origin, {}, '{}');
  assert.deepEqual([result.status, result.error], [302, 'Redirects are not followed.']);
  assert.equal(secret.asked(), 0);
});

test('a receiver that says nothing, never ends, or says too much is cut', async () => {
  const silent = await receiver(() => {});
  const endless = await receiver((_, reply) => {
    reply.writeHead(200);
    reply.write('a');
  });
  const flood = await receiver((_, reply) => {
    reply.writeHead(200);
    const pour = () => {
      while (reply.write('x'.repeat(16_384)));
      reply.once('drain', pour);
    };
    pour();
  });
  const allowedOrigins = [silent.origin, endless.origin, flood.origin];
  const { post } = guarded({ allowedOrigins, deadlineMs: 100 });
  for (const { origin } of [silent, endless]) {
    assert.deepEqual(await post(origin, {}, '{}'), { status: null, error: 'No answer within 0.1 s.', ms: 0 });
  }
  const patient = guarded({ allowedOrigins, deadlineMs: 10_000 });
  assert.match(String((await patient.post(flood.origin, {}, '{}')).error), /longer than 65536 bytes/);
});

test('nobody there is a failure like any other', async () => {
  const { origin } = await receiver((request) => request.destroy());
  const { post } = guarded({ allowedOrigins: [origin, 'http://127.0.0.1:1'] });
  for (const url of [origin, 'http://127.0.0.1:1']) {
    const { status, error } = await post(url, {}, '{}');
    assert.ok(status === null && typeof error === 'string', url);
  }
});
