import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import type { Box } from './box.ts';
import type { RouteEnd } from './routes.ts';
import { sharedBox } from './shared-box.ts';
import {
  type Bought,
  isDone,
  openShopper,
  recoveryOf,
  type Shopper,
  stateOf,
  USDC,
  type View,
  XMR,
} from './shopper.ts';

const BLOCKS_MS = 400;
const PATIENCE_MS = 10 * 60_000;
/** Whole dollars make whole sums: 15.625 coins are $5,000. */
const BOOK = { mid: '320', depthUsd: 250_000, spreadBps: 10 };
/** A hundredth of a coin, at more than it costs here. */
const LOT_USD = 3.3;
let box: Box;
let shopper: Shopper;

before(async () => {
  box = await sharedBox();
  shopper = openShopper(box);
  for (const { chainId } of [USDC, XMR]) await shopper.rhythm(chainId, BLOCKS_MS);
});
beforeEach(() => shopper.control('POST', '/sandbox/book', BOOK));

interface Twap {
  readonly status: string;
  readonly chunksCompleted: number;
  readonly chunksTotal: number;
  readonly filledQty: string;
  readonly totalQty: string;
  readonly chunkSizeUsd: number;
  readonly intervalMs: number;
  readonly estimatedTimeRemainingMs: number;
}
const twapOf = (order: View) => order.twap as Twap | null | undefined;
const cents = (text: string): number => Math.round(Number(text) * 100);
const wishOf = (from: RouteEnd, to: RouteEnd, fromAmount: string) => ({
  ...{ fromChainId: from.chainId, fromToken: from.token, toChainId: to.chainId, toToken: to.token, fromAmount },
});

