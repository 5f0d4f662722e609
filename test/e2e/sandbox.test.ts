import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { patiently } from '../run/patience.ts';
import type { Box } from './box.ts';
import { assertPaidOnce, type Direction, ending, freshAddress, pay, placeV2, USDC, WISHES } from './customer.ts';
import { sharedBox } from './shared-box.ts';

/** The promise of the sandbox. */
const ORDER_WITHIN_MS = 60_000;
let box: Box;

before(async () => {
  box = await sharedBox();
});

test('the file says where everything is, and only its owner can read it', async () => {
  const { info } = box;
  assert.equal(statSync(join(box.dir, 'sandbox.json')).mode & 0o777, 0o600);
  assert.deepEqual(
    info.chains.map(({ chainId, kind }) => [chainId, kind]),
    [
      ...[1, 42161, 8453, 56, 137, 10],
      ...[20_000_000_000_001, 1_151_111_081_099_710, 728_126_428, 20_000_000_000_133, 0, 1337],
    ].map((id) => [id, 'simulated']),
  );
  const shown = (await box.control('GET', '/sandbox/info')).body;
  assert.equal(shown.apiUrl, info.apiUrl);
  assert.ok(Math.abs(Date.parse(String(shown.now)) - Date.now()) < 60_000);
  const text = JSON.stringify(shown);
  assert.ok(!text.includes(info.operatorToken) && !text.includes(info.demo.serverKey));
});

for (const direction of ['usdc_to_xmr', 'xmr_to_usdc'] as const) {
  test(`a v2 order ${direction} pays out exactly what it says`, async () => {
    const placed = await placeV2(box, direction);
    await pay(box, placed);
    const order = await ending(box, placed, ORDER_WITHIN_MS);
    assert.equal(order.status, 'completed');
    await assertPaidOnce(box, placed, order.actualOutput);
  });

  test(`a v1 order ${direction} pays out exactly what it says`, async () => {
    const placed = await placeV1(direction);
    await pay(box, placed);
    const order = await endingV1(placed);
    assert.equal(order.status, 'completed');
    await assertPaidOnce(box, placed, order.actualOutput);
  });
}

async function placeV1(direction: Direction) {
  const toAddress = await freshAddress(box, direction);
  const wish = { ...WISHES[direction], toAddress };
  const { status, body } = await box.api('POST', '/v1/order', wish, { 'x-api-key': box.info.demo.serverKey });
  assert.equal(status, 200, JSON.stringify(body));
  const { orderId, sessionId, depositAddress, depositAmount } = body as Record<string, string>;
  assert.ok(orderId && sessionId && depositAddress && depositAmount);
  return { orderId, sessionId, depositAddress, depositAmount, toAddress, direction };
}

/** v1 has no events: it is asked again and again. */
async function endingV1({ orderId, toAddress }: { orderId: string; toAddress: string }) {
  const path = `/v1/order/${orderId}?verify=${toAddress}`;
  const headers = { 'x-api-key': box.info.demo.serverKey };
  return patiently(orderId, ORDER_WITHIN_MS, async (bound) => {
    for (;;) {
      const { body } = await box.api('GET', path, undefined, headers);
      if (['completed', 'expired', 'failed', 'refunded'].includes(String(body.status))) return body;
      assert.ok(!bound.isOver(), `not completed in time: ${JSON.stringify(body)}`);
      await sleep(250);
    }
  });
}

