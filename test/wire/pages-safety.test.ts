import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { test } from 'node:test';
import WebSocket from 'ws';
import { GUIDES } from '../../web/pages/guides.tsx';
import { withAmount } from '../../web/parts/deposit.tsx';
import { LANGUAGES, WORDS } from '../../web/server/language.ts';
import { plainName } from '../../web/server/view.ts';
import { PATHS } from '../browser/paths.ts';
import { EVM_ADDRESS, MONERO_ADDRESS } from './assets.ts';
import { memoryQuota } from './bench.ts';
import { BUY, FORM, visiting } from './pages-visit.ts';
import { completed, confirming } from './stages.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types wherry";

test('every page has the strict policy and no header of the interface for programs', async (t) => {
  const { get } = await visiting(t);
  for (const path of ['/', '/bridge', '/orders', '/recover', '/status', '/help', '/docs', '/nothing']) {
    const { headers } = await get(path);
    assert.equal(headers['content-security-policy'], POLICY, path);
    assert.equal(headers['referrer-policy'], 'same-origin');
    for (const name of ['cross-origin-opener-policy', 'cross-origin-resource-policy'])
      assert.equal(headers[name], 'same-origin', path);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.match(String(headers['permissions-policy']), /\bcamera=\(\)/);
    assert.equal(headers['access-control-allow-origin'], undefined, path);
    assert.equal(headers['strict-transport-security'], undefined);
  }
  assert.equal((await get('/v2/swaps/assets')).headers['access-control-allow-origin'], '*');
  assert.match(String((await get('/v1/nothing')).headers['content-type']), /^application\/json/);
});

test('files are named by their content, packed ahead and kept for ever; a page with a key is never packed', async (t) => {
  const { get, buy, files } = await visiting(t);
  const page = (await get('/')).body;
  for (const [name, { name: hashed, gzip, brotli }] of Object.entries(files)) {
    assert.match(hashed, /[-.][\w-]{8,}\.(?:js|css)$/, name);
    for (const [accepts, packed] of [
      ['br, gzip', brotli],
      ['gzip', gzip],
    ] as const) {
      const reply = await get(`/assets/${hashed}`, { 'accept-encoding': accepts });
      assert.equal(reply.headers['content-encoding'], accepts.split(',')[0]);
      assert.match(String(reply.headers['cache-control']), /immutable/);
      assert.equal(reply.rawPayload.length, packed.length);
    }
  }
  assert.ok(page.includes(`/assets/${files['style.css']?.name}`));
  const { path, cookie } = await buy();
  const own = await get(path, { ...cookie, 'accept-encoding': 'br, gzip' });
  assert.deepEqual([own.headers['content-encoding'], own.headers['cache-control']], [undefined, 'no-store']);
});

test('a form that is too large is refused as a page that names the request, and so is every other failure', async (t) => {
  const { send } = await visiting(t);
  const large = await send('/', { ...BUY, address: 'x'.repeat(17 * 1024) });
  assert.equal(large.statusCode, 413);
  assert.match(String(large.headers['content-type']), /^text\/html/);
  assert.match(large.body, /This is more text than the form takes\./);
  assert.match(large.body, new RegExp(`Request ${large.headers['x-request-id']}`));
  const broken = await visiting(t, {}, { quotes: { quote: fails, price: nothing, activation: nothing } });
  const failed = await broken.send('/', BUY);
  assert.equal(failed.statusCode, 500);
  assert.match(failed.body, /The fault is ours\..*Request /);
  assert.ok(!failed.body.includes('a secret of the disk'));
});

const nothing = async () => undefined;
const fails = async () => Promise.reject(new Error('a secret of the disk'));

test('a payment link for the rest of a coin has the exact rest in it, in the words of its chain', () => {
  assert.equal(withAmount('monero:4abc?tx_amount=1.5', 20_000_000_000n, 12), 'monero:4abc?tx_amount=0.02');
  assert.equal(withAmount('bitcoin:bc1q?amount=1&label=x', 1n, 8), 'bitcoin:bc1q?amount=0.00000001&label=x');
  assert.equal(withAmount('ethereum:0xab@1?value=5', 10n ** 30n, 18), `ethereum:0xab@1?value=1${'0'.repeat(30)}`);
});

