import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REFUSAL_KINDS, speak, V2_CODES } from '../../src/api/refusals.ts';
import { refuse } from '../../src/kernel/refusal.ts';
import { BUY_ORDER, bench, NO_LIMITS, PUBLIC_KEY, SELL_ORDER, SERVER_KEY } from './bench.ts';
import { matchesGolden } from './golden.ts';
import { arrived } from './stages.ts';

/** The registry of D30, and what was added to it. */
const STATUS_OF: Readonly<Record<string, number>> = {
  invalid_request: 400,
  invalid_amount: 400,
  exactly_one_amount: 400,
  invalid_address: 400,
  address_refused: 400,
  unsupported_chain: 400,
  unsupported_token: 400,
  unsupported_pair: 400,
  amount_below_minimum: 400,
  amount_above_maximum: 400,
  fee_too_high: 400,
  invalid_cursor: 400,
  invalid_end_user_ip: 400,
  unsupported_funding_provider: 400,
  key_in_query: 401,
  invalid_key: 401,
  not_signed_in: 401,
  sign_in_refused: 401,
  forbidden: 403,
  end_user_ip_not_allowed: 403,
  server_key_required: 403,
  not_found: 404,
  deposit_wait_not_open: 409,
  action_not_available: 409,
  address_already_set: 409,
  last_owner: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  unavailable: 503,
  method_not_allowed: 405,
  upgrade_required: 426,
  internal_error: 500,
};

test('the codes of v2 are those of the registry, each with its status', () => {
  assert.deepEqual([...V2_CODES].sort(), Object.keys(STATUS_OF).sort());
  for (const kind of REFUSAL_KINDS) {
    const { status, body } = speak(refuse(kind, 'A sentence.'), 'v2');
    assert.equal(status, STATUS_OF[String(body.code)], kind);
    assert.match(String(body.error), /\S/);
  }
});

test('v1 says no in one shape, with the statuses of its table', () => {
  for (const kind of REFUSAL_KINDS) {
    const { status, body } = speak(refuse(kind, 'A sentence.'), 'v1');
    assert.deepEqual(Object.keys(body), ['error'], kind);
    assert.ok([400, 401, 403, 404, 405, 413, 415, 422, 426, 429, 503].includes(status), kind);
  }
});

test('bodies that are too large, or not JSON, have their own answers', async () => {
  const { call } = await bench({ quota: NO_LIMITS });
  const large = JSON.stringify({ ...BUY_ORDER, extra: 'x'.repeat(40_000) });
  const send = (url: string, type: string, payload: string) =>
    call({ method: 'POST', url, headers: { 'content-type': type }, payload });
  matchesGolden('v2-payload-too-large', await send('/v2/swaps', 'application/json', large));
  matchesGolden('v1-payload-too-large', await send('/v1/order', 'application/json', large));
  matchesGolden('v2-unsupported-media-type', await send('/v2/swaps', 'text/plain', '{}'));
  matchesGolden('v1-unsupported-media-type', await send('/v1/order', 'text/plain', '{}'));
});

test('speaking for an end user: not everybody may, and not for nobody', async () => {
  const { get, partner } = await bench({ quota: NO_LIMITS });
  const limits = { requestLimitPerMin: 0, createLimitPerMin: 0, maxOpenOrders: 0 };
  const speakFor = (ip: string, key: string) =>
    get('/v2/swaps/assets', { 'x-integrator-key': key, 'x-end-user-ip': ip });
  matchesGolden('v2-end-user-ip-not-allowed', await speakFor('8.8.8.8', SERVER_KEY));
  partner({ forwarding: { enabled: true, approvedServerIps: ['127.0.0.1'], limits } });
  matchesGolden('v2-invalid-end-user-ip', await speakFor('10.0.0.1', SERVER_KEY));
  matchesGolden('v2-end-user-ip-not-allowed', await speakFor('8.8.8.8', PUBLIC_KEY));
  assert.equal((await speakFor('8.8.8.8', SERVER_KEY)).statusCode, 200);
});

test('the wait for a coin that shows no sender is never open', async () => {
  const { call, post, desk } = await bench({ quota: NO_LIMITS });
  const { orderId, sessionId } = (await post('/v2/swaps', SELL_ORDER)).json();
  desk.change(orderId, arrived(500_000_000_000n));
  const url = `/v2/orders/${orderId}/deposit-wait/close`;
  matchesGolden('v2-close-native-coin', await call({ method: 'POST', url, headers: { 'x-session-id': sessionId } }));
});
