import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { EVM_ADDRESS, MONERO_ADDRESS, OTHER_EVM_ADDRESS, OTHER_MONERO_ADDRESS } from './assets.ts';
import { BUY_ORDER, bench, NO_LIMITS, OTHER_KEY, PUBLIC_KEY, SELL_ORDER, SERVER_KEY } from './bench.ts';
import { matchesGolden } from './golden.ts';
import { arrived, completed, fill, payoutRefused, strayed, trading } from './stages.ts';

const KEY = { 'x-integrator-key': SERVER_KEY };

async function open() {
  const made = await bench({ quota: NO_LIMITS });
  return {
    ...made,
    put: (url: string, payload: object, headers: Record<string, string>) =>
      made.call({ method: 'PUT', url, payload, headers }),
    async swap(body: object = BUY_ORDER, headers: Record<string, string> = {}) {
      const { orderId, sessionId } = (await made.post('/v2/swaps', body, headers)).json();
      return { orderId, sessionId, owner: { 'x-session-id': sessionId } };
    },
  };
}

test('v2 quotes by input and by output', async () => {
  const { post } = await open();
  matchesGolden('v2-quote', await post('/v2/swaps/quote', BUY_ORDER));
  const { fromAmount: _, ...wish } = BUY_ORDER;
  matchesGolden('v2-quote-exact-out', await post('/v2/swaps/quote', { ...wish, toAmount: '1000000000000' }));
  matchesGolden('v2-quote-fee', await post('/v2/swaps/quote', { ...BUY_ORDER, integratorFeePercent: 1 }, KEY));
});

test('v2 creates, reads and lists; the session is told once', async () => {
  const { post, get, desk, wait } = await open();
  const created = await post('/v2/swaps', BUY_ORDER);
  matchesGolden('v2-created', created);
  const { orderId, sessionId } = created.json();
  const owner = { 'x-session-id': sessionId };
  const read = await get(`/v2/swaps/${orderId}`, owner);
  matchesGolden('v2-read', read);
  assert.equal((await get(`/v2/swaps/${orderId}?verify=${MONERO_ADDRESS}`)).body, read.body);
  wait(60_000);
  desk.change(orderId, arrived(290_000_000n));
  matchesGolden('v2-read-below-expected', await get(`/v2/swaps/${orderId}`, owner));
  desk.change(orderId, completed);
  desk.saved.set(orderId, [fill(1)]);
  matchesGolden('v2-read-completed', await get(`/v2/swaps/${orderId}`, owner));
  matchesGolden('v2-orders', await get('/v2/orders', owner));
});

test('whoever has the tracking address may look at the order, without its addresses, and at no other', async () => {
  const { get, swap, desk, put } = await open();
  const { orderId, owner } = await swap();
  const { trackingUrl } = (await get(`/v2/swaps/${orderId}`, owner)).json();
  const path = String(trackingUrl).replace('/track/', '/v2/track/');
  assert.equal((await get(path)).json().status, 'pending');
  desk.change(orderId, completed);
  const seen = await get(path);
  matchesGolden('v2-track', seen);
  for (const secret of [MONERO_ADDRESS, EVM_ADDRESS]) assert.ok(!seen.body.includes(secret));
  desk.change(orderId, strayed);
  assert.equal((await get(path)).json().status, 'info_needed');
  const id = path.split('/').at(-1);
  assert.equal(
    (await put(`/v2/orders/${orderId}/refund-address`, { refundAddress: EVM_ADDRESS }, { 'x-session-id': `${id}` }))
      .statusCode,
    404,
  );
  const { body: hidden } = await get(`/v2/swaps/sw_${'a'.repeat(32)}`);
  const other = await swap();
  for (const wrong of [
    path.slice(0, -1),
    `${path}a`,
    `/v2/track/${other.orderId}.${path.split('.')[1]}`,
    `/v2/track/${orderId}`,
  ]) {
    const answer = await get(wrong);
    assert.deepEqual([answer.statusCode, answer.body], [404, hidden], wrong);
  }
});

