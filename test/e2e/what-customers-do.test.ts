import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import type { Box } from './box.ts';
import type { RouteEnd } from './routes.ts';
import { sharedBox } from './shared-box.ts';
import {
  type Bought,
  end,
  openShopper,
  recoveryOf,
  type Shopper,
  stateOf,
  USDC,
  type View,
  XMR,
  ZEC,
} from './shopper.ts';

const HOUR_MS = 3_600_000;
const BLOCKS_MS = 400;
let box: Box;
let shopper: Shopper;

before(async () => {
  box = await sharedBox();
  shopper = openShopper(box);
  for (const { chainId } of box.info.chains) if (chainId !== 1337) await shopper.rhythm(chainId, BLOCKS_MS);
});

/** 99 % of what was asked, to the atom. */
const enough = ({ depositAmount }: Bought): bigint => (BigInt(depositAmount) * 99n + 99n) / 100n;
const isSeen = (amount: bigint | string) => (order: View) => order.observedDepositAmount === `${amount}`;
const isNotice = (order: View) => stateOf(order).kind === 'notice';
const together = <T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> => Promise.all(all.map(work));

/** About $100 of each; what a node will not relay is no top-up. */
const TOKENS: readonly (readonly [RouteEnd, asked: string, smallest: bigint])[] = [
  [USDC, '100000000', 1n],
  [end('ETH'), '40000000000000000', 1n],
  [end('USDT Tron'), '100000000', 1n],
  [end('USDC Solana'), '100000000', 1n],
  [end('SOL'), '800000000', 1n],
  [end('BTC'), '150000', 1_000n],
];

test('on every chain with tokens 99 % is enough, one atom less waits, and that atom carries it on', async () => {
  await together(TOKENS, async ([from, asked, smallest]) => {
    const order = await shopper.buy(from, XMR, asked);
    const short = enough(order) - smallest;
    await shopper.pay(order, short);
    const waiting = await shopper.until(order, isSeen(short));
    assert.equal(waiting.status, 'awaiting_deposit', from.name);
    assert.deepEqual(
      waiting.customerState,
      { kind: 'notice', notice: 'below_expected', observedDepositAmount: `${short}`, topUpUntil: order.expiresAt },
      from.name,
    );
    assert.ok(BigInt(String(waiting.fundedExpectedOutput)) < BigInt(order.expectedOutput));
    await shopper.pay(order, smallest);
    const done = await shopper.completed(order);
    assert.equal(done.observedDepositAmount, `${enough(order)}`, from.name);
  });
});

test('dust shows nothing, one per cent shows, and more than was asked is swapped in full', async () => {
  const order = await shopper.buy(USDC, XMR, '100000000');
  await shopper.pay(order, 999_999n);
  const dust = await shopper.until(order, isSeen(999_999n));
  assert.deepEqual(dust.customerState, { kind: 'awaiting_deposit' });
  assert.equal((await shopper.close(order)).status, 409);
  await shopper.pay(order, 1n);
  assert.ok(isNotice(await shopper.until(order, isSeen(1_000_000n))));
  await shopper.pay(order, 129_000_000n);
  const done = await shopper.completed(order);
  assert.equal(done.observedDepositAmount, '130000000');
  assert.ok(BigInt(String(done.fundedExpectedOutput)) > (BigInt(order.expectedOutput) * 129n) / 100n);
  assert.ok(BigInt(String(done.actualOutput)) > (BigInt(order.expectedOutput) * 128n) / 100n);
});

async function minimumOf(from: RouteEnd, fromAmount: string): Promise<bigint> {
  const ends = { fromChainId: from.chainId, fromToken: from.token, toChainId: USDC.chainId, toToken: USDC.token };
  const toAddress = await shopper.addressOn(USDC.chainId);
  const { body } = await box.api('POST', '/v2/swaps/quote', { ...ends, fromAmount, toAddress });
  return BigInt(String((body.limits as View).minFromAmount));
}

const COINS: readonly (readonly [RouteEnd, asked: string])[] = [
  [XMR, '500000000000'],
  [ZEC, '300000000'],
];

test('a native coin goes on from its minimum, says what is missing under it, and joins what comes before it confirms', async () => {
  await together(COINS, async ([coin, asked]) => {
    const minimum = await minimumOf(coin, asked);
    const [exact, short] = [await shopper.buy(coin, USDC, asked), await shopper.buy(coin, USDC, asked)];
    await shopper.rhythm(coin.chainId, 0);
    await shopper.pay(exact, minimum);
    await shopper.pay(short, minimum - 1n);
    const noticed = await shopper.until(short, isSeen(minimum - 1n));
    assert.deepEqual(
      noticed.customerState,
      {
        ...{ kind: 'notice', notice: 'below_minimum' },
        ...{ observedDepositAmount: `${minimum - 1n}`, minimumDepositAmount: `${minimum}` },
      },
      coin.name,
    );
    const going = await shopper.until(exact, isSeen(minimum));
    assert.deepEqual([going.status, stateOf(going).step], ['processing', 'deposit_seen'], coin.name);
    for (const order of [exact, short]) assert.equal((await shopper.close(order)).status, 409);
    await shopper.pay(short, 1n);
    assert.equal((await shopper.until(short, isSeen(minimum))).status, 'processing');
    await shopper.rhythm(coin.chainId, BLOCKS_MS);
    await together([exact, short], (order) => shopper.completed(order));
  });
});

