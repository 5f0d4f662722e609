import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { ENDPOINTS } from '../../src/api/routes.ts';
import { EVM_ADDRESS, MONERO_ADDRESS } from './assets.ts';
import { BUY_ORDER, bench, NO_LIMITS, SELL_ORDER, SERVER_KEY } from './bench.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', 'XMR', '0', '-1', '1e3', '__proto__', 'constructor', EVM_ADDRESS, MONERO_ADDRESS),
);
const value = fc.oneof(text, fc.jsonValue(), fc.double(), fc.bigInt().map(String), fc.constantFrom(null, true, [], {}));

/** What is good in each body, with some of it spoilt; or anything at all. */
const FIELDS = {
  ...SELL_ORDER,
  ...BUY_ORDER,
  ...{ toAmount: '1', fee: 1, integratorFeePercent: 1, sessionId: '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11' },
  ...{
    twapConfig: { chunkSizeUsd: 250 },
    twap: { intervalMs: 'x' },
    fundingProvider: 'card',
    orderIds: ['x'],
    verifyAddress: MONERO_ADDRESS,
  },
  ...{ refundAddress: EVM_ADDRESS, payoutAddress: EVM_ADDRESS, asset: 'xmr', direction: 'deposit' },
};
const spoilt = fc.record(
  Object.fromEntries(Object.entries(FIELDS).map(([name, good]) => [name, fc.oneof(fc.constant(good), value)])),
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 3, arbitrary: spoilt.map((fields) => JSON.stringify(fields)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: text },
);

const printable = fc.string({ unit: fc.constantFrom(...'abz09-_.,:;/ \t"=') });
const headers = fc.record(
  {
    'content-type': fc.oneof({ weight: 5, arbitrary: fc.constant('application/json') }, printable),
    'x-session-id': printable,
    'x-integrator-key': fc.constantFrom(SERVER_KEY, '', 'wh_s_bad'),
    'x-end-user-ip': fc.oneof(printable, fc.ipV4(), fc.ipV6()),
    'idempotency-key': fc.oneof(printable, fc.uuid()),
  },
  { requiredKeys: [] },
);
const QUERY_NAMES = ['verify', 'limit', 'cursor', 'session', 'direction', 'chainId', 'q', 'offset', 'key'];
const query = fc.dictionary(fc.constantFrom(...QUERY_NAMES), text, { maxKeys: 3 });

const REPLY: Readonly<Record<string, readonly string[]>> = { v1: ['error'], v2: ['code', 'error'] };

test('whatever is sent to whichever endpoint, the answer is an answer or a refusal in its shape', async () => {
  const { call, post, logged } = await bench({ quota: NO_LIMITS });
  const known = (await post('/v2/swaps', BUY_ORDER)).json().orderId;
  const request = fc.record({
    endpoint: fc.constantFrom(...ENDPOINTS.filter(({ path }) => !path.startsWith('/v2/integrator/'))),
    id: fc.oneof(fc.constant(known), text),
    query,
    headers,
    body,
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ endpoint: { method, path }, id, ...sent }) => {
      const params = new URLSearchParams(sent.query).toString();
      const url = `${path.replace(/:\w+/, encodeURIComponent(id.toWellFormed()))}?${params}`;
      const payload = method === 'GET' ? {} : { payload: sent.body };
      const options: InjectOptions = { method, url, headers: sent.headers, ...payload };
      const answer = await call(options);
      assert.ok(answer.statusCode < 500 || answer.statusCode === 503, `${answer.statusCode} ${answer.body}`);
      if (answer.statusCode < 400) return;
      const { details: _, ...reply } = answer.json();
      assert.deepEqual(Object.keys(reply).sort(), REPLY[path.slice(1, 3)]);
      assert.ok(Object.values(reply).every((one) => typeof one === 'string' && one !== ''));
    }),
    { numRuns: 1_000 },
  );
  assert.deepEqual(logged, []);
});
