import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../src/kernel/clock.ts';
import { txHash } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { Payment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import { ORDER_IN } from '../life/order-phases.ts';
import { ORDER } from './signer-bench.ts';
import { payoutOf } from './transfer-room.ts';

const PAYOUT = payoutOf(ORDER);

/** Handlers that may look into the books, and at nothing else. */
const idleHandlers = (payment: Payment) =>
  transferHandlers({
    chain: () => assert.fail('no chain is asked'),
    signer: { signTransfer: () => assert.fail('nothing is signed') } as unknown as TransferStage['signer'],
    screen: () => assert.fail('nobody is screened'),
    boundOf: () => assert.fail('no claim is looked at'),
    books: { find: async () => payment, attempts: async () => [] } as unknown as TransferStage['books'],
    clock: { now: () => instant(1) },
    inAsset: () => assert.fail('no refund is priced'),
    bindAmount: () => assert.fail('nothing is bound'),
    fill: () => assert.fail('nothing is bought'),
  });
const JOB = { key: 'late', owner: ORDER, tries: 1, troubledSince: undefined };
const ABOUT = { payment: PAYOUT.id, part: 'main' } as const;
const SIGN = { effect: 'sign_transfer', ...ABOUT, lane: '42161:hot' } as const;

test('an instruction that comes late for a payment that was refused signs nothing', async () => {
  const { sign_transfer: sign } = idleHandlers({ ...PAYOUT, state: { state: 'refused', reason: 'the chain says no' } });
  assert.equal(await sign({ ...JOB, effect: SIGN }), 'done');
});

test('whoever finds no bytes of an order whose deposit has left the chain signs none, also where others were to be outbid', async () => {
  const handlers = idleHandlers(PAYOUT);
  const { funds, ...order } = ORDER_IN.paying;
  const orphaned: Order = { ...order, payments: [PAYOUT], funds: { ...funds, missing: funds.confirmed } };
  const waits = { againInMs: 60_000 };
  const outbid = { ...SIGN, replaces: txHash('0xburied') };
  assert.deepEqual(await handlers.sign_transfer({ ...JOB, effect: outbid }, orphaned), waits);
  assert.deepEqual(
    await handlers.send_transfer({ ...JOB, effect: { effect: 'send_transfer', ...ABOUT } }, orphaned),
    waits,
  );
  assert.deepEqual(
    await handlers.watch_transfer({ ...JOB, effect: { effect: 'watch_transfer', ...ABOUT } }, orphaned),
    waits,
  );
});
