import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { tokenCode } from '../../sandbox/nodes/token-code.ts';
import { mintCall } from '../../sandbox/nodes/tokens.ts';
import { atoms } from '../../src/kernel/amount.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { transferCall } from '../../src/world/chains/evm/codec.ts';
import type { Box } from './box.ts';
import type { RouteEnd } from './routes.ts';
import { sharedBox } from './shared-box.ts';
import {
  assertAlmostAll,
  assertGivenBack,
  type Bought,
  end,
  openShopper,
  recoveryOf,
  type Shopper,
  stateOf,
  USDC,
  type View,
  XMR,
} from './shopper.ts';

const BLOCKS_MS = 400;
const BASE_USDC = { name: 'USDC Base', chainId: 8453, token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
const ETHEREUM_USDC = { name: 'USDC Ethereum', chainId: 1, token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' };
const ARBITRUM_USDT = { name: 'USDT Arbitrum', chainId: 42161, token: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9' };
const QUARTER_MS = 15 * 60_000;
const HALF_XMR = '500000000000';
let box: Box;
let shopper: Shopper;

before(async () => {
  box = await sharedBox();
  shopper = openShopper(box);
  for (const { chainId } of box.info.chains) if (chainId !== 1337) await shopper.rhythm(chainId, BLOCKS_MS);
});
beforeEach(() => shopper.control('DELETE', '/sandbox/faults'));

const together = <T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> => Promise.all(all.map(work));
const asksFor = (action: string) => (order: View) => stateOf(order).action === action;
const codeOf = ({ status, body }: { status: number; body: View }) => [status, body.code];

/** Paid in full, traded, and then refused by the token at its destination. */
async function refusedAt(to: RouteEnd, more: View = {}): Promise<Bought> {
  const order = await shopper.buy(XMR, to, HALF_XMR, more);
  await shopper.pay(order);
  return order;
}

test('a destination that its token refuses is replaced once, by its owner, on every chain that can refuse', async () => {
  const places = [USDC, end('USDT Tron'), end('USDC Solana'), end('TRX'), end('SOL')];
  for (const { chainId } of places)
    await shopper.fault(`payout:${chainId}`, 'refuse_destination', chainId === USDC.chainId ? 1 : 2);
  await together(places, async (to) => {
    const order = await refusedAt(to);
    await shopper.until(order, asksFor('payout_address'));
    const [second, third] = [await shopper.addressOn(to.chainId), await shopper.addressOn(to.chainId)];
    const key = { 'x-integrator-key': box.info.demo.serverKey };
    assert.deepEqual(codeOf(await shopper.givePayoutAddress(order, second, key)), [404, 'not_found']);
    assert.deepEqual(codeOf(await shopper.givePayoutAddress(order, 'nowhere')), [400, 'invalid_address']);
    assert.equal((await shopper.givePayoutAddress(order, second)).status, 200, to.name);
    assert.equal((await shopper.givePayoutAddress(order, second)).status, 200);
    assert.deepEqual(codeOf(await shopper.givePayoutAddress(order, third)), [409, 'address_already_set']);
    await shopper.completed(order, second);
    assert.equal((await shopper.received(to, order.toAddress)).total, '0', to.name);
  });
});

test('a refused payout may be had back instead, and then nobody else is paid', async () => {
  await shopper.fault('payout:42161', 'refuse_destination', 1);
  const order = await refusedAt(USDC);
  const asked = await shopper.until(order, asksFor('payout_address'));
  assert.equal(asked.errorCode, 'payout_refused');
  const home = await shopper.addressOn(USDC.chainId);
  assert.equal((await shopper.giveRefundAddress(order, home)).status, 200);
  assert.deepEqual(codeOf(await shopper.givePayoutAddress(order, order.toAddress)), [409, 'action_not_available']);
  const back = await shopper.until(order, ({ status }) => status === 'refunded');
  const { total, transfers } = await shopper.received(USDC, home);
  assert.deepEqual([total, transfers.length], [recoveryOf(back).amount, 1]);
  assert.ok(BigInt(total) > (BigInt(order.expectedOutput) * 98n) / 100n);
  assert.equal((await shopper.received(USDC, order.toAddress)).total, '0');
});

test('a second address that is refused too is no dead end: the money is owed, and v1 has the same way out', async () => {
  await shopper.fault('payout:42161', 'refuse_destination');
  const [twice, old] = [await refusedAt(USDC), await refusedAt(USDC, { generation: 'v1' })];
  await shopper.until(twice, asksFor('payout_address'));
  assert.equal((await shopper.givePayoutAddress(twice, await shopper.addressOn(USDC.chainId))).status, 200);
  const asked = await shopper.until(twice, asksFor('refund_address'));
  await shopper.until(old, ({ status }) => status === 'refunding_wrong_chain');
  await shopper.control('DELETE', '/sandbox/faults');
  const seen = await shopper.refunded(twice, USDC, String(recoveryOf(asked).amount));
  assert.equal(seen.status, 'refunded');

  const refundAddress = await shopper.addressOn(USDC.chainId);
  const path = `/v1/order/${old.orderId}/refund`;
  assert.equal((await box.api('POST', path, { refundAddress, sessionId: old.sessionId })).status, 200);
  const back = await shopper.until(old, ({ status }) => status === 'refunded');
  const { transfers } = await shopper.received(USDC, refundAddress);
  assert.deepEqual(
    transfers.map(({ txHash }) => txHash),
    [back.refundTxHash],
  );
});

test('money on another chain or in another token goes back from where it lies, once its owner says where', async () => {
  await together([BASE_USDC, ETHEREUM_USDC, ARBITRUM_USDT], async (place) => {
    const order = await shopper.buy(USDC, XMR, '100000000');
    assert.deepEqual(codeOf(await shopper.giveRefundAddress(order, await shopper.addressOn(1))), [
      409,
      'action_not_available',
    ]);
    await shopper.send(place, order.depositAddress, 70_000_000n);
    const asked = await shopper.until(order, asksFor('refund_address'));
    const { kind, phase, amount, token } = recoveryOf(asked);
    assert.deepEqual([kind, phase, amount, token], ['wrong_chain', 'address_required', '70000000', place.token]);
    assert.deepEqual(codeOf(await shopper.giveRefundAddress(order, 'nowhere')), [400, 'invalid_address']);
    const stranger = { 'x-session-id': randomUUID() };
    assert.equal((await shopper.giveRefundAddress(order, order.depositAddress, stranger)).status, 404);
    const seen = await shopper.refunded(order, place, '70000000');
    assert.equal(seen.status, 'refunded');
    const home = String(seen.refundAddress);
    assert.equal((await shopper.giveRefundAddress(order, home)).status, 200, 'saying it again is no mistake');
    assert.deepEqual(codeOf(await shopper.giveRefundAddress(order, await shopper.addressOn(1))), [
      409,
      'address_already_set',
    ]);
  });
});

test('a token that nobody listed is recognised, and goes back once a person says so', async () => {
  const { rpcUrl } = box.info.chains.find(({ chainId }) => chainId === 42161) ?? {};
  const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const reply = await fetch(String(rpcUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return ((await reply.json()) as { result: unknown }).result;
  };
  const token = (await shopper.addressOn(42161)) as Address;
  const [sender] = (await ask('eth_accounts')) as Address[];
  await ask('anvil_setCode', token, tokenCode('DAI', 'Dai Stablecoin', { decimals: 18 }));
  const order = await shopper.buy(USDC, XMR, '100000000');
  const amount = 70n * 10n ** 18n;
  const call = (data: string) => ask('eth_sendTransaction', { from: sender, to: token, data, gas: '0x30d40' });
  await call(mintCall(sender as Address, amount));
  await call(transferCall(order.depositAddress as Address, atoms(amount)));
  const asked = await shopper.until(order, asksFor('refund_address'));
  assert.deepEqual([recoveryOf(asked).kind, recoveryOf(asked).asset], ['wrong_chain', token]);
  const home = await shopper.addressOn(42161);
  assert.equal((await shopper.giveRefundAddress(order, home)).status, 200);
  await shopper.until(order, (seen) => recoveryOf(seen).phase === 'blocked');
  const { cases } = (await box.operator('GET', '/operator/cases')).body as { cases: View[] };
  const { id } = cases.find((one) => one.orderId === order.orderId) ?? assert.fail('nobody was told');
  const decided = await box.operator('POST', `/operator/cases/${id}/give-back`, {
    by: 'Ada',
    reason: 'it is a dollar',
  });
  assert.equal(decided.status, 200, JSON.stringify(decided.body));
  await shopper.until(order, ({ status }) => status === 'refunded');
  const balance = await ask('eth_call', { to: token, data: `0x70a08231${home.slice(2).padStart(64, '0')}` }, 'latest');
  assert.equal(BigInt(String(balance)), amount);
});

test('v1 answers a refund address with its errors in the order of D14', async () => {
  const order = await shopper.buy(USDC, XMR, '100000000', { generation: 'v1' });
  const idle = await shopper.buy(USDC, XMR, '100000000', { generation: 'v1' });
  const refundAddress = await shopper.addressOn(8453);
  const answer = async (id: string, body: View) => {
    const reply = await box.api('POST', `/v1/order/${id}/refund`, body);
    return [reply.status, reply.body.error ?? reply.body.success];
  };
  const proof = { verifyAddress: order.toAddress };
  assert.deepEqual(await answer('sw_unknown', {}), [400, 'Refund address required']);
  assert.deepEqual(await answer('sw_unknown', { refundAddress }), [404, 'Order not found']);
  assert.deepEqual(await answer(order.orderId, { refundAddress: 'x' }), [403, 'Unauthorized']);
  assert.deepEqual(await answer(order.orderId, { refundAddress, sessionId: randomUUID() }), [403, 'Unauthorized']);
  assert.deepEqual(await answer(idle.orderId, { refundAddress: 'x', sessionId: idle.sessionId }), [
    400,
    'Order is not awaiting refund address',
  ]);
  await shopper.send(BASE_USDC, order.depositAddress, 100_000_000n);
  await shopper.until(order, ({ status }) => status === 'refunding_wrong_chain');
  assert.deepEqual(await answer(order.orderId, { refundAddress: 'x', ...proof }), [400, 'Invalid Base address format']);
  assert.deepEqual(await answer(order.orderId, { refundAddress, ...proof }), [200, true]);
  assert.deepEqual(await answer(order.orderId, { refundAddress: 'x', ...proof }), [
    400,
    'Refund address already submitted',
  ]);
  const back = await shopper.until(order, ({ status }) => status === 'refunded');
  assert.ok(back.errorMessage && back.refundTxHash);
  assertAlmostAll((await shopper.received(BASE_USDC, refundAddress)).total, 100_000_000n);
});

/** About $100 of each, from the sandbox's one customer, who is plain to see on these chains. */
const SHOWN: readonly (readonly [RouteEnd, asked: string])[] = [
  [USDC, '100000000'],
  [end('TRX'), '400000000'],
  [end('SOL'), '800000000'],
  [end('BTC'), '150000'],
];

/** What is queued for an order is lost, as by a restore of yesterday's database. */
async function loseWork(orderId: string): Promise<void> {
  const { database } = JSON.parse(readFileSync(join(box.dir, 'config.json'), 'utf8')) as { database: string };
  const client = new pg.Client(database);
  await client.connect();
  const { rowCount } = await client.query('DELETE FROM effect WHERE owner = $1', [orderId]);
  await client.end();
  assert.ok(rowCount);
}

test('nothing is executed while nobody can be screened, and lost work is found again after a quarter of an hour', async () => {
  const order = await shopper.buy(USDC, XMR, '100000000');
  await shopper.fault('screening', 'down');
  const again = {
    ...{ fromChainId: USDC.chainId, fromToken: USDC.token, fromAmount: '100000000' },
    ...{ toChainId: XMR.chainId, toToken: XMR.token, toAddress: order.toAddress },
  };
  assert.deepEqual(codeOf(await box.api('POST', '/v2/swaps', again)), [503, 'unavailable'], 'nor is an order taken');
  await shopper.pay(order);
  const waiting = await shopper.until(order, (seen) => stateOf(seen).step === 'funding');
  assert.equal(waiting.confirmations, waiting.requiredConfirmations);
  const { state, work } = (await box.operator('GET', `/operator/orders/${order.orderId}`)).body;
  assert.equal((state as View).phase, 'screening');
  assert.ok((work as { effect: string }[]).some(({ effect }) => effect === 'screen_deposit'));
  await loseWork(order.orderId);
  await shopper.control('DELETE', '/sandbox/faults');
  await shopper.passTime(QUARTER_MS);
  await shopper.completed(order);
});

test('what a listed sender sent goes back to it, on every chain that shows one, and is never traded', async () => {
  await together(SHOWN, async ([from, asked]) => {
    const order = await shopper.buy(from, XMR, asked);
    const { from: sender } = await shopper.pay(
      { ...order, depositAddress: await shopper.addressOn(from.chainId) },
      1_000_000n,
    );
    await shopper.control('POST', '/sandbox/sanction', { address: sender });
    await shopper.pay(order);
    const back = await shopper.until(order, ({ status }) => status === 'refunded');
    const { transfers } = await shopper.received(from, String(sender));
    const refunds = transfers.filter(({ txHash }) => txHash === back.refundTxHash);
    const total = refunds.map(({ amount }) => amount).join();
    assertGivenBack(back, { total, transfers: refunds }, BigInt(asked));
    assert.deepEqual([back.hlFills, back.payoutTxHash], [[], null]);
    assert.equal((await shopper.received(XMR, order.toAddress)).total, '0');
  });
});

test('screening by half: a listed destination, refund or payout address is refused when given, in both generations and on bridges', async () => {
  const listed = await shopper.addressOn(USDC.chainId);
  const early = await shopper.buy(XMR, { ...USDC }, HALF_XMR, { toAddress: listed });
  const [stray, old] = [
    await shopper.buy(USDC, XMR, '100000000'),
    await shopper.buy(USDC, XMR, '100000000', { generation: 'v1' }),
  ];
  const clean = (await shopper.sendersOn(BASE_USDC.chainId)).at(-1);
  await together([stray, old], ({ depositAddress }) => shopper.send(BASE_USDC, depositAddress, 70_000_000n, clean));
  await shopper.until(stray, asksFor('refund_address'));
  await shopper.until(old, ({ status }) => status === 'refunding_wrong_chain');
  await shopper.control('POST', '/sandbox/sanction', { address: listed });

  const swap = { fromChainId: 0, fromToken: 'XMR', toChainId: USDC.chainId, toToken: USDC.token, fromAmount: HALF_XMR };
  const key = { 'x-integrator-key': box.info.demo.serverKey };
  const refused = [400, 'address_refused'];
  const v2 = await box.api('POST', '/v2/swaps', { ...swap, toAddress: listed }, key);
  assert.deepEqual(codeOf(v2), refused);
  const [named] = (v2.body.details as { errors: View[] }).errors;
  assert.equal(named?.field, 'toAddress');
  assert.equal(
    (await box.api('POST', '/v1/order', { ...swap, toAddress: listed }, { 'x-api-key': key['x-integrator-key'] }))
      .status,
    400,
  );
  const hidden = await shopper.addressOn(XMR.chainId);
  await shopper.control('POST', '/sandbox/sanction', { address: hidden });
  const home = { toAddress: await shopper.addressOn(USDC.chainId), refundAddress: hidden };
  assert.deepEqual(codeOf(await box.api('POST', '/v2/swaps', { ...swap, ...home }, key)), refused);
  const bridge = { asset: 'xmr', direction: 'deposit', toAddress: listed };
  assert.deepEqual(codeOf(await box.api('POST', '/v2/bridges', bridge, key)), refused);
  assert.equal((await box.api('POST', '/v1/bridge/deposit', { toAddress: listed })).status, 400);
  assert.deepEqual(codeOf(await shopper.giveRefundAddress(stray, listed)), refused);
  const v1Refund = { refundAddress: listed, sessionId: old.sessionId };
  assert.equal((await box.api('POST', `/v1/order/${old.orderId}/refund`, v1Refund)).status, 400);

  // Accepted before it was listed, and Monero shows no sender: it is screened again when its deposit is final.
  await shopper.pay(early);
  await shopper.until(early, asksFor('refund_address'));
  assert.equal((await shopper.received(USDC, listed)).total, '0');
});
