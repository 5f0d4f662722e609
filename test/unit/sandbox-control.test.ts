import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { startControl } from '../../sandbox/control/server.ts';

const moved: unknown[] = [];
const control = await startControl(0);
control.open(
  {
    'GET /sandbox/info': async () => ({ now: 'today' }),
    'POST /sandbox/clock': async (input) => moved.push(input),
    'DELETE /sandbox/faults': async () => ({}),
  },
  { 'GET /': async () => ({ html: '<p>hello' }), 'POST /clock': async () => ({ to: `/?${moved.push('a form')}` }) },
  ({ url }, reply) => {
    if (url === '/webhook-receiver') reply.writeHead(204).end();
    return url === '/webhook-receiver';
  },
);
after(() => control.close());

const { host, port } = new URL(control.url);
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const BODY = '{"advanceMs":1000}';

/** Plain requests, since `fetch` lets nobody choose the host. */
function ask(method: string, path: string, headers: Record<string, string> = {}, body = '') {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

test('what the handbook tells to send is taken, by every name of this computer', async () => {
  for (const name of [host, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, '127.0.0.1', 'localhost:8022']) {
    assert.equal((await ask('GET', '/sandbox/info', { host: name })).status, 200, name);
  }
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON']) {
    assert.equal((await ask('POST', '/sandbox/clock', { 'content-type': type }, BODY)).status, 200, type);
  }
  assert.equal((await ask('DELETE', '/sandbox/faults')).status, 200);
  assert.equal((await ask('GET', '/')).text, '<p>hello');
  const own = await ask('POST', '/clock', { ...FORM_TYPE, origin: `http://${host}` }, 'advanceMs=1');
  assert.equal(own.status, 303, 'the buttons of its own page');
  assert.equal((await ask('POST', '/webhook-receiver', JSON_TYPE, '{}')).status, 204);
});

test('whoever keeps a line to it is told to let go of it long before it does', async () => {
  const { headers } = await fetch(`${control.url}/sandbox/info`);
  const [, seconds] = /^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '') ?? [];
  assert.ok(
    Number.parseInt(seconds ?? '', 10) >= 60,
    `a client that waits for five seconds meets a line that is being closed`,
  );
});

test('a name that somebody else pointed at this computer opens nothing, neither calls nor pages', async () => {
  const before = moved.length;
  for (const name of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '127.0.0.1.evil.example']) {
    for (const [method, path] of [
      ['GET', '/sandbox/info'],
      ['POST', '/sandbox/clock'],
      ['GET', '/'],
      ['POST', '/clock'],
      ['POST', '/webhook-receiver'],
    ] as const) {
      const { status, text } = await ask(method, path, { ...JSON_TYPE, host: name }, method === 'POST' ? BODY : '');
      assert.equal(status, 403, `${method} ${path} at ${name}`);
      assert.match(text, /127\.0\.0\.1 or localhost/);
    }
  }
  assert.equal(moved.length, before);
});

test('a form or a script of another site moves nothing: its body is not called JSON, or its origin is told', async () => {
  const before = moved.length;
  for (const type of [
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data; boundary=x',
    undefined,
  ]) {
    const { status, text } = await ask('POST', '/sandbox/clock', type ? { 'content-type': type } : {}, BODY);
    assert.equal(status, 400, type);
    assert.match(JSON.parse(text).error, /content-type: application\/json/);
  }
  for (const origin of ['https://evil.example', 'null', `https://${host}`, `http://localhost:1`]) {
    assert.equal((await ask('POST', '/sandbox/clock', { ...JSON_TYPE, origin }, BODY)).status, 403, origin);
    assert.equal((await ask('POST', '/clock', { ...FORM_TYPE, origin }, 'advanceMs=1')).status, 403, origin);
  }
  assert.equal(moved.length, before);
});

test('a path that is none is refused, and the sandbox goes on', async () => {
  for (const path of ['//', '//:1', '///', 'http://[', 'http://127.0.0.1:99999/']) {
    const { status, text } = await ask('GET', path);
    assert.equal(status, 400, path);
    assert.match(JSON.parse(text).error, /path/);
  }
  assert.equal((await ask('GET', '//elsewhere/sandbox/nothing')).status, 404);
  assert.equal((await ask('GET', '/sandbox/info')).status, 200);
});
