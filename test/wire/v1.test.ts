import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import type { Order } from '../../src/life/order/order.ts';
import { ETH, EVM_ADDRESS, MONERO_ADDRESS, OTHER_MONERO_ADDRESS } from './assets.ts';
import { BUY, BUY_ORDER, bench, NO_LIMITS, OTHER_KEY, PUBLIC_KEY, SELL_ORDER, SERVER_KEY } from './bench.ts';
import { matchesGolden } from './golden.ts';
import { completed, confirming, expired, fill, refunded, strayed, trading } from './stages.ts';

const KEY = { 'x-api-key': SERVER_KEY };
const open = () => bench({ quota: NO_LIMITS });

test('v1 lists its chains', async () => {
  matchesGolden('v1-chains', await (await open()).get('/v1/chains'));
});

test('v1 quotes, with the integrator’s fee only where a key brings one', async () => {
  const { post } = await open();
  matchesGolden('v1-quote', await post('/v1/quote', BUY));
  matchesGolden('v1-quote-default-fee', await post('/v1/quote', BUY, KEY));
  matchesGolden('v1-quote-own-fee', await post('/v1/quote', { ...BUY, fee: 2 }, KEY));
  const keyless = await post('/v1/quote', { ...BUY, fee: 2 });
  assert.equal('integratorFee' in keyless.json(), false);
});

test('a quote below the minimum is answered, an order below it is not', async () => {
  const { post } = await open();
  const small = { ...BUY_ORDER, fromAmount: '9999999' };
  assert.equal((await post('/v1/quote', small)).statusCode, 200);
  matchesGolden('v1-order-below-minimum', await post('/v1/order', small));
  assert.equal((await post('/v1/order', { ...small, fromAmount: '10000000' })).statusCode, 200);
});

test('v1 creates an order and shows it to whoever knows its destination', async () => {
  const { post, get, desk, wait } = await open();
  const created = await post('/v1/order', BUY_ORDER);
  matchesGolden('v1-order', created);
  const { orderId } = created.json();
  const read = () => get(`/v1/order/${orderId}?verify=${MONERO_ADDRESS}`);
  matchesGolden('v1-detail', await read());
  wait(1000);
  desk.change(orderId, confirming);
  matchesGolden('v1-detail-detected', await read());
  desk.saved.set(orderId, [fill(1), fill(2)]);
  desk.change(orderId, completed);
  matchesGolden('v1-detail-completed', await read());

  matchesGolden('v1-detail-no-proof', await get(`/v1/order/${orderId}`));
  matchesGolden('v1-detail-wrong-proof', await get(`/v1/order/${orderId}?verify=${OTHER_MONERO_ADDRESS}`));
  matchesGolden('v1-detail-unknown', await get(`/v1/order/sw_${'a'.repeat(32)}?verify=${MONERO_ADDRESS}`));
  matchesGolden('v1-detail-no-id', await get(`/v1/order/1?verify=${MONERO_ADDRESS}`));
});

test('any spelling of the destination is proof', async () => {
  const { post, get } = await open();
  const { orderId } = (await post('/v1/order', SELL_ORDER)).json();
  const spelt = EVM_ADDRESS.toLowerCase();
  assert.equal((await get(`/v1/order/${orderId}?verify=${spelt}`)).statusCode, 200);
});

test('v1 shows chunked execution', async () => {
  const { post, get, desk } = await open();
  const chunked = { ...BUY_ORDER, twapConfig: { chunkSizeUsd: 250, intervalMs: 1000 } };
  const { orderId } = (await post('/v1/order', chunked)).json();
  desk.change(orderId, trading);
  matchesGolden('v1-detail-twap', await get(`/v1/order/${orderId}?verify=${MONERO_ADDRESS}`));
});

test('9.20: how Monero is to be traded is judged where Monero is traded, and ignored on every other swap', async () => {
  const { post, quotes } = await open();
  const swap = { ...BUY, toChainId: ETH.chainId, toToken: ETH.token, toAddress: EVM_ADDRESS };
  const plain = await post('/v1/order', swap);
  for (const twapConfig of [{ chunkSizeUsd: 249.99 }, { intervalMs: 60_001 }, { disabled: 'yes' }, 'fast', null, []]) {
    const judged = await post('/v1/order', { ...BUY_ORDER, twapConfig });
    assert.equal(judged.statusCode, 400, JSON.stringify(twapConfig));
    assert.match(judged.json().error, /^twapConfig/);
    assert.equal(quotes.asked.at(-1)?.to, ETH, 'nothing is quoted for it');
    quotes.asked.length = 0;
    const ignored = await post('/v1/order', { ...swap, twapConfig });
    assert.deepEqual(ignored.json(), plain.json(), 'as without it');
    assert.deepEqual(
      quotes.asked.map(({ to, twap }) => [to, twap]),
      [[ETH, undefined]],
    );
  }
});

test('a session’s history is newest first, and a given session is joined', async () => {
  const { post, get, wait } = await open();
  const first = (await post('/v1/order', BUY_ORDER)).json();
  wait(1000);
  const second = await post('/v1/order', { ...BUY_ORDER, sessionId: first.sessionId.toUpperCase() });
  assert.equal(second.json().sessionId, first.sessionId);
  const history = await get(`/v1/orders?session=${first.sessionId}`);
  matchesGolden('v1-history', history);
  assert.deepEqual(
    history.json().orders.map(({ id }: { id: string }) => id),
    [second.json().orderId, first.orderId],
  );
  matchesGolden('v1-history-empty', await get('/v1/orders?session=3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11'));
  matchesGolden('v1-history-no-session', await get('/v1/orders'));
});

