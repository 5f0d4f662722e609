import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { Fault, type FaultKind, NoAnswer } from '../../src/kernel/fault.ts';
import { MAX_REPLY_BYTES } from '../../src/kernel/limits.ts';
import { httpOutbound, type OutboundCall } from '../../src/world/outbound/http.ts';
import { withRoom } from '../../src/world/outbound/large-reply.ts';
import { challengeOf, digestResponse, loginOf } from '../../src/world/outbound/login.ts';

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

type Answer = (request: IncomingMessage, reply: ServerResponse) => void;

async function serve(answer: Answer): Promise<{ readonly url: string; readonly connections: () => number }> {
  let connections = 0;
  const server = createServer(answer).listen(0, '127.0.0.1');
  server.on('connection', () => {
    connections += 1;
  });
  await once(server, 'listening');
  closings.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections };
}

const call = (url: string, more: Partial<OutboundCall> = {}): OutboundCall => ({
  ...{ at: 'chain:1', label: 'eth_x', url, method: 'POST', body: '{"é":1}' },
  ...more,
});

const fails = (asking: Promise<unknown>, kind: FaultKind, words: RegExp): Promise<void> =>
  assert.rejects(asking, (error) => {
    assert.ok(error instanceof Fault, String(error));
    assert.deepEqual([error.kind, error.at], [kind, 'chain:1']);
    assert.match(error.message, words);
    return true;
  });

test('what is sent arrives whole, and what is answered comes back with its status', async () => {
  const { url } = await serve(async (request, reply) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const { 'x-key': key, 'user-agent': who } = request.headers;
    reply.writeHead(418).end(`${request.method} ${request.url} ${key} ${who} ${body}`);
  });
  const reply = await httpOutbound(call(`${url}/a?b=c`, { headers: { 'x-key': 'k' } }));
  assert.deepEqual(reply, { status: 418, body: 'POST /a?b=c k Wherry/1 {"é":1}' });
  const { body: _, ...bare } = call(`${url}/`, { method: 'GET' });
  assert.equal((await httpOutbound(bare)).body, 'GET / undefined Wherry/1 ');
});

test('one connection carries one call after the other', async () => {
  const { url, connections } = await serve((_, reply) => reply.end('{}'));
  for (let nth = 0; nth < 20; nth += 1) await httpOutbound(call(url));
  assert.equal(connections(), 1);
});

test('nothing happened where nobody listens, and where the name leads nowhere', async () => {
  const { url } = await serve(() => {});
  for (const close of closings.splice(0)) close();
  await fails(httpOutbound(call(url)), 'transient', /eth_x: ECONNREFUSED/);
  await fails(httpOutbound(call('http://nobody.invalid')), 'transient', /eth_x: E/);
});

test('an address that is none, and a header that is none, are refused before anything is sent', async () => {
  const { url, connections } = await serve((_, reply) => reply.end('{}'));
  await fails(httpOutbound(call('nowhere')), 'permanent', /eth_x: Invalid URL/);
  await fails(httpOutbound(call(url, { headers: { 'x-key': 'a\nb' } })), 'permanent', /eth_x: Invalid character/);
  assert.equal(connections(), 0);
});

test('whoever took the call and says nothing, or leaves, may have done it', async () => {
  const silent = await serve(() => {});
  const unanswered = httpOutbound(call(silent.url, { deadlineMs: 50 }));
  await fails(unanswered, 'ambiguous', /no answer within 50 ms/);
  await assert.rejects(unanswered, NoAnswer);
  const leaving = await serve((request) => request.socket.destroy());
  await fails(httpOutbound(call(leaving.url)), 'ambiguous', /ECONNRESET/);
  const halfway = await serve((request, reply) => {
    reply.writeHead(200, { 'content-length': 100 }).write('half');
    setImmediate(() => request.socket.destroy());
  });
  await fails(httpOutbound(call(halfway.url)), 'ambiguous', /ECONNRESET/);
});

test('an endless answer is cut, and nobody is followed elsewhere', async () => {
  const { url } = await serve((_, reply) => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const more = () => {
      reply.write(piece);
      if (!reply.destroyed) setImmediate(more);
    };
    more();
  });
  await fails(httpOutbound(call(url)), 'ambiguous', new RegExp(`over ${MAX_REPLY_BYTES} bytes`));
  const elsewhere = await serve((_, reply) => reply.writeHead(302, { location: url }).end());
  await fails(httpOutbound(call(elsewhere.url)), 'ambiguous', /HTTP 302, redirects are not followed/);
});

