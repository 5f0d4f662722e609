import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { patiently } from '../run/patience.ts';
import type { Box } from './box.ts';
import { ending, freshAddress, type OrderView, USDC, until } from './customer.ts';
import { assertBalanced, type PlacedRoute, payTo, placeRoute, type Route, type RouteEnd, received } from './routes.ts';
import { fundings, providersOf, report, untilCase, untilReported } from './routes-reported.ts';
import { sharedBox } from './shared-box.ts';

const WITHIN_MS = 90_000;
const MINUTE_MS = 60_000;
const BLOCK_MS = 250;
const ARBITRUM = 42_161;
const on = (name: string, token: string): RouteEnd => ({ name, chainId: ARBITRUM, token });
const WBTC = on('WBTC', '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f');
const ETH = on('ETH', `0x${'0'.repeat(40)}`);
const XMR: RouteEnd = { name: 'XMR', chainId: 0, token: 'XMR' };
/** By a provider alone; its deposit shows who sent it. */
const SWAP: Route = { from: WBTC, to: ETH };
const AMOUNT: Readonly<Record<string, string>> = { WBTC: '200000', XMR: '500000000000' };
const PROVIDERS = ['oneclick', 'relay'] as const;

let box: Box;

before(async () => {
  box = await sharedBox();
  for (const chainId of [ARBITRUM, 0]) await control('POST', '/sandbox/automine', { chainId, intervalMs: BLOCK_MS });
});
beforeEach(() => control('DELETE', '/sandbox/faults'));