test('bulk shows the integration’s own v1 orders and leaves the rest out', async () => {
  const { post, desk } = await open();
  const mine = (await post('/v1/order', BUY_ORDER, KEY)).json().orderId;
  const done = (await post('/v1/order', SELL_ORDER, KEY)).json().orderId;
  desk.change(done, completed);
  const others = (await post('/v1/order', BUY_ORDER, { 'x-api-key': OTHER_KEY })).json().orderId;
  const newer = (await post('/v2/swaps', BUY_ORDER, KEY)).json().orderId;
  const wish = { toAddress: EVM_ADDRESS };
  const bridge = (await post('/v1/bridge/deposit', wish, KEY)).json().orderId;
  assert.match(bridge, /^dep_/);
  const bulk = (orderIds: unknown[]) => post('/v1/orders/bulk', { orderIds }, KEY);
  const { orders } = (await bulk([mine, done, others, newer, bridge, 'nonsense', mine])).json();
  assert.deepEqual(orders.map((row: { orderId: string }) => row.orderId).sort(), [mine, done].sort());
  matchesGolden('v1-bulk', await bulk([mine]));
  matchesGolden('v1-bulk-completed', await bulk([done]));
  desk.change(done, ({ state }) => ({ state: { ...state, out: amount(ETH.id, 10n ** 17n) } as Order['state'] }));
  const [other] = (await bulk([done])).json().orders;
  assert.deepEqual(
    [other.actualOutput, other.outputAmountUsd],
    [`${10n ** 17n}`, '300.00'],
    'atoms of ether are no dollars',
  );
  matchesGolden('v1-bulk-empty', await bulk([]));
  matchesGolden('v1-bulk-no-key', await post('/v1/orders/bulk', { orderIds: [] }));
  matchesGolden('v1-bulk-no-key', await post('/v1/orders/bulk', { orderIds: 1 }));
  const publicKey = { 'x-api-key': PUBLIC_KEY };
  matchesGolden('v1-bulk-public-key', await post('/v1/orders/bulk', { orderIds: [mine] }, publicKey));
  matchesGolden('v1-bulk-too-many', await bulk(Array.from({ length: 51 }, () => mine)));
  matchesGolden('v1-bulk-not-strings', await bulk([1]));
});

test('a refund address is taken once, after the checks in their order', async () => {
  const { post, get, desk } = await open();
  const { orderId, sessionId } = (await post('/v1/order', BUY_ORDER)).json();
  const refund = (body: object, id = orderId) => post(`/v1/order/${id}/refund`, body);
  const proof = { verifyAddress: MONERO_ADDRESS };
  const unknown = `sw_${'a'.repeat(32)}`;
  matchesGolden('v1-refund-no-address', await refund({}, unknown));
  matchesGolden('v1-refund-unknown', await refund({ refundAddress: 'x', sessionId: 'x' }, unknown));
  matchesGolden('v1-refund-not-yours', await refund({ refundAddress: 'x', verifyAddress: OTHER_MONERO_ADDRESS }));
  const half = await refund({ refundAddress: EVM_ADDRESS, ...proof, sessionId: randomUUID() });
  assert.deepEqual(
    [half.statusCode, half.json().error],
    [403, 'Unauthorized'],
    'who gives two proofs gives two true ones',
  );
  matchesGolden('v1-refund-no-proof', await refund({ refundAddress: 'x' }));
  matchesGolden('v1-refund-not-awaiting', await refund({ refundAddress: 'x', ...proof }));
  desk.change(orderId, strayed);
  matchesGolden('v1-refund-invalid', await refund({ refundAddress: MONERO_ADDRESS, ...proof }));
  matchesGolden('v1-refund', await refund({ refundAddress: EVM_ADDRESS, sessionId }));
  matchesGolden('v1-refund-again', await refund({ refundAddress: 'x', sessionId }));
  matchesGolden('v1-detail-refunding', await get(`/v1/order/${orderId}?verify=${MONERO_ADDRESS}`));
  desk.change(orderId, refunded);
  matchesGolden('v1-detail-refunded', await get(`/v1/order/${orderId}?verify=${MONERO_ADDRESS}`));
});

test('an order is served by its own generation alone', async () => {
  const { post, get, call } = await open();
  const v1 = (await post('/v1/order', BUY_ORDER)).json();
  const v2 = (await post('/v2/swaps', BUY_ORDER)).json();
  const session = (of: { sessionId: string }) => ({ 'x-session-id': of.sessionId });
  assert.equal((await get(`/v1/order/${v2.orderId}?verify=${MONERO_ADDRESS}`)).statusCode, 404);
  assert.equal((await get(`/v2/swaps/${v1.orderId}?verify=${MONERO_ADDRESS}`)).statusCode, 404);
  assert.equal((await get(`/v2/swaps/${v1.orderId}`, session(v1))).statusCode, 404);
  assert.deepEqual((await get(`/v1/orders?session=${v2.sessionId}`)).json(), { orders: [] });
  assert.deepEqual((await get('/v2/orders', session(v1))).json(), { orders: [], nextCursor: null });
  const url = `/v2/orders/${v1.orderId}/deposit-wait/close`;
  assert.equal((await call({ method: 'POST', url, headers: session(v1) })).statusCode, 404);
});

test('an expired order says so', async () => {
  const { post, get, desk } = await open();
  const { orderId } = (await post('/v1/order', BUY_ORDER)).json();
  desk.change(orderId, expired);
  assert.equal((await get(`/v1/order/${orderId}?verify=${MONERO_ADDRESS}`)).json().status, 'expired');
});