test('chunks begin strictly above $5,000 for a sale and $25,000 for a purchase', async () => {
  const planned = async (from: RouteEnd, to: RouteEnd, fromAmount: string) => {
    const toAddress = await shopper.addressOn(to.chainId);
    const { status, body } = await box.api('POST', '/v2/swaps/quote', { ...wishOf(from, to, fromAmount), toAddress });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const atMost = [await planned(XMR, USDC, '15625000000000'), await planned(USDC, XMR, '25000000000')];
  assert.deepEqual(
    atMost.map(({ fromAmountUsd, twap }) => [fromAmountUsd, twap]),
    [
      ['5000.00', undefined],
      ['25000.00', undefined],
    ],
  );
  const { twap: sale } = await planned(XMR, USDC, '15625010000000');
  assert.deepEqual(sale, { chunksTotal: 3, chunkSizeUsd: 1_920, intervalMs: 8_000 });
  const { twap: purchase } = await planned(USDC, XMR, '25000000001');
  assert.deepEqual(purchase, { chunksTotal: 5, chunkSizeUsd: 5_000, intervalMs: 8_000 });
});

test('a wish outside its bounds is refused, and the bounds themselves are taken', async () => {
  const toAddress = await shopper.addressOn(XMR.chainId);
  const ask = async (twapConfig: View) => {
    const wish = { ...wishOf(USDC, XMR, '30000000000'), toAddress, twapConfig };
    return box.api('POST', '/v1/order', wish, { 'x-api-key': box.info.demo.serverKey });
  };
  for (const wrong of [{ chunkSizeUsd: 249.99 }, { intervalMs: 999 }, { intervalMs: 60_001 }, { disabled: 'yes' }]) {
    assert.equal((await ask(wrong)).status, 400, JSON.stringify(wrong));
  }
  const planOf = async (twapConfig: View) => {
    const { status, body } = await ask(twapConfig);
    assert.equal(status, 200, JSON.stringify(body));
    return twapOf(await shopper.read({ ...(body as unknown as Bought), generation: 'v1', toAddress }));
  };
  const { status, chunksTotal, chunkSizeUsd, intervalMs } =
    (await planOf({ chunkSizeUsd: 250, intervalMs: 60_000 })) ?? {};
  assert.deepEqual([status, chunksTotal, chunkSizeUsd, intervalMs], ['pending', 120, 250, 60_000]);
  assert.equal(await planOf({ disabled: true }), undefined);
  assert.equal(await planOf({ chunkSizeUsd: 30_001 }), undefined, 'a chunk larger than the order');
});

/** Everything that was ever seen of the progress fits together. */
function assertTrue(looks: readonly View[], chunks: number): void {
  const seen = looks.flatMap((order) => (twapOf(order) ? [{ order, twap: twapOf(order) as Twap }] : []));
  const order = ['pending', 'active', 'completed'];
  for (const [index, { twap, order: shown }] of seen.entries()) {
    const before = seen[index - 1]?.twap ?? twap;
    assert.equal(twap.chunksTotal, chunks);
    assert.ok(order.indexOf(twap.status) >= order.indexOf(before.status), `${before.status} to ${twap.status}`);
    assert.ok(twap.chunksCompleted >= before.chunksCompleted && twap.chunksCompleted <= chunks);
    assert.ok(cents(twap.filledQty) >= cents(before.filledQty) && cents(twap.filledQty) <= cents(twap.totalQty));
    assert.equal(twap.chunksCompleted === chunks, twap.status === 'completed');
    const left = twap.status === 'completed' ? 0 : (chunks - twap.chunksCompleted) * twap.intervalMs;
    assert.equal(twap.estimatedTimeRemainingMs, left);
    // Chunks are worked one after the other: what is filled lies between the chunks that are done and the next one.
    const share = cents(twap.totalQty) / chunks;
    if (twap.status === 'active') assert.ok(cents(twap.filledQty) <= share * (twap.chunksCompleted + 1) * 1.1 + 1);
    const ids = (shown.hlFills as { tradeId: string }[]).map(({ tradeId }) => tradeId);
    assert.equal(new Set(ids).size, ids.length, 'a trade is shown once');
  }
  assert.ok(new Set(seen.map(({ twap }) => twap.chunksCompleted)).size > 2, 'progress was seen');
}

test('large orders are worked in chunks through two deaths of the engine, and their progress is true at every look', async () => {
  const twapConfig = { intervalMs: 1_000.5 };
  const purchase = await shopper.buy(USDC, XMR, '60000000000', { generation: 'v1', twapConfig });
  const sale = await shopper.buy(XMR, USDC, '37500000000000', { generation: 'v1', twapConfig: { intervalMs: 1_000 } });
  const work = async (order: Bought, chunks: number, killsAt: number[]) => {
    const looks: View[] = [];
    const kills = [...killsAt];
    await shopper.pay(order);
    const done = await shopper.until(order, isDone, (seen) => {
      looks.push(seen);
      if ((twapOf(seen)?.chunksCompleted ?? 0) < (kills[0] ?? Number.POSITIVE_INFINITY)) return;
      kills.shift();
      void shopper.control('POST', '/sandbox/kill', { role: 'engine' });
    });
    assertTrue(looks, chunks);
    assert.deepEqual(kills, []);
    await shopper.completed(order);
    return done;
  };
  const [bought, sold] = await Promise.all([work(purchase, 12, [3, 8]), work(sale, 7, [])]);
  const sum = (order: View) =>
    (order.hlFills as { quoteAmount: string }[]).reduce((total, { quoteAmount }) => total + Number(quoteAmount), 0);
  assert.equal(twapOf(bought)?.totalQty, twapOf(bought)?.filledQty);
  const total = Number(twapOf(bought)?.totalQty);
  assert.ok(sum(bought) >= total && sum(bought) < total + 12 * LOT_USD, 'every chunk, rounded up to a lot');
  assert.ok((bought.hlFills as unknown[]).length >= 12 && (sold.hlFills as unknown[]).length >= 7);
  assert.equal(twapOf(sold)?.totalQty, '12000.00');
});

/** Waits until the book was looked at in vain: of two tickets that end from now on, one at least was opened after now. */
async function untilIdle({ orderId }: Bought): Promise<void> {
  const tickets = async (): Promise<number> => {
    const { body } = await box.operator('GET', `/operator/orders/${orderId}`);
    return (body.history as { fact: { fact: string } }[]).filter(({ fact }) => fact.fact === 'ticket_done').length;
  };
  const enough = (await tickets()) + 2;
  while ((await tickets()) < enough) await shopper.passTime(1_000);
}

const isBegun = (order: View) => (twapOf(order)?.chunksCompleted ?? 0) >= 1;
const isStopped = (order: View) => twapOf(order)?.status === 'failed';

/** Atoms of the deposit that were traded, by the share of the dollars that were. */
function tradedShare(order: View): number {
  const { filledQty, totalQty, chunksCompleted, chunksTotal } = twapOf(order) as Twap;
  assert.ok(chunksCompleted >= 1 && chunksCompleted < chunksTotal && cents(filledQty) < cents(totalQty));
  return cents(filledQty) / cents(totalQty);
}
const isAbout = (value: unknown, wanted: number): boolean => Math.abs(Number(value) / wanted - 1) < 0.02;

test('a purchase whose price stays away pays out what was traded, and the rest goes back to its sender', async () => {
  const twapConfig = { intervalMs: 1_000 };
  const order = await shopper.buy(USDC, XMR, '60000000000', { generation: 'v1', twapConfig });
  const { from: sender } = await shopper.pay(order);
  await shopper.until(order, isBegun);
  await shopper.control('POST', '/sandbox/book', { ...BOOK, mid: '420' });
  await untilIdle(order);
  await shopper.passTime(PATIENCE_MS);
  const stopped = await shopper.until(order, isStopped);
  const share = tradedShare(stopped);
  const done = await shopper.completed(order);
  assert.ok(isAbout(done.actualOutput, Number(order.expectedOutput) * share));
  assert.ok((done.hlFills as unknown[]).length >= (twapOf(done)?.chunksCompleted ?? 0));
  const paidBack = await shopper.until(order, ({ refundTxHash }) => Boolean(refundTxHash));
  const { transfers } = await shopper.received(USDC, String(sender));
  const refunds = transfers.filter(({ txHash }) => txHash === paidBack.refundTxHash);
  assert.equal(refunds.length, 1);
  assert.ok(isAbout(refunds[0]?.amount, 60_000_000_000 * (1 - share)));
});

test('a sale whose price comes back goes on, and when it stays away its seller says where the rest is to go', async () => {
  const order = await shopper.buy(XMR, USDC, '37500000000000');
  await shopper.pay(order);
  const { twap } = await shopper.until(order, isBegun);
  await shopper.control('POST', '/sandbox/book', { ...BOOK, mid: '250' });
  await untilIdle(order);
  await shopper.control('POST', '/sandbox/book', BOOK);
  const more = ((twap as Twap).chunksCompleted ?? 0) + 1;
  await shopper.until(
    order,
    (seen) => (twapOf(seen)?.chunksCompleted ?? 0) > more,
    () => void shopper.passTime(1_000),
  );
  await shopper.control('POST', '/sandbox/book', { ...BOOK, mid: '250' });
  await untilIdle(order);
  await shopper.passTime(PATIENCE_MS);
  const asked = await shopper.until(order, (seen) => isStopped(seen) && stateOf(seen).action === 'refund_address');
  const share = tradedShare(asked);
  const owed = String(recoveryOf(asked).amount);
  assert.ok(isAbout(owed, 37_500_000_000_000 * (1 - share)));
  await shopper.refunded(order, XMR, owed);
  const done = await shopper.completed(order);
  assert.ok(isAbout(done.actualOutput, Number(order.expectedOutput) * share));
  assert.equal(done.hlFillsStatus, 'complete');
});