async function control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const reply = await box.control(method, path, body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function fault(mode: string, { of = PROVIDERS as readonly string[], count = 0 } = {}): Promise<void> {
  for (const name of of)
    await control('POST', '/sandbox/fault', { target: `provider:${name}`, mode, ...(count ? { count } : {}) });
}

interface Breakers {
  readonly breakers: readonly { scope: string; open: boolean; by?: string; figures?: { level: string } }[];
}

interface Customer extends PlacedRoute {
  readonly route: Route;
  readonly toAddress: string;
  readonly deposit: string;
}

const evmAddress = (): string => `0x${randomBytes(20).toString('hex')}`;

async function place(route: Route = SWAP): Promise<Customer> {
  const toAddress = route.to === XMR ? await freshAddress(box, 'usdc_to_xmr') : evmAddress();
  const deposit = AMOUNT[route.from.name] ?? '';
  return { ...(await placeRoute(box, route, deposit, toAddress)), route, toAddress, deposit };
}

const pay = ({ route, depositAddress, deposit }: Customer) => payTo(box, route.from, depositAddress, deposit);
const end = (customer: Customer) => ending(box, customer, WITHIN_MS);
const stateOf = (order: OrderView) => order.customerState as Record<string, string>;

async function assertCompleted(customer: Customer, order: OrderView, asset = customer.route.to): Promise<void> {
  assert.equal(order.status, 'completed', JSON.stringify(order));
  const { transfers } = await received(box, asset, customer.toAddress);
  assert.deepEqual(
    transfers.map(({ amount }) => amount),
    [order.actualOutput],
  );
}

const quote = ({ from, to }: Route) =>
  box.api('POST', '/v2/swaps/quote', {
    ...{ fromChainId: from.chainId, fromToken: from.token, toChainId: to.chainId, toToken: to.token },
    ...{ fromAmount: AMOUNT[from.name] ?? '', toAddress: evmAddress() },
  });

test('with both providers down there are no quotes for their routes, and the venue’s go on', async () => {
  await fault('down');
  const { status, body } = await quote(SWAP);
  assert.deepEqual([status, body.code], [503, 'unavailable']);
  assert.equal((await quote({ from: XMR, to: on('USDC', USDC) })).status, 200);
});

for (const [down, up] of [PROVIDERS, PROVIDERS.toReversed()] as [string, string][]) {
  test(`with ${down} down, ${up} serves`, async () => {
    await fault('down', { of: [down] });
    const customer = await place();
    await pay(customer);
    await assertCompleted(customer, await end(customer));
    assert.deepEqual(await providersOf(box, customer), [up]);
  });
}

test('an order whose providers go down after the deposit waits, and completes when they are back', async () => {
  const customer = await place();
  await fault('down');
  await pay(customer);
  await until(box, customer, WITHIN_MS, (order) => stateOf(order).step === 'executing');
  await control('DELETE', '/sandbox/faults');
  await assertCompleted(customer, await end(customer));
  assert.equal((await fundings(box, customer, WBTC)).length, 1);
});

test('slow providers are waited for', async () => {
  const customer = await place();
  await fault('slow', { count: 3 });
  await pay(customer);
  await assertCompleted(customer, await end(customer));
});

test('answers that are lost after their effect do not fund anybody twice', async () => {
  const customer = await place();
  await fault('error_after_effect', { count: 2 });
  await pay(customer);
  await assertCompleted(customer, await end(customer));
  assert.equal((await fundings(box, customer, WBTC)).length, 1);
});

async function v1Order(): Promise<{ readonly deposit: string; ending(): Promise<Record<string, unknown>> }> {
  const toAddress = evmAddress();
  const { from, to } = SWAP;
  const ends = { fromChainId: from.chainId, fromToken: from.token, toChainId: to.chainId, toToken: to.token };
  const { body } = await box.api('POST', '/v1/order', { ...ends, fromAmount: AMOUNT[from.name], toAddress });
  const detail = async () => {
    const path = `/v1/order/${body.orderId}?verify=${toAddress}`;
    return (await box.api('GET', path, undefined, { 'x-api-key': box.info.demo.serverKey })).body;
  };
  return {
    deposit: String(body.depositAddress),
    ending: () =>
      patiently('an order of v1', WITHIN_MS, async (bound) => {
        let now = await detail();
        while (!['completed', 'refunded', 'failed'].includes(String(now.status)) && !bound.isOver()) {
          await pause(100);
          now = await detail();
        }
        return now;
      }),
  };
}

test('when everybody refuses, the whole deposit goes back to where it came from', async () => {
  const wallets = (await control('GET', '/sandbox/wallets')).wallets as { chainId: number; address: string }[];
  const sender = wallets.find(({ chainId }) => chainId === ARBITRUM)?.address ?? '';
  const [customer, older] = [await place(), await v1Order()];
  await fault('reject');
  await pay(customer);
  await payTo(box, WBTC, older.deposit, customer.deposit);
  for (const order of [await end(customer), await older.ending()]) {
    assert.equal(order.status, 'refunded', JSON.stringify(order));
    const { transfers } = await received(box, WBTC, sender);
    const refunds = transfers.filter(({ txHash }) => txHash === order.refundTxHash);
    assert.deepEqual(
      refunds.map(({ amount }) => amount),
      [customer.deposit],
    );
  }
});

/** What is owed is asked for, given back to the address that the customer names, and received there. */
async function assertRecovered(customer: Customer, owed: RouteEnd): Promise<void> {
  const asked = await until(box, customer, WITHIN_MS, (order) => stateOf(order).kind === 'action_required');
  assert.equal(stateOf(asked).action, 'refund_address');
  const recovery = asked.refundRecovery as Record<string, unknown>;
  assert.deepEqual([recovery.chainId, recovery.token, recovery.phase], [owed.chainId, owed.token, 'address_required']);
  const refundAddress = evmAddress();
  const path = `/v2/orders/${customer.orderId}/refund-address`;
  const given = await box.api('PUT', path, { refundAddress }, { 'x-session-id': customer.sessionId });
  assert.equal(given.status, 200, JSON.stringify(given.body));
  const order = await end(customer);
  assert.equal(order.status, 'refunded', JSON.stringify(order));
  const { transfers } = await received(box, owed, refundAddress);
  assert.deepEqual(
    transfers.map(({ txHash, amount }) => [txHash, amount]),
    [[order.refundTxHash, recovery.amount]],
  );
}

test('when everybody refuses after Monero was sold, its owner is asked where the dollars may go', async () => {
  const customer = await place({ from: XMR, to: ETH });
  await fault('reject');
  await pay(customer);
  await assertRecovered(customer, on('USDC', USDC));
});

test('a short delivery is paid out as it came; after the second that provider’s breaker opens by itself, until a person closes it', async () => {
  const customers = [await place(), await place()];
  await fault('short_delivery');
  await Promise.all(customers.map(pay));
  for (const customer of customers) {
    const order = await end(customer);
    await assertCompleted(customer, order);
    assert.ok(BigInt(String(order.actualOutput)) < (BigInt(String(order.expectedOutput)) * 95n) / 100n);
  }
  const [provider] = await providersOf(box, customers[0] as Customer);
  const scope = `provider:${provider}`;
  const breaker = async () => {
    const { breakers } = (await box.operator('GET', '/operator/breakers')).body as unknown as Breakers;
    return breakers.find((one) => one.scope === scope);
  };
  const opened = await breaker();
  assert.deepEqual([opened?.open, opened?.by, opened?.figures?.level], [true, 'desk', '2'], JSON.stringify(opened));
  const { cases } = (await box.operator('GET', '/operator/cases')).body as { cases: readonly { case: string }[] };
  assert.ok(cases.some((one) => one.case === 'breaker_tripped'));
  await box.operator('PUT', `/operator/breakers/${scope}`, { open: false, reason: 'it has explained itself' });
  await pause(2_000);
  assert.equal((await breaker())?.open, false, 'the same two deals do not open it again');
});

test('another asset of the same chain is paid out as it came, and named', async () => {
  const customer = await place({ from: WBTC, to: on('USDC', USDC) });
  await fault('other_asset');
  await pay(customer);
  const order = await end(customer);
  const delivered = order.deliveredToken as { chainId: number; token: string };
  assert.deepEqual([delivered.chainId, delivered.token], [ETH.chainId, ETH.token]);
  await assertCompleted(customer, order, ETH);
  assert.equal((await received(box, customer.route.to, customer.toAddress)).total, '0');
});

test('another asset on the way to Monero, which has but one, is owed to an address that the customer names', async () => {
  const customer = await place({ from: WBTC, to: XMR });
  await fault('other_asset');
  await pay(customer);
  await assertRecovered(customer, ETH);
});

/** The payment to the provider has left, and no block comes for it. */
async function placedWithFundingInThePool(): Promise<Customer> {
  const customer = await place();
  await fault('down');
  await pay(customer);
  await until(box, customer, WITHIN_MS, (order) => stateOf(order).step === 'executing');
  await control('POST', '/sandbox/automine', { chainId: ARBITRUM, intervalMs: 0 });
  await control('DELETE', '/sandbox/faults');
  await untilReported(box, customer, ({ payments }) =>
    payments.some(({ purpose, state }) => purpose.for === 'provider_deal' && state.state === 'sent'),
  );
  return customer;
}

const blocksComeAgain = () => control('POST', '/sandbox/automine', { chainId: ARBITRUM, intervalMs: BLOCK_MS });
const advance = (minutes: number) => control('POST', '/sandbox/clock', { advanceMs: minutes * MINUTE_MS });

test('a provider that took the money and is not heard of again is asked about, and what it paid is taken up', async () => {
  const customer = await placedWithFundingInThePool();
  await fault('down');
  await blocksComeAgain();
  await untilReported(box, customer, ({ state }) => state.phase === 'swapping');
  await advance(150);
  const paused = await until(box, customer, WITHIN_MS, (order) => stateOf(order).kind === 'paused');
  assert.equal(stateOf(paused).reason, 'preparing_refund');
  await untilCase(box, customer);

  await control('DELETE', '/sandbox/faults');
  await assertCompleted(customer, await end(customer));
  // It delivers what it saw in time, and gives back what it saw later, which is placed anew.
  assert.equal((await fundings(box, customer, WBTC)).length, (await providersOf(box, customer)).length);
});

test('a provider that was paid too late gives back, and the order is placed anew', async () => {
  const customer = await placedWithFundingInThePool();
  await advance(62);
  await blocksComeAgain();
  await assertCompleted(customer, await end(customer));
  assert.equal((await fundings(box, customer, WBTC)).length, 2);
  const { history } = await report(box, customer);
  assert.equal(history.filter(({ fact }) => fact.fact === 'leg_returned').length, 1);
});

test('after all this the accounts hold what the ledger says', () => assertBalanced(box));