test('too little of a native coin that confirms is set aside, and what reaches the minimum carries it on', async () => {
  await together(COINS, async ([coin, asked]) => {
    const order = await shopper.buy(coin, USDC, asked);
    const minimum = await minimumOf(coin, asked);
    await shopper.pay(order, minimum / 2n);
    const paused = await shopper.until(order, (now) => stateOf(now).kind === 'paused');
    assert.deepEqual(
      [paused.status, stateOf(paused).reason, stateOf(paused).minimumDepositAmount],
      ['awaiting_deposit', 'below_minimum', `${minimum}`],
      coin.name,
    );
    await shopper.pay(order, minimum - minimum / 2n);
    const done = await shopper.completed(order);
    assert.equal(done.observedDepositAmount, `${minimum}`);
  });
});

test('the wait is closed by the session and by the confidential key of the creator, and by nobody else', async () => {
  const other = await box.operator('POST', '/operator/integrations', {
    ...{ name: 'Other', feePercent: 0, feeAddress: await shopper.addressOn(1) },
  });
  const made = await box.operator('POST', `/operator/integrations/${other.body.integrationId}/keys`, {
    kind: 'server',
  });
  const { serverKey, publicKey } = box.info.demo;
  const [first, second] = [await shopper.buy(USDC, XMR, '100000000'), await shopper.buy(USDC, XMR, '100000000')];
  await together([first, second], async (order) => {
    await shopper.pay(order, 60_000_000n);
    await shopper.until(order, isNotice);
  });
  const strangers: readonly Record<string, string>[] = [
    {},
    { 'x-session-id': randomUUID() },
    { 'x-session-id': second.sessionId },
    { 'x-integrator-key': publicKey },
    { 'x-integrator-key': String(made.body.key) },
  ];
  for (const headers of strangers) assert.equal((await shopper.close(first, headers)).status, 404);
  const byVerify = await box.api('POST', `/v2/orders/${first.orderId}/deposit-wait/close?verify=${first.toAddress}`);
  assert.equal(byVerify.status, 404);
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await shopper.close(first)).status, 200);
    assert.equal((await shopper.close(second, { 'x-integrator-key': serverKey })).status, 200);
  }
  for (const order of [first, second]) {
    const done = await shopper.completed(order);
    assert.equal(done.observedDepositAmount, '60000000');
  }
});

test('at the deadline what is worth $10 goes on, less expires, and all that comes too late is owed', async () => {
  const token = () => shopper.buy(USDC, XMR, '100000000');
  const [half, ten, less, none] = [await token(), await token(), await token(), await token()];
  const [littleXmr, noXmr] = [
    await shopper.buy(XMR, USDC, '500000000000'),
    await shopper.buy(XMR, USDC, '500000000000'),
  ];
  const paid = [
    [half, 50_000_000n],
    [ten, 10_000_000n],
    [less, 9_999_999n],
    [littleXmr, 5_000_000_000n],
  ] as const;
  await together(paid, async ([order, amount]) => {
    await shopper.pay(order, amount);
    await shopper.until(order, isSeen(amount));
  });
  await shopper.until(littleXmr, (now) => stateOf(now).kind === 'paused');
  await shopper.passTime(HOUR_MS + 1_000);
  for (const [order, amount] of [
    [half, '50000000'],
    [ten, '10000000'],
  ] as const) {
    assert.equal((await shopper.completed(order)).observedDepositAmount, amount);
  }
  await together([none, noXmr], async (order) => {
    const expired = await shopper.until(order, (now) => now.status === 'expired');
    assert.deepEqual(expired.customerState, { kind: 'expired' });
    await shopper.pay(order);
  });
  await together([less, littleXmr, none, noXmr], async (order) => {
    const asked = await shopper.until(order, (now) => stateOf(now).action === 'refund_address');
    assert.equal(asked.status, 'expired');
    const { kind, phase, amount } = recoveryOf(asked);
    assert.deepEqual([kind, phase, amount], ['source', 'address_required', asked.observedDepositAmount]);
    const seen = await shopper.refunded(order, order.from, String(amount));
    assert.equal(seen.status, 'refunded');
  });
});
