import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { BUY_ORDER, bench, NO_LIMITS } from './bench.ts';
import { completed, confirming } from './stages.ts';

test('a deposit that has left its chain again is not shown, and neither is a sum of nothing', async () => {
  const { get, post, desk } = await bench({ quota: NO_LIMITS });
  const { orderId, sessionId, trackingUrl } = (await post('/v2/swaps', BUY_ORDER)).json();
  const tracking = `/v2${trackingUrl}`;
  const shown = async () => {
    const order = (await get(`/v2/swaps/${orderId}`, { 'x-session-id': sessionId })).json();
    const tracked = (await get(tracking)).json();
    return [order, tracked].map((one) => [one.depositTxHash ?? null, one.observedDepositAmount, one.confirmations]);
  };
  desk.change(orderId, confirming);
  const [seen, tracked] = await shown();
  assert.deepEqual(seen, tracked);
  assert.deepEqual(seen?.slice(1), [BUY_ORDER.fromAmount, 3]);
  desk.change(orderId, ({ funds }) => ({
    funds: { ...funds, seen: { ...funds.seen, atoms: atoms(0n) }, have: 0 },
    state: { phase: 'awaiting_deposit' },
  }));
  assert.deepEqual(await shown(), [
    [null, undefined, undefined],
    [null, undefined, undefined],
  ]);
});

test('a deposit that left its chain after the order was completed is not shown, either', async () => {
  const { get, post, desk } = await bench({ quota: NO_LIMITS });
  const { orderId, sessionId } = (await post('/v2/swaps', BUY_ORDER)).json();
  const shown = async () => {
    const order = (await get(`/v2/swaps/${orderId}`, { 'x-session-id': sessionId })).json();
    return [order.status, order.depositTxHash, order.observedDepositAmount];
  };
  desk.change(orderId, confirming);
  desk.change(orderId, completed);
  const [, txHash] = await shown();
  assert.deepEqual(await shown(), ['completed', txHash, BUY_ORDER.fromAmount]);
  assert.ok(txHash);
  desk.change(orderId, ({ funds, asked }) => ({
    funds: { ...funds, confirmed: asked, seen: { ...asked, atoms: atoms(0n) }, missing: asked, have: 0 },
  }));
  assert.deepEqual(await shown(), ['completed', null, undefined]);
});

test('an id of no possible length is that of no order', async () => {
  const { get } = await bench({ quota: NO_LIMITS });
  const long = `sw_${'q'.repeat(200)}`;
  for (const path of [
    `/v2/swaps/${long}`,
    `/v1/order/${long}?verify=x`,
    `/v1/bridge/order/${long}`,
    `/v2/track/${long}`,
  ])
    assert.equal((await get(path)).statusCode, 404, path);
});
