import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Box } from './box.ts';
import { assertPaidOnce, ending, freshAddress, pay, placeV2, USDC, until } from './customer.ts';
import { sharedBox } from './shared-box.ts';

const WITHIN_MS = 90_000;
let box: Box;

before(async () => {
  box = await sharedBox();
});
beforeEach(async () => {
  await control('DELETE', '/sandbox/faults');
});

async function control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const reply = await box.control(method, path, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

const fault = (target: string, mode: string, count?: number) =>
  control('POST', '/sandbox/fault', { target, mode, ...(count ? { count } : {}) });

test('answers that are lost after the effect do not make anyone pay twice', async () => {
  const orders = [await placeV2(box, 'usdc_to_xmr'), await placeV2(box, 'xmr_to_usdc')];
  for (const target of ['chain:42161', 'chain:0', 'venue']) await fault(target, 'error_after_effect', 2);
  for (const order of orders) await pay(box, order);
  for (const placed of orders) {
    const order = await ending(box, placed, WITHIN_MS);
    assert.equal(order.status, 'completed');
    await assertPaidOnce(box, placed, order.actualOutput);
  }
});

test('a destination that the token refuses is asked for again, and the new one is paid', async () => {
  const placed = await placeV2(box, 'xmr_to_usdc');
  await fault('payout:42161', 'refuse_destination', 1);
  await pay(box, placed);
  const asked = await until(
    box,
    placed,
    WITHIN_MS,
    (order) => (order.customerState as { kind: string }).kind === 'action_required',
  );
  assert.equal((asked.customerState as { action: string }).action, 'payout_address');

  const toAddress = await freshAddress(box, 'xmr_to_usdc');
  const path = `/v2/orders/${placed.orderId}/payout-address`;
  const saved = await box.api('PUT', path, { payoutAddress: toAddress }, { 'x-session-id': placed.sessionId });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  const order = await ending(box, placed, WITHIN_MS);
  assert.equal(order.status, 'completed');
  await assertPaidOnce(box, { ...placed, toAddress }, order.actualOutput);
  const first = `/sandbox/received?chainId=42161&token=${USDC}&address=${placed.toAddress}`;
  assert.equal((await control('GET', first)).total, '0');
});

test('a deposit that a reorganisation drops is forgotten, and the next one counts', async () => {
  const placed = await placeV2(box, 'usdc_to_xmr');
  await control('POST', '/sandbox/automine', { chainId: 42161, intervalMs: 0 });
  const payment = { chainId: 42161, token: USDC, to: placed.depositAddress, amount: placed.depositAmount };
  const { txHash } = await control('POST', '/sandbox/pay', payment);
  await control('POST', '/sandbox/mine', { chainId: 42161, blocks: 1 });
  await until(box, placed, WITHIN_MS, (order) => order.observedDepositAmount === placed.depositAmount);
  await control('POST', '/sandbox/reorg', { chainId: 42161, depth: 1, drop: [txHash] });
  await control('POST', '/sandbox/mine', { chainId: 42161, blocks: 1 });
  await until(box, placed, WITHIN_MS, (order) => order.observedDepositAmount !== placed.depositAmount);

  await control('POST', '/sandbox/automine', { chainId: 42161, intervalMs: 1_000 });
  await pay(box, placed);
  const order = await ending(box, placed, WITHIN_MS);
  assert.equal(order.status, 'completed');
  assert.equal(order.observedDepositAmount, placed.depositAmount);
  await assertPaidOnce(box, placed, order.actualOutput);
});

test('time passes, and an order without a deposit expires', async () => {
  const placed = await placeV2(box, 'usdc_to_xmr');
  await control('POST', '/sandbox/clock', { advanceMs: 61 * 60 * 1000 });
  assert.equal((await ending(box, placed, WITHIN_MS)).status, 'expired');
});

test('money of a listed sender goes back to where it came from, also while only refunds are paid', async () => {
  const placed = await placeV2(box, 'usdc_to_xmr');
  const only = (open: boolean) =>
    box.operator('PUT', '/operator/breakers/refunds-only', { open, reason: 'looking at a loss' });
  const quote = { fromChainId: 42161, fromToken: USDC, toChainId: 0, toToken: 'XMR', fromAmount: '100000000' };
  assert.equal((await only(true)).status, 200);
  await pause(1_100);
  const { status, body } = await box.api('POST', '/v2/swaps/quote', quote);
  assert.deepEqual([status, body.code], [503, 'unavailable']);
  const wallets = (await control('GET', '/sandbox/wallets')).wallets as { chainId: number; address: string }[];
  const customer = wallets.find(({ chainId }) => chainId === 42161)?.address;
  await control('POST', '/sandbox/sanction', { address: customer });
  await pay(box, placed);
  const order = await ending(box, placed, WITHIN_MS);
  assert.equal(order.status, 'refunded');
  assert.equal((await only(false)).status, 200);
  await pause(1_100);
  assert.equal((await box.api('POST', '/v2/swaps/quote', quote)).status, 200, 'and then everything goes on');
  const got = `/sandbox/received?chainId=42161&token=${USDC}&address=${customer}`;
  const { transfers } = await control('GET', got);
  const refunds = (transfers as { txHash: string; amount: string }[]).filter(
    (one) => one.txHash === order.refundTxHash,
  );
  assert.equal(refunds.length, 1);
});
