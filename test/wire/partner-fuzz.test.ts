import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PARTNER_ENDPOINTS } from '../../src/api/partner/routes.ts';
import { ENDPOINTS } from '../../src/api/routes.ts';
import { BUY_ORDER } from './bench.ts';
import { FEE_ADDRESS, partnerBench } from './partner-bench.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '0', '\u0000', '__proto__', 'a'.repeat(99)),
);
const value = fc.oneof(text, fc.jsonValue(), fc.constantFrom(null, true, [], {}, 5.1, -1));
const FIELDS = {
  ...{ name: 'x', feePercent: 1, feeAddress: FEE_ADDRESS, feeAddressSol: null, feeAddressBtc: null, role: 'viewer' },
  ...{
    kind: 'server',
    url: 'https://shop.example',
    events: ['order.created'],
    status: 'active',
    message: 'm',
    signature: 's',
  },
};
const body = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record(
        Object.fromEntries(Object.entries(FIELDS).map(([name, good]) => [name, fc.oneof(fc.constant(good), value)])),
        { requiredKeys: [] },
      )
      .map((fields) => JSON.stringify(fields)),
  },
  { weight: 1, arbitrary: fc.oneof(fc.json(), text) },
);
const QUERY = ['status', 'feeStatus', 'from', 'to', 'cursor', 'limit', 'state'];
const query = fc.dictionary(
  fc.constantFrom(...QUERY),
  fc.oneof(text, fc.constantFrom('2030-01-01', '1', 'completed', 'failed')),
  { maxKeys: 3 },
);

test('whatever is sent to partners’ calls over a real database, the answer is an answer or a refusal in its shape', async () => {
  const bench = await partnerBench();
  const { account, cookie } = await bench.member();
  const { id, serverKey } = await bench.partner();
  await bench.room.book.setMember(
    id,
    { address: account.address, role: 'owner' },
    { actor: 'operator', at: bench.now() },
  );
  await bench.key(serverKey, 'POST', '/v2/swaps', BUY_ORDER);
  const { webhookId } = (
    await bench.key(serverKey, 'POST', '/v2/integrator/webhooks', { url: 'https://shop.example' })
  ).json();
  const good: Readonly<Record<string, string>> = {
    id,
    webhookId,
    address: account.address,
    deliveryId: '1',
    keyId: 'none',
  };
  const calls = [...PARTNER_ENDPOINTS, ...ENDPOINTS.filter(({ path }) => path.startsWith('/v2/integrator/'))]
    .map(({ method, path }) => ({ method, path }))
    .filter(({ path }) => path !== '/partner/sign-out');
  const request = fc.record({
    endpoint: fc.constantFrom(...calls),
    param: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: text }),
    isKeyed: fc.boolean(),
    query,
    body,
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ endpoint: { method, path }, param, isKeyed, ...sent }) => {
      const url = path.replaceAll(/:(\w+)/g, (_, name) =>
        encodeURIComponent(Buffer.from(param ?? good[name] ?? '').toString()),
      );
      const params = new URLSearchParams(sent.query).toString();
      const who = isKeyed && path.startsWith('/v2') ? { 'x-integrator-key': serverKey } : { cookie };
      const payload = method === 'GET' || method === 'DELETE' ? {} : { payload: sent.body };
      const headers = { ...who, ...('payload' in payload ? { 'content-type': 'application/json' } : {}) };
      const answer = await bench.call({ method, url: `${url}?${params}`, headers, ...payload });
      assert.ok(answer.statusCode < 500, `${method} ${url} ${answer.statusCode} ${answer.body}`);
      if (answer.statusCode < 400) return;
      const { details: _, ...reply } = answer.json();
      assert.deepEqual(Object.keys(reply).sort(), ['code', 'error']);
    }),
    { numRuns: 500 },
  );
  await bench.close();
});
