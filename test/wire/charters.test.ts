import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openChecker, readCharter } from '../../src/kernel/binding.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { EVM_ADDRESS, OTHER_EVM_ADDRESS } from './assets.ts';
import { type Bench, BUY_ORDER, bench, NO_LIMITS, SERVER_KEY } from './bench.ts';

async function made({ desk, deps }: Bench, id: string) {
  const placed = await desk.find(id as OrderId);
  assert.ok(placed);
  const { order } = placed;
  const checker = openChecker([deps.binder.publicKey]);
  return { order, checker, charter: readCharter(checker, order.id, order.charter) };
}

test('a swap is made for what is asked and for its quote with a tenth more, to the address that was given', async () => {
  const room = await bench({ quota: NO_LIMITS });
  const { orderId } = (await room.post('/v2/swaps', BUY_ORDER)).json();
  const { order, charter } = await made(room, orderId);
  const { asked, expected, destination } = order;
  assert.ok(expected.atoms > 0n);
  assert.deepEqual(charter, {
    gives: { asset: asked.asset, most: asked.atoms },
    gets: { asset: expected.asset, most: (expected.atoms * 11n + 9n) / 10n, address: destination.address },
    places: [],
  });
  assert.equal(destination.binding, undefined, 'one signature says it all');
});

test('addresses for refunds and for fees that come with an order stand in its charter', async () => {
  const room = await bench({ quota: NO_LIMITS });
  const body = { ...BUY_ORDER, refundAddress: OTHER_EVM_ADDRESS };
  const { orderId } = (await room.post('/v2/swaps', body, { 'x-integrator-key': SERVER_KEY })).json();
  const { order, charter } = await made(room, orderId);
  const fee = order.integratorFee?.to;
  assert.ok(order.refundTo && fee);
  assert.deepEqual(charter?.places, [
    { purpose: 'refund', ...order.refundTo },
    { purpose: 'fee', ...fee },
  ]);
  assert.equal(order.refundTo.address, OTHER_EVM_ADDRESS);
});

test('a bridge is made for its minimum: nobody says beforehand how much will come', async () => {
  const room = await bench({ quota: NO_LIMITS });
  const reply = await room.post('/v2/bridges', { asset: 'xmr', direction: 'deposit', toAddress: EVM_ADDRESS });
  const { order, charter } = await made(room, reply.json().orderId);
  assert.deepEqual(charter?.gives, { asset: order.from.id, most: order.minimum.atoms });
  assert.equal(charter?.gets.most, (order.expected.atoms * 11n + 9n) / 10n);
});

test('orders made by one API prove nothing with the key of another', async () => {
  const room = await bench({ quota: NO_LIMITS });
  const [first, second] = [
    (await room.post('/v2/swaps', BUY_ORDER)).json(),
    (await room.post('/v2/swaps', BUY_ORDER)).json(),
  ];
  const { order, checker } = await made(room, first.orderId);
  assert.equal(readCharter(checker, second.orderId, order.charter), undefined, 'nor for another order');
  assert.equal(readCharter(openChecker(['00'.repeat(32)]), order.id, order.charter), undefined);
});
