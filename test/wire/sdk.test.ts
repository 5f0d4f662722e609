import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import WebSocket from 'ws';
import { sellMonero } from '../../sdk/example.ts';
import { type ClientOptions, WherryError, wherryClient } from '../../sdk/src/index.ts';
import type { ApiDeps } from '../../src/api/deps.ts';
import type { Quota } from '../../src/store/quota.ts';
import { EVM_ADDRESS, MONERO_ADDRESS } from './assets.ts';
import { BUY_ORDER, bench, NO_LIMITS, SERVER_KEY } from './bench.ts';
import { completed, confirming, expired, strayed } from './stages.ts';

async function serving(t: TestContext, change: Partial<ApiDeps> = {}) {
  const made = await bench({ quota: NO_LIMITS, ...change });
  t.after(() => made.api.close());
  await made.api.listen({ host: '127.0.0.1', port: 0 });
  const { port } = made.api.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const client = (options: Partial<ClientOptions> = {}) => wherryClient({ url, ...options });
  return { ...made, url, client };
}

/** A `fetch` that first answers as it is told, then truly; and what it was asked. */
function faulty(...answers: (() => Response)[]) {
  const asked: string[] = [];
  const send: typeof fetch = async (input, init) => {
    asked.push(`${init?.method} ${new URL(String(input)).pathname}`);
    const answer = answers.shift();
    return answer ? answer() : fetch(input, init);
  };
  return { asked, fetch: send };
}

const lost = (): never => {
  throw new TypeError('fetch failed');
};
const refused = (status: number, headers: Record<string, string>) => () => new Response('<html>', { status, headers });

const refusal = async (asked: Promise<unknown>): Promise<WherryError> => {
  const error = await asked.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof WherryError, String(error));
  return error;
};

test('a swap is quoted, created, read and listed through the client', async (t) => {
  const { client } = await serving(t);
  const wherry = client({ key: SERVER_KEY });
  const quote = await wherry.quoteSwap({ ...BUY_ORDER, integratorFeePercent: 1 });
  assert.equal(quote.integratorFee?.amount, '3000000');
  const { sessionId: session, ...created } = await wherry.createSwap(BUY_ORDER);
  const id = created.orderId;
  assert.equal(created.depositAmount, BUY_ORDER.fromAmount);
  assert.deepEqual(await wherry.readSwap({ id }, { session }), created);
  assert.deepEqual(await wherry.readSwap({ id, verify: MONERO_ADDRESS }), created);
  assert.deepEqual(
    (await wherry.listOrders({ limit: 1 }, { session })).orders.map(({ orderId }) => orderId),
    [id],
  );
  assert.deepEqual((await wherry.listFills({ id, limit: 5 }, { session })).fills, []);
  assert.equal((await wherry.listTokens({ chainId: 0, q: 'xm' })).tokens[0]?.token, 'XMR');
  assert.deepEqual((await wherry.listAssets()).fundingProviders, []);
});

test('what an owner may do is done through the client', async (t) => {
  const { client, desk } = await serving(t);
  const wherry = client();
  const { orderId: id, sessionId: session } = await wherry.createSwap(BUY_ORDER);
  assert.equal((await refusal(wherry.closeDepositWait({ id }, { session }))).code, 'deposit_wait_not_open');
  desk.change(id, strayed);
  const saved = await wherry.saveRefundAddress({ id, refundAddress: EVM_ADDRESS }, { session });
  assert.equal(saved.refundRecovery?.phase, 'checking');
});

test('a refusal is an error with its code, its details and the request’s name', async (t) => {
  const { client } = await serving(t);
  const wherry = client();
  const small = await refusal(wherry.createSwap({ ...BUY_ORDER, fromAmount: '1' }));
  assert.equal(small.code, 'amount_below_minimum');
  const message = 'The minimum for this swap is 10 USDC.';
  const errors = [{ field: 'fromAmount', code: 'amount_below_minimum', message }];
  assert.deepEqual(small.details, { minFromAmount: '10000000', errors });
  assert.equal(small.status, 400);
  assert.match(small.requestId ?? '', /^[0-9a-f]{24}$/);
  const strange = await refusal(wherry.readSwap({ id: '../orders', verify: 'x&y' }));
  assert.deepEqual([strange.code, strange.message], ['not_found', 'Not found.']);
  const proxy = await refusal(client({ fetch: faulty(refused(502, {})).fetch }).listAssets());
  assert.deepEqual([proxy.code, proxy.status, proxy.requestId], ['unreadable', 502, undefined]);
});