test('a missing order and a bad proof are the same bytes', async () => {
  const { get, swap } = await open();
  const { orderId } = await swap();
  const stranger = { 'x-session-id': '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11' };
  const answers = [
    await get(`/v2/swaps/${orderId}`),
    await get(`/v2/swaps/${orderId}`, stranger),
    await get(`/v2/swaps/${orderId}`, { 'x-session-id': 'x' }),
    await get(`/v2/swaps/${orderId}?verify=${OTHER_MONERO_ADDRESS}`),
    await get(`/v2/swaps/${orderId}?verify=`),
    await get(`/v2/swaps/sw_${'a'.repeat(32)}?verify=${MONERO_ADDRESS}`),
    await get('/v2/swaps/nonsense', stranger),
    await get(`/v2/swaps/${orderId}/fills`, stranger),
  ];
  const bytes = ({ headers, body }: LightMyRequestResponse) => {
    const { 'x-request-id': _, date: __, ...rest } = headers;
    return JSON.stringify([rest, body]);
  };
  for (const answer of answers) matchesGolden('v2-not-found', answer);
  assert.equal(new Set(answers.map(bytes)).size, 1);
});

test('a server key does not open an order', async () => {
  const { get, swap } = await open();
  const { orderId } = await swap(BUY_ORDER, KEY);
  assert.equal((await get(`/v2/swaps/${orderId}`, KEY)).statusCode, 404);
});

test('orders come in pages, and a cursor belongs to its list', async () => {
  const { get, post, swap, wait } = await open();
  const { owner, sessionId } = await swap(BUY_ORDER, KEY);
  for (let made = 1; made < 5; made += 1) {
    wait(made % 2);
    assert.equal((await post('/v2/swaps', { ...BUY_ORDER, sessionId }, KEY)).statusCode, 201);
  }
  const all = (await get('/v2/orders', owner)).json();
  assert.equal(all.nextCursor, null);
  const pages = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { orders: unknown[]; nextCursor: string | null } = (
      await get(`/v2/orders?limit=2${cursor && `&cursor=${cursor}`}`, owner)
    ).json();
    pages.push(page.orders);
    if (page.nextCursor !== null) {
      const stranger = await swap();
      assert.equal((await get(`/v2/orders?cursor=${page.nextCursor}`, stranger.owner)).json().code, 'invalid_cursor');
    }
    cursor = page.nextCursor;
  }
  assert.deepEqual(pages.flat(), all.orders);
  assert.deepEqual(
    pages.map((page) => page.length),
    [2, 2, 1],
  );
});

test('fills come in pages by collection, each sorted by time', async () => {
  const { get, swap, desk } = await open();
  const { orderId, owner } = await swap();
  desk.change(orderId, trading);
  desk.saved.set(orderId, [1, 2, 3].map(fill));
  const first = await get(`/v2/swaps/${orderId}/fills?limit=2`, owner);
  matchesGolden('v2-fills', first);
  const rest = await get(`/v2/swaps/${orderId}/fills?limit=2&cursor=${first.json().nextCursor}`, owner);
  assert.deepEqual(
    rest.json().fills.map(({ tradeId }: { tradeId: string }) => tradeId),
    ['9001'],
  );
  assert.equal(rest.json().nextCursor, null);
  matchesGolden('v2-fills-bad-cursor', await get(`/v2/swaps/${orderId}/fills?cursor=abc`, owner));
  for (const limit of ['0', '201', '-1', '1.5', '01', 'x', '']) {
    assert.equal((await get(`/v2/swaps/${orderId}/fills?limit=${limit}`, owner)).statusCode, 400, limit);
  }
});

