import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../../src/partners/integration.ts';
import { EVM_ADDRESS } from './assets.ts';
import { type Bench, BUY_ORDER, bench, NO_LIMITS, OTHER_KEY, PUBLIC_KEY, SERVER_KEY } from './bench.ts';
import { matchesGolden } from './golden.ts';
import { expired } from './stages.ts';

const NONE = {
  requestLimitPerMin: 0,
  createLimitPerMin: 0,
  quoteLimitPerMin: 0,
  keyRequestLimitPerMin: 0,
  maxOpenOrders: 0,
  openOrderWindowMinutes: 60,
};
const key = (value: string) => ({ 'x-integrator-key': value });

/** How many of these pass before the first 429. */
async function passing(most: number, ask: () => Promise<{ statusCode: number }>): Promise<number> {
  for (let passed = 0; passed < most; passed += 1) {
    if ((await ask()).statusCode === 429) return passed;
  }
  return most;
}

const from =
  ({ call }: Bench, remoteAddress: string, headers: Record<string, string> = {}) =>
  () =>
    call({ method: 'GET', url: '/v2/swaps/assets', remoteAddress, headers });

test('without a key: 5 creations, 60 quotes and 50 other requests a minute', async () => {
  const made = await bench();
  const { post, get, wait } = made;
  for (const [create, quote, read] of [
    ['/v1/order', '/v1/quote', '/v1/chains'],
    ['/v2/swaps', '/v2/swaps/quote', '/v2/swaps/assets'],
  ] as const) {
    assert.equal(await passing(9, () => post(create, BUY_ORDER)), 5);
    assert.equal(await passing(99, () => post(quote, BUY_ORDER)), 60);
    assert.equal(await passing(99, () => get(read)), 50);
  }
  wait(1_001);
  matchesGolden('v1-rate-limited', await post('/v1/order', BUY_ORDER));
  matchesGolden('v2-rate-limited', await post('/v2/swaps', BUY_ORDER));
  wait(58_998);
  assert.equal((await post('/v2/swaps', BUY_ORDER)).statusCode, 429);
  wait(1);
  assert.equal((await post('/v2/swaps', BUY_ORDER)).statusCode, 201);
});

test('9.22: every answer to a counted request tells what is left of the tightest limit', async () => {
  const { post, get, wait, partner } = await bench();
  const told = ({ headers }: { headers: Record<string, unknown> }) =>
    ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);
  assert.deepEqual(told(await get('/v2/swaps/assets')), ['50', '49', '60']);
  wait(10_500);
  assert.deepEqual(told(await get('/v2/swaps/assets')), ['50', '48', '50']);
  assert.deepEqual(told(await post('/v2/swaps', BUY_ORDER)), ['5', '4', '60']);
  assert.deepEqual(told(await post('/v2/swaps', {})), ['5', '3', '60']);
  assert.deepEqual(told(await get('/v1/chains')), ['50', '49', '60']);
  wait(49_500);
  assert.deepEqual(told(await get('/v2/swaps/assets')), ['50', '48', '11']);

  partner({ limits: { ...NONE, requestLimitPerMin: 9, keyRequestLimitPerMin: 4 } });
  assert.deepEqual(told(await get('/v2/swaps/assets', key(SERVER_KEY))), ['4', '3', '60']);
  partner({ limits: NONE });
  assert.deepEqual(told(await get('/v2/swaps/assets', key(SERVER_KEY))), [undefined, undefined, undefined]);
  for (const path of ['/healthz', '/v2/openapi.json', '/rates.xml'])
    assert.deepEqual(told(await get(path)), [undefined, undefined, undefined], path);
});

test('malformed creations count, refused ones do not', async () => {
  const { post, wait } = await bench();
  assert.equal(await passing(9, () => post('/v2/swaps', {})), 5);
  assert.equal(await passing(9, () => post('/v2/swaps', {})), 0);
  wait(60_000);
  assert.equal(await passing(9, () => post('/v2/swaps', {})), 5);
});

test('a network is one client: an IPv4 address in either spelling, an IPv6 /64', async () => {
  const made = await bench();
  assert.equal(await passing(60, from(made, '198.51.100.1')), 50);
  assert.equal(await passing(60, from(made, '::ffff:198.51.100.1')), 0);
  assert.equal(await passing(60, from(made, '198.51.100.2')), 50);
  assert.equal(await passing(60, from(made, '2001:db8:0:1::1')), 50);
  assert.equal(await passing(60, from(made, '2001:db8::1:ffff:0:0:2')), 0);
  assert.equal(await passing(60, from(made, '2001:db8:0:2::1')), 50);
});

