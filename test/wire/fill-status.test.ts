import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../src/kernel/clock.ts';
import { BUY_ORDER, bench, NO_LIMITS, START } from './bench.ts';
import { expired, trading } from './stages.ts';

test('fills are pending while they may come, incomplete where trading broke off, and complete where none will', async () => {
  const { post, get, desk } = await bench({ quota: NO_LIMITS });
  const { orderId, sessionId } = (await post('/v2/swaps', BUY_ORDER)).json();
  const statusAfter = async (change: Parameters<typeof desk.change>[1]) => {
    desk.change(orderId, change);
    return (await get(`/v2/swaps/${orderId}`, { 'x-session-id': sessionId })).json().hlFillsStatus;
  };
  assert.equal(await statusAfter(trading), 'pending');
  assert.equal(
    await statusAfter(() => ({ state: { phase: 'failed', code: 'venue_unclear', at: instant(START) } })),
    'incomplete',
  );
  assert.equal(await statusAfter(expired), 'complete');
});