test('an order shows its newest 200 fills, while it trades, and where the older ones are', async () => {
  const { get, swap, desk } = await open();
  const { orderId, owner } = await swap();
  const read = async () => (await get(`/v2/swaps/${orderId}`, owner)).json();
  const { hlFills, hlFillsStatus, hlFillsNextCursor } = await read();
  assert.deepEqual([hlFills, hlFillsStatus, hlFillsNextCursor], [[], 'pending', null]);
  desk.change(orderId, trading);
  desk.saved.set(
    orderId,
    [...Array(250).keys()].map((at) => fill(at + 1)),
  );
  const trades = await read();
  assert.deepEqual([trades.hlFills.length, trades.hlFillsStatus], [200, 'pending']);
  const older = (await get(`/v2/swaps/${orderId}/fills?cursor=${trades.hlFillsNextCursor}`, owner)).json();
  assert.deepEqual([older.fills.length, older.nextCursor], [50, null]);
  const ids = [...trades.hlFills, ...older.fills].map(({ tradeId }: { tradeId: string }) => tradeId);
  assert.equal(new Set(ids).size, 250);
  desk.change(orderId, completed);
  assert.equal((await read()).hlFillsStatus, 'complete');
  const other = await swap();
  const url = `/v2/swaps/${other.orderId}/fills?cursor=${trades.hlFillsNextCursor}`;
  assert.equal((await get(url, other.owner)).json().code, 'invalid_cursor');
});

test('the owner, or the creating integration’s server, closes the wait', async () => {
  const { call, swap, desk } = await open();
  const { orderId, owner } = await swap(BUY_ORDER, KEY);
  const close = (headers: Record<string, string>) =>
    call({ method: 'POST', url: `/v2/orders/${orderId}/deposit-wait/close`, headers });
  matchesGolden('v2-close-not-open', await close(owner));
  desk.change(orderId, arrived(200_000_000n));
  for (const headers of [{}, { 'x-integrator-key': PUBLIC_KEY }, { 'x-integrator-key': OTHER_KEY }]) {
    assert.equal((await close(headers)).statusCode, 404);
  }
  const closed = await close(KEY);
  assert.equal(closed.statusCode, 200);
  assert.equal(closed.json().status, 'processing');
  assert.equal((await close({ ...owner, 'content-type': 'application/json' })).statusCode, 200);
});

test('a refund address is saved once', async () => {
  const { put, swap, desk, get } = await open();
  const { orderId, owner } = await swap();
  const give = (refundAddress: unknown, headers: Record<string, string> = owner) =>
    put(`/v2/orders/${orderId}/refund-address`, { refundAddress }, headers);
  matchesGolden('v2-refund-not-available', await give(EVM_ADDRESS));
  desk.change(orderId, strayed);
  matchesGolden('v2-read-refund-wanted', await get(`/v2/swaps/${orderId}`, owner));
  matchesGolden('v2-refund-invalid', await give(MONERO_ADDRESS));
  matchesGolden('v2-refund-no-string', await give(1));
  assert.equal((await give(EVM_ADDRESS, KEY)).statusCode, 404);
  const saved = await give(EVM_ADDRESS);
  assert.equal(saved.statusCode, 200);
  assert.equal(saved.json().refundRecovery.phase, 'checking');
  assert.equal((await give(EVM_ADDRESS.toLowerCase())).statusCode, 200);
  matchesGolden('v2-refund-another', await give(OTHER_EVM_ADDRESS));
});

test('a refused destination may be replaced once, by the owner', async () => {
  const { put, get, swap, desk } = await open();
  const { orderId, owner } = await swap(SELL_ORDER, KEY);
  const give = (payoutAddress: string, headers: Record<string, string> = owner) =>
    put(`/v2/orders/${orderId}/payout-address`, { payoutAddress }, headers);
  matchesGolden('v2-payout-not-available', await give(OTHER_EVM_ADDRESS));
  desk.change(orderId, payoutRefused);
  assert.equal((await give(OTHER_EVM_ADDRESS, KEY)).statusCode, 404);
  assert.equal((await give(MONERO_ADDRESS)).json().code, 'invalid_address');
  assert.equal((await give(EVM_ADDRESS)).json().code, 'address_refused', 'and the one chance is not used up');
  const given = await give(OTHER_EVM_ADDRESS);
  assert.equal(given.statusCode, 200);
  assert.equal(given.json().toAddress, OTHER_EVM_ADDRESS);
  assert.equal((await give(OTHER_EVM_ADDRESS)).statusCode, 200);
  assert.equal((await give(EVM_ADDRESS)).json().code, 'address_already_set');
  for (const shown of [OTHER_EVM_ADDRESS, EVM_ADDRESS])
    assert.equal((await get(`/v2/swaps/${orderId}?verify=${shown}`)).statusCode, 200, 'either proves it');
  assert.equal((await get(`/v2/swaps/${orderId}?verify=${MONERO_ADDRESS}`)).statusCode, 404);
});