test('bad keys are counted by network, and public keys share its allowance', async () => {
  const made = await bench();
  assert.equal(await passing(30, from(made, '198.51.100.1', key('wh_s_bad'))), 30);
  assert.equal(await passing(60, from(made, '198.51.100.1', key(PUBLIC_KEY))), 20);
});

test('v1 counts per key where there is one, by its published numbers unless others were granted', async () => {
  const { post, partner } = await bench();
  partner({ limits: DEFAULT_LIMITS });
  assert.equal(await passing(9, () => post('/v1/order', BUY_ORDER, key(SERVER_KEY))), 5);
  assert.equal(await passing(9, () => post('/v1/order', BUY_ORDER, key(OTHER_KEY))), 5);
  assert.equal(await passing(9, () => post('/v1/order', BUY_ORDER)), 5);
  const granted = await bench();
  granted.partner({ limits: { ...DEFAULT_LIMITS, createLimitPerMin: 8 } });
  assert.equal(await passing(9, () => granted.post('/v1/order', BUY_ORDER, key(SERVER_KEY))), 8);
});

test('every limit of the company must allow a request; zero disables just that one', async () => {
  const cases = [
    ['requestLimitPerMin', 'requests', '/v2/swaps/assets'],
    ['keyRequestLimitPerMin', 'key_requests', '/v2/swaps/assets'],
    ['quoteLimitPerMin', 'quotes', '/v2/swaps/quote'],
    ['createLimitPerMin', 'creates', '/v2/swaps'],
  ] as const;
  for (const [limit, resource, url] of cases) {
    const { partner, get, post } = await bench();
    partner({ limits: { ...NONE, [limit]: 7 } });
    const ask = () => (url.endsWith('assets') ? get(url, key(SERVER_KEY)) : post(url, BUY_ORDER, key(SERVER_KEY)));
    assert.equal(await passing(20, ask), 7, limit);
    const refused = await ask();
    assert.equal(refused.headers['x-ratelimit-resource'], resource);
    assert.deepEqual(refused.json().details, { resource, retryAfter: 60 });
  }
  const { partner, get } = await bench();
  partner({ limits: DEFAULT_LIMITS });
  assert.equal(await passing(400, () => get('/v2/swaps/assets', key(SERVER_KEY))), 300);
});

test('open orders are counted until they end or grow old', async () => {
  const { post, desk, wait, partner } = await bench({ quota: NO_LIMITS });
  const create = () => post('/v2/swaps', BUY_ORDER);
  const first = (await create()).json().orderId;
  assert.equal(await passing(30, create), 19);
  matchesGolden('v2-open-orders', await create());
  desk.change(first, expired);
  assert.equal(await passing(30, create), 1);
  wait(24 * 60 * 60 * 1000);
  assert.equal(await passing(30, create), 20);

  wait(24 * 60 * 60 * 1000);
  partner({ limits: { ...NONE } });
  assert.equal(await passing(25, () => post('/v2/swaps', BUY_ORDER, key(SERVER_KEY))), 25);
  assert.equal(await passing(30, create), 20, 'what a server at the same address has open is its own');

  wait(24 * 60 * 60 * 1000);
  partner({ limits: { ...NONE, maxOpenOrders: 3 } });
  const company = () => post('/v2/swaps', BUY_ORDER, key(SERVER_KEY));
  assert.equal(await passing(9, company), 3);
  assert.equal((await company()).headers['x-ratelimit-resource'], 'open_orders');
  wait(60 * 60 * 1000);
  assert.equal(await passing(9, company), 3);
});