test('the buttons of the control page pay twice or on another chain, make blocks and move the clock', async () => {
  const { controlUrl, apiUrl } = box.info;
  const press = async (fields: Record<string, string>) => {
    const reply = await fetch(`${controlUrl}/do`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
    assert.equal(reply.status, 303, await reply.text());
    return (await fetch(new URL(reply.headers.get('location') ?? '', controlUrl))).text();
  };
  const desk = await (await fetch(apiUrl)).text();
  assert.match(desk, new RegExp(`<p class="banner warning"><a href="${controlUrl}/?">Play money`));
  const { orderId, depositAddress } = await placeV2(box, 'usdc_to_xmr');
  /** What has arrived there, once it is as much as this. */
  const arrived = (chainId: number, token: string, count: number) =>
    patiently(`${count} payments on ${chainId}`, ORDER_WITHIN_MS, async (bound) => {
      const query = new URLSearchParams({ chainId: `${chainId}`, token, address: depositAddress });
      for (;;) {
        const { body } = await box.control('GET', `/sandbox/received?${query}`);
        const amounts = (body.transfers as { amount: string }[]).map(({ amount }) => amount);
        if (amounts.length >= count) return amounts;
        assert.ok(!bound.isOver(), JSON.stringify(body));
        await sleep(250);
      }
    });
  const said = await press({ order: orderId, what: 'twice' });
  assert.match(said, new RegExp(`<b>It is sent.</b> <a href="${apiUrl}/order/${orderId}">`));
  await press({ order: orderId, what: 'elsewhere' });
  assert.deepEqual(await arrived(42161, USDC, 2), ['100000000', '100000000']);
  assert.deepEqual(await arrived(1, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 1), ['100000000']);
  const now = async () => Date.parse(String((await box.control('GET', '/sandbox/info')).body.now));
  const before = await now();
  await press({ what: 'clock', minutes: '1' });
  assert.ok((await now()) - before >= 60_000);
  await press({ what: 'mine', chain: '8453', blocks: '1' });
});

test('whoever asks for wallets at the same time gets fresh addresses of his own', async () => {
  const asked = await Promise.all(Array.from({ length: 12 }, () => box.control('GET', '/sandbox/wallets')));
  const fresh = asked.flatMap(({ status, body }) => {
    assert.equal(status, 200, JSON.stringify(body));
    const { addresses } = (body.wallets as { chainId: number; addresses: string[] }[]).find(
      ({ chainId }) => chainId === 0,
    ) ?? { addresses: [] };
    assert.equal(addresses.length, 5);
    return addresses.slice(1);
  });
  assert.equal(new Set(fresh).size, fresh.length);
});

test('what makes no sense is refused with a sentence', async () => {
  const refused: [string, string, unknown, RegExp][] = [
    ['POST', '/sandbox/pay', {}, /chainId/],
    ['POST', '/sandbox/pay', { chainId: 42161, token: USDC, to: '0x12', amount: '1' }, /not an address of Arbitrum/],
    ['POST', '/sandbox/pay', { chainId: 42161, token: 'USDC', to: USDC, amount: '1' }, /no such token/],
    ['POST', '/sandbox/pay', { chainId: 42161, token: USDC, to: USDC, amount: '0x1' }, /amount/],
    ['POST', '/sandbox/pay', { chainId: 5, token: USDC, to: USDC, amount: '1' }, /no chain 5/],
    ['POST', '/sandbox/mine', { chainId: 1337, blocks: 1 }, /no blocks/],
    ['POST', '/sandbox/mine', { chainId: 42161, blocks: 0 }, /blocks/],
    ['POST', '/sandbox/reorg', { chainId: 42161, depth: 1, extra: true }, /extra/],
    ['POST', '/sandbox/reorg', { chainId: 42161, depth: 1, drop: ['0x12'] }, /0x12 is in none of the blocks/],
    ['POST', '/sandbox/reorg', { chainId: 728126428, depth: 5 }, /solidified/],
    ['POST', '/sandbox/reorg', { chainId: 1151111081099710, depth: 1 }, /never replaced/],
    ['POST', '/sandbox/clock', { advanceMs: -1 }, /advanceMs/],
    ['POST', '/sandbox/fault', { target: 'moon', mode: 'down' }, /target/],
    ['POST', '/sandbox/fault', { target: 'payout:0', mode: 'refuse_destination' }, /mode/],
    ['POST', '/sandbox/fault', { target: 'screening', mode: 'down', count: 1 }, /count: screening fails until/],
    ['POST', '/sandbox/kill', { role: 'postgres' }, /role/],
    ['POST', '/sandbox/book', { mid: 'high', depthUsd: 1, spreadBps: 1 }, /mid/],
    ['GET', '/sandbox/received?chainId=x&token=XMR&address=a', undefined, /chainId/],
  ];
  for (const [method, path, body, why] of refused) {
    const reply = await box.control(method, path, body);
    assert.equal(reply.status, 400, `${path} ${JSON.stringify(body)}`);
    assert.match(String(reply.body.error), why);
  }
  assert.equal((await box.control('POST', '/sandbox/mine', { chainId: 8453, blocks: 1 })).status, 200);
  assert.equal((await box.control('GET', '/sandbox/moon')).status, 404);
  assert.equal((await box.control('GET', '/sandbox/pay')).status, 405);
});