test('what a schema does not name is nobody’s wish', async () => {
  const { post, quotes } = await open();
  for (const twap of [{ intervalMs: 'x' }, { chunkSizeUsd: 'x' }, { intervalMs: 0, chunkSizeUsd: 0.01 }])
    for (const [url, status] of [
      ['/v2/swaps/quote', 200],
      ['/v2/swaps', 201],
      ['/v1/quote', 200],
      ['/v1/order', 200],
    ] as const) {
      const answer = await post(url, { ...BUY_ORDER, twap, feePercent: 50, ...(url < '/v2' ? { toAmount: '1' } : {}) });
      assert.equal(answer.statusCode, status, `${url} ${answer.body}`);
      assert.equal(quotes.asked.at(-1)?.twap, undefined);
    }
});

test('an address or a cursor of no possible length is called what it is', async () => {
  const { post, get, put, swap, desk } = await open();
  const { orderId, owner } = await swap(SELL_ORDER, KEY);
  const long = 'x'.repeat(513);
  const code = async (answer: Promise<LightMyRequestResponse>) => (await answer).json().code;
  desk.change(orderId, payoutRefused);
  for (const text of ['', long]) {
    assert.equal(await code(post('/v2/swaps', { ...BUY_ORDER, toAddress: text })), 'invalid_address');
    const path = `/v2/orders/${orderId}/payout-address`;
    assert.equal(await code(put(path, { payoutAddress: text }, owner)), 'invalid_address');
  }
  const refund = `/v2/orders/${orderId}/refund-address`;
  assert.equal(await code(put(refund, { refundAddress: long }, owner)), 'invalid_address');
  assert.equal(await code(get(`/v2/orders?cursor=${long}`, owner)), 'invalid_cursor');
});

test('a session is chosen by its own integration only', async () => {
  const { post, swap } = await open();
  const { sessionId } = await swap(BUY_ORDER, KEY);
  const join = (headers: Record<string, string>, session = sessionId) =>
    post('/v2/swaps', { ...BUY_ORDER, sessionId: session }, headers);
  assert.equal((await join(KEY)).json().sessionId, sessionId);
  assert.equal((await join(KEY, '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11')).statusCode, 201);
  matchesGolden('v2-session-refused', await join({}));
  for (const key of [PUBLIC_KEY, OTHER_KEY]) assert.equal((await join({ 'x-integrator-key': key })).statusCode, 400);
  assert.equal((await join(KEY, 'x')).statusCode, 400);
});

test('every order may name a refund address of its source’s chain at creation', async () => {
  const { post } = await open();
  const named = await post('/v2/swaps', { ...SELL_ORDER, refundAddress: MONERO_ADDRESS });
  assert.equal(named.json().refundAddress, MONERO_ADDRESS);
  assert.equal((await post('/v2/swaps', { ...SELL_ORDER, refundAddress: EVM_ADDRESS })).json().code, 'invalid_address');
  const token = await post('/v2/swaps', { ...BUY_ORDER, refundAddress: EVM_ADDRESS });
  assert.equal(token.json().refundAddress, EVM_ADDRESS);
  matchesGolden(
    'v2-refund-at-creation-refused',
    await post('/v2/swaps', { ...BUY_ORDER, refundAddress: MONERO_ADDRESS }),
  );
});

test('v2 lists assets and searches tokens literally', async () => {
  const { get } = await open();
  matchesGolden('v2-assets', await get('/v2/swaps/assets'));
  matchesGolden('v2-tokens', await get('/v2/swaps/assets/tokens?direction=from&chainId=42161&q=usd'));
  matchesGolden('v2-tokens-page', await get('/v2/swaps/assets/tokens?offset=1&limit=1'));
  assert.equal((await get('/v2/swaps/assets/tokens?q=.*')).json().total, 0);
  for (const query of ['limit=101', 'direction=up', 'chainId=x', 'chainId=1&chainId=2', 'offset=-1']) {
    assert.equal((await get(`/v2/swaps/assets/tokens?${query}`)).statusCode, 400, query);
  }
});