test('a limit says how long to wait', async (t) => {
  const take: Quota['take'] = async ([bucket]) => ({ exhausted: { bucket: bucket?.name ?? '', waitMs: 41_000 } });
  const { client } = await serving(t, { quota: { ...NO_LIMITS, take } });
  const { code, retryAfter } = await refusal(client().quoteSwap(BUY_ORDER));
  assert.deepEqual([code, retryAfter], ['rate_limited', 41]);
});

test('a creation that is sent again under its key is the same order', async (t) => {
  const { client } = await serving(t);
  const { asked, fetch } = faulty(lost);
  const call = { idempotencyKey: 'c1a7b3d2-8f40-4f6e-9a0b-3d5e7f901234' };
  const wherry = client({ fetch });
  await assert.rejects(wherry.createSwap(BUY_ORDER, call));
  const created = await wherry.createSwap(BUY_ORDER, call);
  assert.deepEqual(await wherry.createSwap(BUY_ORDER, call), created);
  assert.equal(asked.length, 3);
});

test('a creation that got no answer is not sent again', async (t) => {
  const { client } = await serving(t);
  for (const answer of [lost, refused(503, {}), refused(429, { 'retry-after': '0' })]) {
    const { asked, fetch } = faulty(answer);
    await assert.rejects(client({ fetch }).createSwap(BUY_ORDER));
    assert.deepEqual(asked, ['POST /v2/swaps']);
  }
});

/** Begins to answer, and breaks off. */
const cut = (status: number) => () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"orderId": "sw_'));
        controller.error(new TypeError('terminated'));
      },
    }),
    { status },
  );

test('a creation whose answer is cut off is no refusal: nobody can tell whether it happened', async (t) => {
  const { client } = await serving(t);
  const { asked, fetch } = faulty(cut(201));
  await assert.rejects(client({ fetch }).createSwap(BUY_ORDER), (error) => {
    assert.ok(error instanceof TypeError && !(error instanceof WherryError));
    return true;
  });
  assert.equal(asked.length, 1);
  const page = () => new Response('<html>', { status: 200 });
  assert.equal((await refusal(client({ fetch: faulty(page).fetch }).createSwap(BUY_ORDER))).code, 'unreadable');
});

test('who was told to stop before it began follows nothing', async (t) => {
  const { client } = await serving(t);
  const { orderId: id, sessionId: session } = await client().createSwap(BUY_ORDER);
  const following = client({ webSocket: WebSocket }).followOrder(
    { id, session },
    { signal: AbortSignal.abort(new Error('left')) },
  );
  await assert.rejects(following[Symbol.asyncIterator]().next(), /left/);
});

test('an order is followed by socket to its end', async (t) => {
  const { client, desk } = await serving(t);
  const { asked, fetch } = faulty();
  const wherry = client({ fetch, webSocket: WebSocket });
  const { orderId: id, sessionId: session } = await wherry.createSwap(BUY_ORDER);
  const seen: string[] = [];
  for await (const { status, customerState } of wherry.followOrder({ id, session })) {
    seen.push(customerState.kind);
    if (status === 'awaiting_deposit') desk.change(id, confirming);
    if (status === 'processing') desk.change(id, completed);
  }
  assert.deepEqual(seen, ['awaiting_deposit', 'processing', 'completed']);
  assert.deepEqual(asked, ['POST /v2/swaps']);
});

test('a bridge order is followed and waited for as a swap is, by session and by address', async (t) => {
  const { client, desk } = await serving(t);
  const { asked, fetch } = faulty();
  const wherry = client({ fetch, webSocket: WebSocket });
  const wanted = { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS } as const;
  const { orderId: id, sessionId: session } = await wherry.createBridge(wanted);
  const seen: string[] = [];
  for await (const { status } of wherry.followOrder({ id, session })) {
    seen.push(status);
    if (status === 'awaiting_deposit') desk.change(id, expired);
  }
  assert.deepEqual(seen, ['awaiting_deposit', 'expired']);
  assert.equal((await wherry.waitForOrder({ id, verify: EVM_ADDRESS })).orderId, id);
  assert.deepEqual(asked, ['POST /v2/bridges', `GET /v2/bridges/${id}`]);
  const out = await wherry.createBridge({ ...wanted, direction: 'withdraw', toAddress: MONERO_ADDRESS });
  const back = await wherry.waitForOrder({ id: out.orderId, session: out.sessionId }, { until: () => true });
  assert.equal(back.direction, 'withdraw');
});