test('one block may be larger than a usual reply, and no two such replies are read at once', async () => {
  let [atOnce, most] = [0, 0];
  const { url } = await serve((_, reply) => void reply.end(Buffer.alloc(MAX_REPLY_BYTES + 1, 'x')));
  const block = (height: number) =>
    withRoom(`block ${height}`, async (room) => {
      if (room.maxBytes === undefined) return httpOutbound(call(url, room));
      atOnce += 1;
      most = Math.max(most, atOnce);
      try {
        return await httpOutbound(call(url, room));
      } finally {
        atOnce -= 1;
      }
    });
  const replies = await Promise.all([block(1), block(2), block(3)]);
  assert.deepEqual([...replies.map(({ body }) => body.length), most], [...Array(3).fill(MAX_REPLY_BYTES + 1), 1]);
  const narrow = withRoom('block 4', () => httpOutbound(call(url)));
  await fails(narrow, 'ambiguous', /^block 4 cannot be read: eth_x: reply over/);
  assert.equal((await block(5)).body.length, MAX_REPLY_BYTES + 1, 'one that failed keeps nobody waiting');
});

test('a digest is the one that RFC 2617 reckons in its example', () => {
  const login = loginOf('Mufasa:Circle Of Life').reveal();
  const challenge = { realm: 'testrealm@host.com', nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093' };
  const asked = { method: 'GET', path: '/dir/index.html', cnonce: '0a4f113b' };
  assert.equal(digestResponse(login, challenge, asked), '6629fae49393a05397450978507c4ef1');
});

test('of several challenges the first that we can answer is taken, in one line or in many', () => {
  const sess = 'Digest qop="auth",algorithm=MD5-sess,realm="r",nonce="n1==",stale=false';
  const md5 = 'Digest qop="auth",algorithm=MD5,realm="r",nonce="n2==",stale=false';
  const ours = { realm: 'r', nonce: 'n2==' };
  assert.deepEqual(challengeOf([sess, md5]), ours);
  assert.deepEqual(challengeOf([`${sess}, ${md5}`]), ours);
  assert.deepEqual(challengeOf(['Digest realm="r", nonce="n2=="']), ours, 'MD5 where nothing else is said');
  for (const none of [[], [sess], ['Basic realm="r"'], ['Digest realm="r"']])
    assert.equal(challengeOf(none), undefined);
});

test('with a login the body goes only to who asks for it first, and the password to nobody', async () => {
  const heard: string[] = [];
  const listen = (status: number, headers: Record<string, string>) =>
    serve(async (request, reply) => {
      let body = '';
      for await (const piece of request.setEncoding('utf8')) body += piece;
      heard.push(`${request.headers.authorization} ${body}`);
      const isProven = request.headers.authorization?.startsWith('Digest username="me"');
      if (isProven && headers.trust) reply.end('{"in":true}');
      else reply.writeHead(status, headers).end('{}');
    });
  const digest = loginOf('me:secret:of:mine');
  const challenge = { 'www-authenticate': 'Digest realm="r",nonce="n"' };

  const open = await listen(200, {});
  await fails(httpOutbound(call(open.url, { digest })), 'permanent', /answers without a login/);
  const other = await listen(401, { 'www-authenticate': 'Basic realm="r"' });
  await fails(httpOutbound(call(other.url, { digest })), 'permanent', /in a way that we do not speak/);
  assert.deepEqual(heard.splice(0), ['undefined ', 'undefined ']);

  const stubborn = await listen(401, challenge);
  await fails(httpOutbound(call(stubborn.url, { digest })), 'transient', /refuses the login/);
  const taking = await listen(401, { ...challenge, trust: 'yes' });
  assert.deepEqual(await httpOutbound(call(`${taking.url}/a?b=c`, { digest })), { status: 200, body: '{"in":true}' });
  assert.equal(taking.connections(), 1, 'a challenge may belong to its connection');
  assert.match(heard.at(-1) ?? '', /uri="\/a\?b=c".*qop=auth, nc=00000001 \{"é":1\}$/);
  assert.ok(heard.every((line) => !line.includes('secret')));
});
