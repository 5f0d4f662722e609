import assert from 'node:assert/strict';
import { test } from 'node:test';
import { V2_CODES } from '../../src/api/refusals.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { BUY, BUY_ORDER, bench, NO_LIMITS, SERVER_KEY } from './bench.ts';
import { matchesGolden } from './golden.ts';

const open = () => bench({ quota: NO_LIMITS });

test('what is wrong with a swap has a name in v2 and a sentence in v1', async () => {
  const { post } = await open();
  const { fromAmount: _, ...noAmount } = BUY_ORDER;
  const wrongs: Record<string, object> = {
    invalid_request: { ...BUY_ORDER, fromChainId: '42161' },
    'missing-field': { ...BUY_ORDER, toAddress: undefined },
    invalid_amount: { ...BUY_ORDER, fromAmount: 300000000 },
    'zero-amount': { ...BUY_ORDER, fromAmount: '0' },
    exactly_one_amount: { ...BUY_ORDER, toAmount: '1' },
    'no-amount': noAmount,
    invalid_address: { ...BUY_ORDER, toAddress: 'x' },
    address_refused: { ...BUY_ORDER, toChainId: 8453, toToken: ZERO, toAddress: ZERO },
    unsupported_chain: { ...BUY_ORDER, toChainId: 2 },
    unsupported_token: { ...BUY_ORDER, fromToken: 'USDC' },
    unsupported_pair: { ...BUY_ORDER, fromChainId: 0, fromToken: 'XMR' },
    amount_below_minimum: { ...BUY_ORDER, fromAmount: '9999999' },
    amount_above_maximum: { ...BUY_ORDER, fromAmount: '100000000001' },
    fee_too_high: { ...BUY_ORDER, integratorFeePercent: 5.01, fee: 5.01 },
    unsupported_funding_provider: { ...BUY_ORDER, fundingProvider: 'card' },
  };
  for (const [name, body] of Object.entries(wrongs)) {
    const answer = await post('/v2/swaps', body);
    matchesGolden(`v2-create-${name}`, answer);
    if (V2_CODES.includes(name)) assert.equal(answer.json().code, name);
  }
  for (const name of ['invalid_request', 'invalid_amount', 'unsupported_token', 'fee_too_high', 'no-amount']) {
    matchesGolden(`v1-create-${name}`, await post('/v1/order', wrongs[name]));
  }
});

test('9.22: v2 names everything that is wrong at once, each with its field, code and sentence', async () => {
  const { post, get } = await open();
  const errorsOf = async (url: string, body: object, headers = {}) => {
    const answer = (await post(url, body, headers)).json();
    const errors: { field: string; code: string; message: string }[] = answer.details.errors;
    assert.deepEqual([answer.code, answer.error], [errors[0]?.code, errors[0]?.message]);
    return errors.map(({ field, code }) => `${field} ${code}`);
  };
  // What has the wrong shape.
  const shapeless = { ...BUY_ORDER, fromChainId: '1', toToken: '', fromAmount: '1e3', integratorFeePercent: 6 };
  assert.deepEqual((await errorsOf('/v2/swaps', { ...shapeless, toAddress: undefined })).toSorted(), [
    'fromAmount invalid_amount',
    'fromChainId invalid_request',
    'integratorFeePercent fee_too_high',
    'toAddress invalid_request',
    'toToken invalid_request',
  ]);
  // What has a shape, and means nothing.
  const senseless = { ...BUY_ORDER, fromToken: 'USDC', toAmount: '1', toAddress: 'x', refundAddress: 'y' };
  assert.deepEqual(await errorsOf('/v2/swaps', { ...senseless, fundingProvider: 'card', sessionId: 'z' }), [
    'fundingProvider unsupported_funding_provider',
    'fromToken unsupported_token',
    'fromAmount exactly_one_amount',
    'toAddress invalid_address',
    'refundAddress invalid_address',
    'sessionId invalid_request',
  ]);
  assert.deepEqual(await errorsOf('/v2/swaps/quote', { ...BUY_ORDER, toChainId: 2 }), ['toChainId unsupported_chain']);
  const bridge = { asset: 'xmr', direction: 'deposit', toAddress: 'x', refundAddress: 'y' };
  assert.deepEqual(await errorsOf('/v2/bridges', bridge), [
    'toAddress invalid_address',
    'refundAddress invalid_address',
  ]);
  assert.deepEqual(await errorsOf('/v2/swaps', BUY_ORDER, { 'idempotency-key': '1,2' }), [
    'Idempotency-Key invalid_request',
  ]);
  const { details } = (await get('/v2/swaps/assets/tokens?limit=x&offset=-1')).json();
  assert.deepEqual(details.errors.map(({ field }: { field: string }) => field).toSorted(), ['limit', 'offset']);
  // v1 says the first of them.
  assert.deepEqual(Object.keys((await post('/v1/order', shapeless)).json()), ['error']);
});