test('of creations at the same moment as many are made as may be open, for a network, a company and an end user', async () => {
  const many = async (ask: () => Promise<{ statusCode: number; headers: Record<string, unknown> }>) => {
    const answers = await Promise.all(Array.from({ length: 40 }, ask));
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    const resources = new Set(refused.map(({ headers }) => headers['x-ratelimit-resource']));
    return [answers.filter(({ statusCode }) => statusCode === 201).length, refused.length, ...resources];
  };
  const { call, post, partner } = await bench({ quota: NO_LIMITS });
  assert.deepEqual(await many(() => post('/v2/swaps', BUY_ORDER)), [20, 20, 'open_orders']);

  partner({ limits: { ...NONE, maxOpenOrders: 3 } });
  assert.deepEqual(await many(() => post('/v2/swaps', BUY_ORDER, key(SERVER_KEY))), [3, 37, 'open_orders']);
  assert.deepEqual(await many(() => post('/v1/order', BUY_ORDER, key(SERVER_KEY))), [0, 40, 'open_orders']);

  const limits = { requestLimitPerMin: 0, createLimitPerMin: 0, maxOpenOrders: 2 };
  const forwarding = { enabled: true, approvedServerIps: ['127.0.0.1'], limits };
  partner({ limits: { ...NONE, maxOpenOrders: 6 }, forwarding });
  const speak = (ip: string) => () =>
    call({
      method: 'POST',
      url: '/v2/swaps',
      payload: BUY_ORDER,
      headers: { ...key(SERVER_KEY), 'x-end-user-ip': ip },
    });
  assert.deepEqual(await many(speak('8.8.8.8')), [2, 38, 'client_open_orders']);
  assert.deepEqual(await many(speak('8.8.4.4')), [1, 39, 'open_orders'], 'within what the company has left');
});

test('a partner’s approved server speaks for its end users', async () => {
  const made = await bench();
  const limits = { requestLimitPerMin: 4, createLimitPerMin: 2, maxOpenOrders: 2 };
  const server = '203.0.113.9';
  made.partner({ forwarding: { enabled: true, approvedServerIps: [`::ffff:${server}`], limits } });
  const speak = (ip: string, value = SERVER_KEY, at = server) => from(made, at, { ...key(value), 'x-end-user-ip': ip });

  assert.equal(await passing(9, speak('8.8.8.8')), 4);
  assert.equal(await passing(9, speak('::ffff:8.8.8.8')), 0);
  assert.equal((await speak('8.8.8.8')()).headers['x-ratelimit-resource'], 'client_requests');
  assert.equal(await passing(9, speak('8.8.4.4')), 4);
  assert.equal(await passing(9, from(made, server, key(SERVER_KEY))), 4);

  for (const ip of [
    '',
    'x',
    '8.8.8.8:80',
    '8.8.8.8,1.1.1.1',
    '8.8.8.0/24',
    'fe80::1%eth0',
    '10.0.0.1',
    '::1',
    '127.0.0.1',
    '0.0.0.0',
    '224.0.0.1',
    'ff02::1',
    '::ffff:192.168.0.1',
  ]) {
    assert.equal((await speak(ip)()).json().code, 'invalid_end_user_ip', ip);
  }
  const strangers = [
    speak('8.8.8.8', SERVER_KEY, '203.0.113.10'),
    speak('8.8.8.8', PUBLIC_KEY),
    from(made, server, { 'x-end-user-ip': '8.8.8.8' }),
  ];
  for (const ask of strangers) assert.equal((await ask()).json().code, 'end_user_ip_not_allowed');
});

test('end users have creations and open orders of their own', async () => {
  const { call, partner, wait } = await bench();
  const limits = { requestLimitPerMin: 0, createLimitPerMin: 2, maxOpenOrders: 3 };
  partner({ forwarding: { enabled: true, approvedServerIps: ['127.0.0.1'], limits } });
  const headers = { ...key(SERVER_KEY), 'x-end-user-ip': '8.8.8.8' };
  const create = () => call({ method: 'POST', url: '/v2/swaps', payload: BUY_ORDER, headers });
  assert.equal(await passing(9, create), 2);
  assert.equal((await create()).headers['x-ratelimit-resource'], 'client_creates');
  wait(60_000);
  assert.equal(await passing(9, create), 1);
  assert.equal((await create()).headers['x-ratelimit-resource'], 'client_creates');
  wait(60_000);
  assert.equal((await create()).headers['x-ratelimit-resource'], 'client_open_orders');
});

test('where the limits cannot be kept nothing is created, and reading goes on', async () => {
  const quota = { ...NO_LIMITS, take: async () => Promise.reject(new Error('the store is down')) };
  const { post, get, logged } = await bench({ quota });
  const refused = await post('/v2/swaps', BUY_ORDER);
  assert.deepEqual([refused.statusCode, refused.json().code], [503, 'unavailable']);
  assert.equal((await post('/v1/order', BUY_ORDER)).statusCode, 503);
  assert.equal(
    (await post('/v2/bridges', { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS })).statusCode,
    503,
  );
  for (const path of ['/v2/swaps/assets', '/v1/chains']) assert.equal((await get(path)).statusCode, 200, path);
  assert.equal((await post('/v2/swaps/quote', BUY_ORDER)).statusCode, 200);
  assert.ok(
    logged.some((line) => line.includes('limits cannot be kept')),
    'and somebody is told',
  );
});
