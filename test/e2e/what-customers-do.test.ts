import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Box, newDir, removeDir, startBox } from './box.ts';
import {
  assertPaidOnce,
  ending,
  freshAddress,
  type OrderView,
  type Placed,
  pay,
  placeV2,
  USDC,
  until,
} from './customer.ts';

const WITHIN_MS = 90_000;
const HOUR_MS = 3_600_000;
const ETHEREUM_USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const dir = newDir();
let box: Box;

before(async () => {
  box = await startBox(dir);
});
after(async () => {
  await box?.end('SIGTERM');
  removeDir(dir);
});

const kindOf = (order: OrderView) => (order.customerState as { kind: string }).kind;
const close = (placed: Placed) =>
  box.api('POST', `/v2/orders/${placed.orderId}/deposit-wait/close`, undefined, { 'x-session-id': placed.sessionId });
const paying = (placed: Placed, amount: string) => pay(box, { ...placed, depositAmount: amount });

async function received(chainId: number, token: string, address: string): Promise<unknown> {
  const { body } = await box.control(
    'GET',
    `/sandbox/received?${new URLSearchParams({ chainId: `${chainId}`, token, address })}`,
  );
  return body.total;
}

async function giveRefundAddress(placed: Placed, refundAddress: string): Promise<void> {
  const path = `/v2/orders/${placed.orderId}/refund-address`;
  const { status, body } = await box.api('PUT', path, { refundAddress }, { 'x-session-id': placed.sessionId });
  assert.equal(status, 200, JSON.stringify(body));
}

test('a short deposit waits for the rest, and goes on with what came when its owner says so', async () => {
  const placed = await placeV2(box, 'usdc_to_xmr');
  assert.equal((await close(placed)).status, 409);
  await paying(placed, '60000000');
  const waiting = await until(box, placed, WITHIN_MS, (order) => kindOf(order) === 'notice');
  const notice = waiting.customerState as Record<string, string>;
  assert.deepEqual([notice.notice, notice.observedDepositAmount], ['below_expected', '60000000']);
  assert.equal(waiting.status, 'awaiting_deposit');
  assert.equal((await close(placed)).status, 200);
  assert.equal((await close(placed)).status, 200);
  const order = await ending(box, placed, WITHIN_MS);
  assert.equal(order.status, 'completed');
  assert.equal(order.observedDepositAmount, '60000000');
  await assertPaidOnce(box, placed, order.actualOutput);
});

test('a top-up completes the deposit, and all of it is swapped', async () => {
  const placed = await placeV2(box, 'usdc_to_xmr');
  await paying(placed, '60000000');
  await until(box, placed, WITHIN_MS, (order) => kindOf(order) === 'notice');
  await paying(placed, '70000000');
  const order = await ending(box, placed, WITHIN_MS);
  assert.equal(order.status, 'completed');
  assert.equal(order.observedDepositAmount, '130000000');
  assert.ok(BigInt(order.actualOutput as string) > (BigInt(order.expectedOutput as string) * 128n) / 100n);
  await assertPaidOnce(box, placed, order.actualOutput);
});

test('too little Monero pauses under the minimum, and a top-up carries it on', async () => {
  const placed = await placeV2(box, 'xmr_to_usdc');
  assert.equal((await close(placed)).status, 409);
  await paying(placed, '50000000000');
  const paused = await until(box, placed, WITHIN_MS, (order) => kindOf(order) === 'paused');
  const state = paused.customerState as Record<string, string>;
  assert.equal(state.reason, 'below_minimum');
  await paying(placed, state.minimumDepositAmount ?? '');
  const order = await ending(box, placed, WITHIN_MS);
  assert.equal(order.status, 'completed');
  await assertPaidOnce(box, placed, order.actualOutput);
});

