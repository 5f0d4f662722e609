import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { bindFill } from '../../src/kernel/binding.ts';
import { type Instant, later } from '../../src/kernel/clock.ts';
import { newPayment } from '../../src/life/payment/payment.ts';
import { refusedByDeal } from '../../src/life/transfer/dead-deals.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import { ORDER_IN } from '../life/order-phases.ts';
import { paymentOf } from '../life/payment-facts.ts';
import { ENGINE, PROVIDER, USDC } from './signer-bench.ts';
import { transferRoom } from './transfer-room.ts';

const HOUR_MS = 3_600_000;
const FILL = newPayment({
  ...{ owner: 'treasury', purpose: { for: 'stock_fill', number: 1 }, from: 'hot', source: 'treasury' },
  ...{ amount: amount(USDC, 100_000_000n), to: PROVIDER, binding: bindFill(ENGINE, USDC, PROVIDER) },
});

/** A purchase whose payment a breaker holds; its deal is to be paid within the hour. */
async function heldIn(t: TestContext) {
  const room = transferRoom(t);
  const terms = { deadline: later(room.clock.now(), HOUR_MS) };
  room.fills.set(1, { terms });
  room.held.add(FILL.id);
  room.open(FILL);
  await assert.rejects(room.work(), { at: 'breaker' });
  return { ...room, terms };
}

test('a purchase that a breaker held is paid when it is gone, by bytes that need not live longer than its deal', async (t) => {
  const { held, work, node, terms } = await heldIn(t);
  held.clear();
  assert.equal((await work())[0], 'signed fill 7');
  assert.equal(node.until, terms.deadline);
});

test('past the deadline of its deal it is refused, not paid', async (t) => {
  const { held, wait, work, nonceOf } = await heldIn(t);
  held.clear();
  wait(HOUR_MS + 1);
  assert.deepEqual((await work()).slice(0, 1), ['told payment_refused']);
  assert.equal(nonceOf(FILL.id), undefined);
});

test('nor is one paid that its provider has given up', async (t) => {
  const { held, work, fills, terms } = await heldIn(t);
  fills.set(1, { terms, isWithdrawn: true });
  held.clear();
  assert.deepEqual((await work()).slice(0, 1), ['told payment_refused']);
});

test('what was signed in time is sent and outbid as ever, also where nobody heard of it', async (t) => {
  const { held, lost, wait, work, versions } = await heldIn(t);
  held.clear();
  lost.add(FILL.id);
  await assert.rejects(work(), { at: 'signer' });
  wait(HOUR_MS + 1);
  assert.ok((await work()).includes('told transfer_sent'));
  wait(15_000);
  await work();
  wait(60_000);
  await work();
  assert.equal(versions(FILL.id).length, 2, 'a second version with a higher fee');
});

test('a customer’s deal is paid for until its deadline, and no longer', async () => {
  const order = ORDER_IN.swapping;
  assert.ok(order.state.phase === 'swapping');
  const { deadline } = order.state.deal.terms;
  const refusedAt = (now: Instant, one = order) =>
    refusedByDeal({ clock: { now: () => now } } as TransferStage, paymentOf(order, 'provider_deal'), one);
  assert.equal(await refusedAt(deadline), undefined);
  assert.deepEqual(await refusedAt(later(deadline, 1)), { refused: 'the deal is past its deadline' });
});