test('a quote needs no address, and checks one that is given', async () => {
  const { post } = await open();
  const quote = async (body: object) => (await post('/v2/swaps/quote', body)).json();
  assert.deepEqual(await quote(BUY), await quote(BUY_ORDER));
  assert.equal((await quote({ ...BUY, toAddress: 'x' })).code, 'invalid_address');
  assert.equal((await quote({ ...BUY, toAddress: ZERO, toChainId: 8453, toToken: ZERO })).code, 'address_refused');
  assert.equal((await post('/v2/swaps', BUY)).json().details.errors[0].field, 'toAddress');
});

test('a list of nonsense is answered with a bounded list of errors', async () => {
  const { post } = await open();
  const body = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`x${at}`, at]));
  assert.equal((await post('/v2/swaps', body)).json().details.errors.length, 5);
  const orderIds = Array.from({ length: 5_000 }, (_, at) => at);
  const answer = await post('/v1/orders/bulk', { orderIds }, { 'x-integrator-key': SERVER_KEY });
  assert.equal(answer.statusCode, 400);
});

const ZERO = '0x0000000000000000000000000000000000000000';

test('amounts are canonical digits and nothing else', async () => {
  const { post } = await open();
  for (const fromAmount of [
    '',
    '00',
    '01',
    '+1',
    '-1',
    '1.0',
    '1e3',
    '0x1f',
    ' 1',
    '1 ',
    '١',
    '9'.repeat(79),
    null,
    [],
    {},
  ]) {
    for (const [url, body] of [
      ['/v1/quote', { ...BUY, fromAmount }],
      ['/v2/swaps/quote', { ...BUY_ORDER, fromAmount }],
    ] as const) {
      assert.equal((await post(url, body)).statusCode, 400, `${url} ${JSON.stringify(fromAmount)}`);
    }
  }
});

test('unknown fields are ignored', async () => {
  const { post } = await open();
  assert.equal((await post('/v2/swaps/quote', { ...BUY_ORDER, extra: { deep: [1] }, fee: 'x' })).statusCode, 200);
});

test('keys are wanted in headers and must be good', async () => {
  const { get } = await open();
  matchesGolden('v2-key-in-query', await get(`/v2/swaps/assets?q=${SERVER_KEY}`));
  for (const name of ['key', 'api_key', 'apiKey', 'x-api-key', 'X-Integrator-Key', 'integrator-key']) {
    assert.equal((await get(`/v2/swaps/assets?${name}=1`)).json().code, 'key_in_query', name);
  }
  assert.equal((await get(`/v2/swaps/assets?${SERVER_KEY}`)).json().code, 'key_in_query', 'a name may be a key, too');
  matchesGolden('v2-invalid-key', await get('/v2/swaps/assets', { 'x-integrator-key': 'wh_s_k9_secret' }));
  matchesGolden('v1-invalid-key', await get('/v1/chains', { 'x-api-key': 'nonsense' }));
  assert.equal((await get('/v2/swaps/assets', { 'x-api-key': SERVER_KEY })).statusCode, 200);
});

test('unknown paths and methods answer in their generation’s shape', async () => {
  const { call, get } = await open();
  matchesGolden('v1-unknown-path', await get('/v1/nothing'));
  matchesGolden('v2-unknown-path', await get('/v2/nothing'));
  matchesGolden('unknown-path', await get('/nothing'));
  matchesGolden('v2-method', await call({ method: 'DELETE', url: '/v2/swaps/x?y=1' }));
  matchesGolden('v1-method', await call({ method: 'GET', url: '/v1/quote' }));
  matchesGolden('v2-long-id', await get(`/v2/swaps/${'a'.repeat(5000)}`));
  matchesGolden('v2-bad-path', await get('/v2/swaps/%ff'));
  matchesGolden('v2-events-plain', await get('/v2/swaps/x/events'));
});

test('browsers of other sites may ask', async () => {
  const { call } = await open();
  const asked = await call({ method: 'OPTIONS', url: '/v2/swaps', headers: { origin: 'https://example.org' } });
  assert.equal(asked.statusCode, 204);
  assert.equal(asked.headers['access-control-allow-methods'], 'POST');
  const listed = (name: string) => String(asked.headers[name]).split(', ');
  const may = listed('access-control-allow-headers');
  for (const name of ['X-Session-ID', 'Idempotency-Key', 'X-Integrator-Key', 'X-Integrator-Ref'])
    assert.ok(may.includes(name), `a page may send ${name}`);
  const seen = listed('access-control-expose-headers');
  for (const name of ['X-Request-Id', 'Idempotent-Replayed', 'X-Next-Cursor'])
    assert.ok(seen.includes(name), `a page may read ${name}`);
});

