import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { trackingId } from '../../src/api/tracking.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { hashOfKey, newKey } from '../../src/partners/api-key.ts';
import { openKeyAuthentication } from '../../src/partners/key-authentication.ts';
import type { KeyRecord } from '../../src/partners/partner-records.ts';
import { BUY_ORDER, bench, NO_LIMITS, SERVER_KEY } from './bench.ts';

const OLD = new Secret<Uint8Array>(Buffer.alloc(32, 1));
const NEW = new Secret<Uint8Array>(Buffer.alloc(32, 7));
const KEY = { 'x-integrator-key': SERVER_KEY };

/** A desk whose orders were made under the old key, and the same desk after the key was replaced. */
async function rotated(oldHashKeys: readonly Secret<Uint8Array>[]) {
  const before = await bench({ quota: NO_LIMITS, hashKey: OLD });
  const after = await bench({ quota: NO_LIMITS, hashKey: NEW, oldHashKeys, desk: before.desk });
  return { before, after };
}

test('after the key was replaced, whoever has a session or a link from before still has it', async () => {
  for (const [oldKeys, status] of [
    [[OLD], 200],
    [[], 404],
  ] as const) {
    const { before, after } = await rotated(oldKeys);
    const { orderId, sessionId } = (await before.post('/v2/swaps', BUY_ORDER)).json();
    const mine = { 'x-session-id': sessionId };
    assert.equal((await after.get(`/v2/swaps/${orderId}`, mine)).statusCode, status);
    const { orders } = (await after.get('/v2/orders', mine)).json();
    assert.equal(orders.length, status === 200 ? 1 : 0);
    const link = trackingId(orderId as OrderId, { hashKey: OLD });
    assert.equal((await after.get(`/v2/track/${link}`)).statusCode, status);
    // What is made from now on is made under the new key.
    const fresh = (await after.post('/v2/swaps', BUY_ORDER)).json();
    const { trackingUrl } = (await after.get(`/v2/swaps/${fresh.orderId}`, { 'x-session-id': fresh.sessionId })).json();
    assert.ok(trackingUrl.endsWith(trackingId(fresh.orderId, { hashKey: NEW })), trackingUrl);
  }
});

test('an order that a partner asks for again under the same key is not made twice because ours was replaced', async () => {
  const headers = { ...KEY, 'idempotency-key': randomUUID() };
  const { before, after } = await rotated([OLD]);
  const first = (await before.post('/v2/swaps', BUY_ORDER, headers)).json();
  const again = (await after.post('/v2/swaps', BUY_ORDER, headers)).json();
  assert.deepEqual([again.orderId, again.sessionId], [first.orderId, first.sessionId]);
  // Without the old one it would be another order.
  const { after: forgetful } = await rotated([]);
  assert.notEqual((await forgetful.post('/v2/swaps', BUY_ORDER, headers)).json().orderId, first.orderId);
});

test('an API key from before holds while the old one does', async () => {
  const key = newKey('server', (length) => new Uint8Array(length).fill(5));
  const record = {
    ...key,
    hash: hashOfKey(OLD, key.text),
    revoked: false,
    integration: { status: 'active', pending: {} },
  };
  const book = {
    ...{ touchKey: async () => {}, find: async () => undefined },
    findKey: async () => record as unknown as KeyRecord,
  };
  const clock = { now: () => 0 as never };
  const caller = (keys: readonly Secret<Uint8Array>[]) => openKeyAuthentication(book, keys, clock).caller(key.text);
  assert.equal(((await caller([NEW, OLD])) as { keyId: string }).keyId, key.keyId);
  assert.equal(((await caller([NEW])) as { refusal: string }).refusal, 'invalid_key');
});
