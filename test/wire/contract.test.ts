import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { validate } from '@scalar/openapi-validator';
import { contract, EXAMPLES_FILE, examples, TYPES_FILE, types } from '../../scripts/sdk.ts';
import { V2_CODES } from '../../src/api/refusals.ts';
import { ENDPOINTS } from '../../src/api/routes.ts';
import { EVENTS_PATHS } from '../../src/api/v2/events.ts';
import { EVM_ADDRESS, OTHER_EVM_ADDRESS } from './assets.ts';
import { BUY_ORDER, bench, NO_LIMITS, SELL_ORDER } from './bench.ts';
import { findings } from './contract-rules.ts';
import { matchesGolden } from './golden.ts';
import { arrived, payoutRefused, strayed } from './stages.ts';

const fileText = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the contract shows every v2 endpoint except reporting, and nothing else', async () => {
  const { get } = await bench();
  const served = (await get('/v2/openapi.json')).json();
  assert.equal(served.openapi, '3.1.0');
  const shown = Object.entries<Record<string, unknown>>(served.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const sockets = EVENTS_PATHS.map((path) => ({ method: 'GET', path }));
  const offered = [...ENDPOINTS, ...sockets].map(
    ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  const isPublic = (name: string) => name.includes(' /v2/') && !name.includes(' /v2/integrator/');
  assert.deepEqual(shown.sort(), offered.filter(isPublic).sort());
  assert.deepEqual(served.components.schemas.Error.properties.code.enum, V2_CODES);
});

test('the contract is valid OpenAPI and keeps our own rules', async () => {
  const served = { ...(await contract()) };
  const { valid, errors } = validate(served, { checkPathParameters: true });
  assert.deepEqual({ valid, errors }, { valid: true, errors: [] });
  assert.deepEqual(findings(served), []);
});

test('each rule of the contract finds what breaks it', async () => {
  const text = JSON.stringify(await contract());
  const broken: readonly [from: string | RegExp, to: string, says: RegExp][] = [
    ['"#/components/schemas/Fill"', '"#/components/schemas/Fills"', /Fills leads nowhere/],
    [/"operationId":"readSwap"/, '"operationId":"listFills"', /two operations/],
    [/"operationId":"readSwap",/, '', /has no operationId/],
    [/"in":"path","name":"id"/, '"in":"path","name":"order"', /other parameters/],
    [/"tokens":\{"\$ref":"#\/components\/examples\/tokens"\}/, '', /without an example/],
    [/"nextOffset":null/, '"nextOffset":"none"', /nextOffset must be integer/],
    [/"security":\[\{\}/, '"security":[{"password":[]}', /unknown proof/],
  ];
  for (const [from, to, says] of broken) {
    const changed = text.replace(from, to);
    assert.notEqual(changed, text, String(from));
    assert.match(findings(JSON.parse(changed)).join('\n'), says);
  }
});

test('what an order’s owner may do is answered with the order', async () => {
  const { call, post, desk } = await bench({ quota: NO_LIMITS });
  const placed = async (body: object) => {
    const { orderId, sessionId } = (await post('/v2/swaps', body)).json();
    return { orderId, url: `/v2/orders/${orderId}`, headers: { 'x-session-id': sessionId } };
  };
  const short = await placed(BUY_ORDER);
  desk.change(short.orderId, arrived(200_000_000n));
  const close = { method: 'POST', url: `${short.url}/deposit-wait/close`, headers: short.headers } as const;
  matchesGolden('v2-closed', await call(close));

  const astray = await placed(BUY_ORDER);
  desk.change(astray.orderId, strayed);
  const refund = { url: `${astray.url}/refund-address`, payload: { refundAddress: EVM_ADDRESS } };
  matchesGolden('v2-refund-saved', await call({ method: 'PUT', headers: astray.headers, ...refund }));

  const refused = await placed(SELL_ORDER);
  desk.change(refused.orderId, payoutRefused);
  const payout = { url: `${refused.url}/payout-address`, payload: { payoutAddress: OTHER_EVM_ADDRESS } };
  matchesGolden('v2-payout-saved', await call({ method: 'PUT', headers: refused.headers, ...payout }));
});

test('the examples are the kept answers, and the client is made from the contract', async () => {
  assert.equal(fileText(EXAMPLES_FILE), examples(), 'run npm run sdk');
  assert.equal(fileText(TYPES_FILE), types(await contract()), 'run npm run sdk');
});