/** A network that lets no socket through. */
class DeadSocket {
  addEventListener(type: string, listener: (event: { readonly data: unknown }) => void): void {
    if (type === 'close') queueMicrotask(() => listener({ data: undefined }));
  }
  close(): void {}
}

test('a change that cannot be seen is not told again by reading', async (t) => {
  const { client, desk, wait } = await serving(t);
  const wherry = client({ webSocket: DeadSocket });
  const { orderId: id, sessionId: session } = await wherry.createSwap(BUY_ORDER);
  const seen: string[] = [];
  let reads = 0;
  const find = desk.find;
  desk.find = async (order) => {
    reads += 1;
    wait(1_000);
    if (reads === 2) desk.change(id, () => ({}));
    if (reads === 4) desk.change(id, completed);
    return find(order);
  };
  for await (const { status } of wherry.followOrder({ id, session }, { pollMs: 1 })) seen.push(status);
  assert.deepEqual(seen, ['awaiting_deposit', 'completed']);
});

test('an order whose socket is cut is followed by reading', async (t) => {
  const { api, client, desk } = await serving(t);
  const wherry = client({ webSocket: WebSocket });
  const { orderId: id } = await wherry.createSwap(BUY_ORDER);
  const seen: string[] = [];
  for await (const { status } of wherry.followOrder({ id, verify: MONERO_ADDRESS }, { pollMs: 1 })) {
    seen.push(status);
    if (status === 'processing') desk.change(id, completed);
    if (status !== 'awaiting_deposit') continue;
    for (const socket of api.websocketServer.clients) socket.terminate();
    desk.change(id, confirming);
  }
  assert.deepEqual(seen, ['awaiting_deposit', 'processing', 'completed']);
});

test('a bad proof is told as such, with a socket too', async (t) => {
  const { client } = await serving(t);
  const wherry = client({ webSocket: WebSocket });
  const { orderId: id } = await wherry.createSwap(BUY_ORDER);
  const order = { id, session: '3f3b7a4e-2a53-4d46-9f0e-0a5a4f1f1c11' };
  assert.equal((await refusal(wherry.followOrder(order).next())).code, 'not_found');
});

test('waiting bears with limits and outages, and ends when asked', async (t) => {
  const { client, desk } = await serving(t);
  const { orderId: id, sessionId: session } = await client().createSwap(BUY_ORDER);
  desk.change(id, confirming);
  const { asked, fetch } = faulty(
    lost,
    refused(503, {}),
    cut(200),
    refused(200, {}),
    refused(429, { 'retry-after': '0' }),
  );
  const until = ({ status }: { readonly status: string }) => status === 'processing';
  const order = await client({ fetch }).waitForOrder({ id, session }, { pollMs: 1, until });
  assert.equal(order.customerState.step, 'confirming');
  assert.equal(asked.length, 6);
  const leaving = AbortSignal.abort(new Error('left'));
  await assert.rejects(client().waitForOrder({ id, session }, { signal: leaving }), /left/);
});

test('the readme shows the example, and the example swaps', async (t) => {
  const file = (path: string) => readFileSync(new URL(`../../sdk/${path}`, import.meta.url), 'utf8');
  assert.ok(file('README.md').includes(file('example.ts').replace('./src/index.ts', '@wherry/client')));
  const { url, desk } = await serving(t);
  const told: string[] = [];
  await sellMonero({ url, webSocket: WebSocket }, EVM_ADDRESS, (line) => {
    told.push(line);
    const order = /order (\w+)/.exec(told[1] ?? '')?.[1];
    if (line === 'awaiting_deposit' && order) desk.change(order, completed);
  });
  assert.deepEqual(told.slice(2), ['awaiting_deposit', 'completed']);
});