test('money on the wrong chain is shown as such and goes back to the address its owner names', async () => {
  const toAddress = await freshAddress(box, 'usdc_to_xmr');
  const wish = {
    fromChainId: 42161,
    fromToken: USDC,
    fromAmount: '100000000',
    toChainId: 0,
    toToken: 'XMR',
    toAddress,
  };
  const placed = (await box.api('POST', '/v1/order', wish)).body;
  const stray = { chainId: 1, token: ETHEREUM_USDC, to: placed.depositAddress, amount: '100000000' };
  assert.equal((await box.control('POST', '/sandbox/pay', stray)).status, 200);
  const detail = `/v1/order/${placed.orderId}?verify=${toAddress}`;
  const statusIs = async (wanted: string) => {
    for (let left = 300; left > 0; left -= 1) {
      const { body } = await box.api('GET', detail, undefined, { 'x-api-key': box.info.demo.serverKey });
      if (body.status === wanted) return body;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    throw new Error(`${placed.orderId} never became ${wanted}`);
  };
  await statusIs('refunding_wrong_chain');
  const refundAddress = `0x${randomBytes(20).toString('hex')}`;
  const path = `/v1/order/${placed.orderId}/refund`;
  assert.equal((await box.api('POST', path, { refundAddress })).status, 403);
  const given = await box.api('POST', path, { refundAddress, verifyAddress: toAddress });
  assert.equal(given.status, 200, JSON.stringify(given.body));
  const again = await box.api('POST', path, { refundAddress, verifyAddress: toAddress });
  assert.deepEqual([again.status, again.body.error], [400, 'Refund address already submitted']);
  const refunded = await statusIs('refunded');
  assert.ok(refunded.refundTxHash);
  assert.equal(await received(1, ETHEREUM_USDC, refundAddress), '100000000');
});

test('a large order is worked in chunks, and its progress is true at every look', async () => {
  const toAddress = await freshAddress(box, 'usdc_to_xmr');
  const wish = {
    fromChainId: 42161,
    fromToken: USDC,
    fromAmount: '60000000000',
    toChainId: 0,
    toToken: 'XMR',
    toAddress,
  };
  const twapConfig = { intervalMs: 1000 };
  const { status, body } = await box.api('POST', '/v1/order', { ...wish, twapConfig });
  assert.equal(status, 200, JSON.stringify(body));
  const placed = {
    depositAddress: body.depositAddress as string,
    direction: 'usdc_to_xmr',
    depositAmount: '60000000000',
  } as Placed;
  await pay(box, placed);
  const detail = `/v1/order/${body.orderId}?verify=${toAddress}`;
  const seen: Record<string, number>[] = [];
  for (let left = 300; left > 0; left -= 1) {
    const order = (await box.api('GET', detail, undefined, { 'x-api-key': box.info.demo.serverKey })).body;
    if (order.twap) seen.push(order.twap as Record<string, number>);
    if (order.status === 'completed') {
      await assertPaidOnce(box, { ...placed, toAddress }, order.actualOutput);
      assert.ok((order.hlFills as unknown[]).length >= 12);
      break;
    }
    assert.ok(left > 1, JSON.stringify(order));
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  const done = seen.map((twap) => twap.chunksCompleted ?? 0);
  assert.deepEqual(
    done,
    done.toSorted((a, b) => a - b),
  );
  assert.equal(seen.at(-1)?.chunksTotal, 12);
});

test('an order that nobody paid expires, and money that comes later goes back to its owner', async () => {
  const token = await placeV2(box, 'usdc_to_xmr');
  const coin = await placeV2(box, 'xmr_to_usdc');
  await box.control('POST', '/sandbox/clock', { advanceMs: HOUR_MS + 1_000 });
  for (const placed of [token, coin]) assert.equal((await ending(box, placed, WITHIN_MS)).status, 'expired');
  for (const placed of [token, coin]) await pay(box, placed);
  const isAsked = (order: OrderView) => kindOf(order) === 'action_required';
  const [moneroAddress, evmAddress] = [await freshAddress(box, 'usdc_to_xmr'), `0x${randomBytes(20).toString('hex')}`];
  for (const [placed, address] of [
    [token, evmAddress],
    [coin, moneroAddress],
  ] as const) {
    const asked = await polled(placed, isAsked);
    const recovery = asked.refundRecovery as Record<string, string>;
    assert.deepEqual(
      [recovery.kind, recovery.phase, recovery.amount],
      ['source', 'address_required', placed.depositAmount],
    );
    await giveRefundAddress(placed, address);
  }
  for (const placed of [token, coin])
    assert.equal((await polled(placed, (order) => order.status === 'refunded')).status, 'refunded');
  assert.equal(await received(42161, USDC, evmAddress), token.depositAmount);
  assert.equal(await received(0, 'XMR', moneroAddress), coin.depositAmount);
});

/** An order that has ended has no more events, so it is asked. */
async function polled({ orderId, sessionId }: Placed, isTrue: (order: OrderView) => boolean): Promise<OrderView> {
  const headers = { 'x-session-id': sessionId, 'x-integrator-key': box.info.demo.serverKey };
  for (let left = 300; left > 0; left -= 1) {
    const { body } = await box.api('GET', `/v2/swaps/${orderId}`, undefined, headers);
    if (isTrue(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error(`${orderId} did not come to that`);
}