test('no body, however strange, is our failure', async () => {
  const { call, logged } = await open();
  const json = 'application/json';
  const bodies: [name: string, type: string | undefined, payload: string | Buffer, status: number][] = [
    ['empty', json, '', 400],
    ['no-type', undefined, '{}', 415],
    ['not-json', json, '{', 400],
    ['text', 'text/plain', '{}', 415],
    ['form', 'application/x-www-form-urlencoded', 'a=b', 415],
    ['bad-type', 'a b;;', '{}', 415],
    ['array', json, '[]', 400],
    ['null', json, 'null', 400],
    ['number', json, '1', 400],
    ['deep', json, `${'['.repeat(16_000)}${']'.repeat(16_000)}`, 400],
    ['deep-field', json, `{"a":${'['.repeat(16_000)}${']'.repeat(16_000)}}`, 400],
    ['large', json, JSON.stringify({ a: 'x'.repeat(40_000) }), 413],
    ['prototype', json, '{"__proto__":{"fromAmount":"1"}}', 400],
    ['constructor', json, '{"constructor":{"prototype":{}}}', 400],
    ['not-utf8', json, Buffer.from([0x7b, 0xff, 0x7d]), 400],
    ['nul', json, JSON.stringify({ ...BUY_ORDER, toAddress: '\u0000' }), 400],
    ['surrogate', json, JSON.stringify({ ...BUY_ORDER, fromToken: '\ud800' }), 400],
    ['huge-number', json, JSON.stringify(BUY_ORDER).replace('42161', '1e400'), 400],
    ['twice', json, JSON.stringify(BUY_ORDER).replace('{', '{"fromAmount":"x",'), 201],
  ];
  for (const [name, type, payload, status] of bodies) {
    const headers = type === undefined ? {} : { 'content-type': type };
    const answer = await call({ method: 'POST', url: '/v2/swaps', headers, payload });
    assert.equal(answer.statusCode, status, name);
    if (status >= 400) assert.deepEqual(Object.keys(answer.json()).slice(0, 2), ['error', 'code'], name);
    assert.equal(
      (await call({ method: 'POST', url: '/v1/orders/bulk', headers, payload })).statusCode < 500,
      true,
      name,
    );
  }
  assert.deepEqual(logged, []);
});

test('our own failure is a 500 that tells nothing, and a log line that does', async () => {
  const failing = (error: Error) => async () => {
    throw error;
  };
  const broken = await bench({
    quota: NO_LIMITS,
    quotes: {
      quote: failing(new Error('disk')),
      price: failing(new Error('disk')),
      activation: failing(new Error('disk')),
    },
  });
  matchesGolden('v1-failure', await broken.post('/v1/quote', BUY));
  matchesGolden('v2-failure', await broken.post('/v2/swaps/quote', BUY_ORDER));
  assert.equal(broken.logged.length, 2);
  assert.match(broken.logged[0] ?? '', /disk/);
  const down = new Fault('transient', 'venue', 'the venue is down');
  const away = await bench({
    quota: NO_LIMITS,
    quotes: { quote: failing(down), price: failing(down), activation: failing(down) },
  });
  matchesGolden('v1-unavailable', await away.post('/v1/quote', BUY));
  matchesGolden('v2-unavailable', await away.post('/v2/swaps/quote', BUY_ORDER));
});

test('without a deposit address there is no order', async () => {
  const { post, desk } = await open();
  desk.runDry();
  matchesGolden('v2-create-unavailable', await post('/v2/swaps', BUY_ORDER));
});

test('health and readiness', async () => {
  const { get } = await open();
  assert.deepEqual([(await get('/healthz')).statusCode, (await get('/readyz')).statusCode], [200, 200]);
  const reasons = ['Arbitrum One is not scanned', 'the round "scan Arbitrum One" keeps failing'];
  const notReady = await (await bench({ unready: async () => reasons })).get('/readyz');
  assert.deepEqual([notReady.statusCode, notReady.json()], [503, { status: 'unavailable', reasons }]);
  const lost = await bench({ unready: async () => Promise.reject(new Error('postgres://secret')) });
  assert.ok(!(await lost.get('/readyz')).body.includes('secret'));
});

test('who sends no body at all is told which field is wanted first', async () => {
  const { call } = await open();
  const nothing = async (path: string) => {
    const { statusCode, body } = await call({ method: 'POST', url: path });
    const { error, code } = JSON.parse(body);
    return [statusCode, code, error];
  };
  assert.deepEqual(await nothing('/v1/order/sw_unknown/refund'), [400, undefined, 'Refund address required']);
  assert.deepEqual(await nothing('/v2/swaps'), [400, 'invalid_request', 'fromChainId is required.']);
});