test('a form from another site is not accepted', async (t) => {
  const { send } = await visiting(t);
  for (const headers of [
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    assert.equal((await send('/', BUY, headers as Record<string, string>)).statusCode, 403);
  }
  assert.equal((await send('/', BUY, { host: 'desk.example', origin: 'https://desk.example' })).statusCode, 303);
});

test('an open page of an order is told every change, by a socket of our own pages with the cookie of that order', async (t) => {
  const { buy, desk, listen } = await visiting(t);
  const url = await listen();
  const { path, id, cookie } = await buy();
  const at = `${url.replace('http', 'ws')}${path}/live`;
  for (const headers of [{ origin: url }, { ...cookie, origin: 'https://elsewhere.example' }, cookie]) {
    const refused = new WebSocket(at, { headers });
    const [, response] = await once(refused, 'unexpected-response');
    assert.equal(response.statusCode, 404);
  }
  const socket = new WebSocket(at, { headers: { ...cookie, origin: url } });
  const frames = on(socket, 'message')[Symbol.asyncIterator]();
  const next = async () => String((await frames.next()).value[0]);
  assert.match(await next(), /^<div id="state" data-title="Send your payment/);
  desk.change(id, confirming);
  assert.match(await next(), /data-title="Your payment is being confirmed/);
  desk.change(id, completed);
  assert.match(await next(), /data-over="1"/);
  socket.close();
  await once(socket, 'close');
  for (let n = 0; n < 100 && desk.watchers() > 0; n += 1) await new Promise((resume) => setImmediate(resume));
  assert.equal(desk.watchers(), 0);
});

test('a visitor has the limits of every caller, and the page says when to come back', async (t) => {
  const { send, call, get } = await visiting(t, {}, { quota: memoryQuota() });
  for (let n = 0; n < 5; n += 1) assert.equal((await send('/', { ...BUY, key: `${n}` })).statusCode, 303);
  const refused = await send('/', { ...BUY, key: 'six' });
  assert.equal(refused.statusCode, 422);
  assert.match(refused.body, /Too many requests from your connection\. Try again in \d+ seconds\./);
  assert.ok(refused.body.includes(MONERO_ADDRESS));
  const other = await call({
    method: 'POST',
    url: '/',
    payload: `${new URLSearchParams(BUY)}`,
    headers: FORM,
    remoteAddress: '198.51.100.2',
  });
  assert.equal(other.statusCode, 303);
  assert.equal((await get('/v2/swaps/assets')).statusCode, 200);
});

test('a page that is asked for too often says so in its headline, and when to come back', async (t) => {
  const { buy, get } = await visiting(t, {}, { quota: memoryQuota() });
  const { path, cookie } = await buy();
  const headlineIn = (body: string) => /<h1>([^<]*)</.exec(body)?.[1];
  let page = await get(path, cookie);
  for (let n = 0; n < 60 && page.statusCode === 200; n += 1) page = await get(path, cookie);
  assert.deepEqual([page.statusCode, headlineIn(page.body)], [429, 'Too many requests']);
  assert.match(page.body, new RegExp(`Try again in ${page.headers['retry-after']} seconds`));
  assert.equal(headlineIn((await get(path, { ...cookie, 'accept-language': 'de' })).body), 'Zu viele Anfragen');
});

test('pages live below the path of their public address, and links lead there', async (t) => {
  const { get, send } = await visiting(t, { publicUrl: 'https://example.org/desk' });
  const page = await get('/desk');
  assert.equal(page.statusCode, 200);
  for (const [, to = ''] of page.body.matchAll(/(?:href|action|src)="(\/[^"]*)"/g))
    assert.match(to, /^\/desk(?:\/|$)/, to);
  // The interface for programs stays where it is.
  assert.match((await get('/desk/docs')).body, /href="\/v2\/openapi\.json".*href="\/partner\/openapi\.json"/);
  // The form of the first page is sent to the address that it names.
  assert.match(page.body, /<form method="post" action="\/desk\/" class="card swap"/);
  assert.equal((await get('/desk/')).statusCode, 200);
  assert.equal((await send('/desk/', BUY)).statusCode, 303);
  const reply = await send('/desk', BUY);
  assert.match(String(reply.headers.location), /^\/desk\/order\/sw_/);
  assert.match(String(reply.headers['set-cookie']), /Path=\/desk\/order\/.*; Secure$/);
  assert.equal(page.headers['strict-transport-security'], 'max-age=31536000');
});

test('clearnet pages tell the onion address; onion pages lead nowhere else', async (t) => {
  const address = `${'a'.repeat(56)}.onion`;
  const api = { host: '127.0.0.1', port: 1, onion: { host: '127.0.0.1', port: 2, address } };
  const elsewhere = 'https://example.org';
  const settings = {
    publicUrl: elsewhere,
    contact: `${elsewhere}/contact`,
    banner: { text: 'Read this', link: `${elsewhere}/news`, level: 'info' },
    explorers: { '0': `${elsewhere}/tx/{tx}`, '42161': `${elsewhere}/tx/{tx}` },
  } as const;
  const { get, buy, desk } = await visiting(t, settings, {}, api);
  const { path, id, cookie } = await buy();
  desk.change(id, completed);
  const clearnet = await get(path, cookie);
  assert.equal(clearnet.headers['onion-location'], `http://${address}${path}`);
  assert.ok(clearnet.body.includes(`${elsewhere}/tx/`) && clearnet.body.includes(`${elsewhere}/news`));
  const track = /href="([^"]*\/track\/[^"]*)"/.exec(clearnet.body)?.[1] ?? '';
  const own = [path, `${path}/receipt`, `${path}/recovery`, `${path}/state`];
  const tracked = new URL(track, elsewhere).pathname;
  const paths = [...PATHS, ...GUIDES.map(({ name }) => `/docs/guide/${name}`), ...own, tracked, `${tracked}.atom`];
  for (const one of [...paths, '/partners']) {
    const { body, headers } = await get(one, { ...cookie, host: address });
    assert.equal(headers['onion-location'], undefined, one);
    assert.equal(headers['strict-transport-security'], undefined, one);
    const links = [...body.matchAll(/(?:href|src|action|content)="([^"]*)"/g)].map(([, to = '']) => to);
    const away = links.filter((to) => /^(?:https?:)?\/\//.test(to) && new URL(to, 'http://x').host !== address);
    assert.deepEqual(away, [], one);
    assert.ok(!body.includes(elsewhere), `${one} names the clearnet address`);
  }
});

test('the contract is there as plain pages, one for each call', async (t) => {
  const { get } = await visiting(t);
  const overview = await get('/docs');
  assert.equal((await get('/v2/docs')).statusCode, 200);
  const calls = [...overview.body.matchAll(/href="(\/docs\/\w+)"/g)].map(([, path = '']) => path);
  assert.equal(calls.length, 16);
  for (const path of calls) {
    const page = await get(path);
    assert.equal(page.statusCode, 200, path);
    assert.ok(page.body.length < 30_000, `${path} has ${page.body.length} bytes`);
  }
});

test('the page about the state of the desk shows what an operator stopped, and since when, but not the words about it', async (t) => {
  const { get } = await visiting(t, {}, {}, undefined, ['chain:42161', 'venue', 'provider:relay']);
  const { body } = await get('/status');
  assert.match(
    body,
    /USDC <small>Arbitrum<\/small><\/th><td><span class="off">off<small>switched off by the desk; seen so since 00:00/,
  );
  assert.match(body, /<th scope="row">XMR <small>Monero<\/small><\/th><td><span class="on">/);
  for (const part of ['Trading venue', 'Provider: relay', 'Network: Arbitrum']) assert.ok(body.includes(part), part);
  assert.ok(!body.includes('a word between operators'));
  const all = (await (await visiting(t, {}, {}, undefined, ['orders'])).get('/status')).body;
  assert.ok(!/<tbody>.*<span class="on">.*<\/tbody><\/table><\/section><section/.test(all), 'no coin is on');
});

test('a refund address may be named for every coin; one of another chain is refused beside its own field', async (t) => {
  const { send, get, buy } = await visiting(t);
  assert.match((await get('/')).body, /<details class="fold"><summary>Refund address \(optional\)/);
  const { path, cookie } = await buy({ refund: EVM_ADDRESS });
  assert.ok((await get(path, cookie)).body.includes(EVM_ADDRESS.slice(2, 4)));
  const wrong = await send('/', { ...BUY, key: 'other', refund: MONERO_ADDRESS });
  assert.equal(wrong.statusCode, 422);
  assert.match(wrong.body, /<details class="fold" open>.*id="refund-error">This looks like an address on Monero/);
  const bill = { to: '0:XMR', amount: '0.5', address: MONERO_ADDRESS, from: BUY.from, do: 'create', key: 'b' };
  const refused = await send('/pay', { ...bill, refund: MONERO_ADDRESS });
  assert.match(refused.body, /id="refund-error">This looks like an address on Monero/);
});

test('language and colours are chosen by the browser, by the address, and for good', async (t) => {
  const { get, send } = await visiting(t);
  assert.match((await get('/', { 'accept-language': 'fr, de;q=0.7, en;q=0.3' })).body, /<html lang="de" dir="ltr"/);
  assert.match((await get('/?lang=ar')).body, /<html lang="ar" dir="rtl"/);
  const chosen = await send('/choices', { lang: 'zh', theme: 'dark', back: '/help' });
  assert.equal(chosen.headers.location, '/help');
  const cookies = [chosen.headers['set-cookie']].flat().map((one) => String(one).split(';')[0]);
  assert.match(
    (await get('/help', { cookie: cookies.join('; ') })).body,
    /<html lang="zh" dir="ltr" data-theme="dark"/,
  );
  assert.equal((await send('/choices', { lang: 'en', back: '//elsewhere.example' })).headers.location, '/');
});

test('every language says everything in its own words', () => {
  const same = (a: unknown, b: unknown): number => {
    if (typeof a === 'string') return a === b ? 1 : 0;
    if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return 0;
    return Object.entries(a).reduce((sum, [key, value]) => sum + same(value, (b as Record<string, unknown>)[key]), 0);
  };
  for (const language of LANGUAGES.filter((one) => one !== 'en')) {
    // Names of things, such as Webhooks, are the same in many languages.
    assert.ok(
      same(WORDS[language], WORDS.en) < 12,
      `${language}: ${same(WORDS[language], WORDS.en)} texts are English`,
    );
  }
});

test('names from outside are cut and cannot turn the text round', () => {
  assert.equal(plainName('US\u202eDC\u200b\u0000'), 'USDC');
  assert.equal(plainName('x'.repeat(60)), `${'x'.repeat(24)}…`);
});
