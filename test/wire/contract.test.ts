import assert from 'node:assert/strict';
import { test } from 'node:test';
import { V2_CODES } from '../../src/api/refusals.ts';
import { ENDPOINTS } from '../../src/api/routes.ts';
import { bench } from './bench.ts';

test('the contract shows every v2 endpoint and nothing else', async () => {
  const { get } = await bench();
  const contract = (await get('/v2/openapi.json')).json();
  assert.equal(contract.openapi, '3.1.0');
  const shown = Object.entries<Record<string, unknown>>(contract.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = ENDPOINTS.filter(({ path }) => path.startsWith('/v2/')).map(
    ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  assert.deepEqual(shown.sort(), [...served, 'GET /v2/swaps/{id}/events'].sort());
  assert.deepEqual(contract.components.schemas.Error.properties.code.enum, V2_CODES);
});

test('every reference of the contract leads somewhere', async () => {
  const { get } = await bench();
  const { body } = await get('/v2/openapi.json');
  const { schemas } = JSON.parse(body).components;
  const names = [...body.matchAll(/"\$ref":"([^"]+)"/g)].map(([, name]) => name ?? '');
  assert.ok(names.length > 10);
  for (const name of names) assert.ok(name.replace('#/components/schemas/', '') in schemas, name);
});

test('the readable page needs nothing from elsewhere', async () => {
  const { get } = await bench();
  const moved = await get('/v2/docs');
  assert.equal(moved.headers.location, '/v2/docs/');
  const page = await get('/v2/docs/');
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(String(page.headers['content-security-policy']), /^default-src 'self';/);
  const sources = [...page.body.matchAll(/src="([^"]+)"/g)].map(([, source]) => source);
  assert.deepEqual(sources, ['js/scalar.js']);
  assert.equal((await get('/v2/docs/js/scalar.js')).statusCode, 200);
  assert.equal((await get('/v2/docs', { host: '[' })).statusCode, 400);
});
