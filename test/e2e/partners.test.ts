import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import type { Received } from '../../sandbox/control/webhook-receiver.ts';
import { eventually } from '../run/patience.ts';
import { type Box, newDir, removeDir, startBox } from './box.ts';
import { ending, freshAddress, type Placed, pay, WISHES } from './customer.ts';

const ORDER_WITHIN_MS = 60_000;
const TOLD_WITHIN_MS = 20_000;
const dir = newDir();
let box: Box;

before(async () => {
  box = await startBox(dir);
});
after(async () => {
  await box?.end('SIGTERM');
  removeDir(dir);
});

/** Signs in with a fresh wallet; gives its cookie. */
async function signIn(): Promise<string> {
  const account = privateKeyToAccount(generatePrivateKey());
  const { nonce } = (await box.api('POST', '/partner/sign-in/nonce')).body as { nonce: string };
  const { now } = (await box.control('GET', '/sandbox/info')).body as { now: string };
  const { host, origin } = new URL(box.info.apiUrl);
  const message = createSiweMessage({
    ...{ address: account.address, chainId: 1, domain: host, nonce, uri: origin, version: '1' },
    issuedAt: new Date(now),
  });
  const reply = await fetch(`${box.info.apiUrl}/partner/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message, signature: await account.signMessage({ message }) }),
  });
  assert.equal(reply.status, 200, await reply.text());
  return reply.headers.get('set-cookie')?.split(';')[0] ?? '';
}

const received = async (): Promise<readonly Received[]> =>
  (await box.control('GET', '/sandbox/webhooks')).body.received as Received[];

/** Looks until the receiver got what is awaited. */
async function untilReceived(isTrue: (all: readonly Received[]) => boolean): Promise<readonly Received[]> {
  let all: readonly Received[] = [];
  await eventually(
    async () => {
      all = await received();
      return isTrue(all) || `received ${typesOf(all)}`;
    },
    TOLD_WITHIN_MS,
    100,
  );
  return all;
}

const typesOf = (all: readonly Received[]): readonly string[] => all.map(({ body }) => JSON.parse(body).type);

/** A wallet signs in, makes an integration with these fees and gives it a server key. */
async function earner(wish: object): Promise<string> {
  const cookie = await signIn();
  const make = async (path: string, body: object) => {
    const made = await box.api('POST', path, body, { cookie });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body;
  };
  const { integrationId } = await make('/partner/integrations', wish);
  return String((await make(`/partner/integrations/${integrationId}/keys`, { kind: 'server' })).key);
}

test('a wallet signs in, makes an integration with fees and a key, and is told and reads what becomes of an order', async () => {
  const cookie = await signIn();
  const as = (method: string, path: string, body?: unknown) => box.api(method, path, body, { cookie });
  // Nobody ever paid this address: what arrives there is the fee and nothing else.
  const feeAddress = `0x${randomBytes(20).toString('hex')}`;
  const made = await as('POST', '/partner/integrations', { name: 'Wallet', feePercent: 1, feeAddress });
  assert.deepEqual([made.status, made.body.status], [201, 'active']);
  const path = `/partner/integrations/${made.body.integrationId}`;
  const { key } = (await as('POST', `${path}/keys`, { kind: 'server', name: 'backend' })).body as { key: string };
  const hook = await as('POST', `${path}/webhooks`, { url: box.info.webhookUrl });
  assert.equal(hook.status, 201, JSON.stringify(hook.body));
  for (const url of ['https://127.0.0.1/x', 'http://localhost:1/x', 'https://10.0.0.1', box.info.operatorUrl]) {
    assert.equal((await as('POST', `${path}/webhooks`, { url })).status, 400, url);
  }

  await box.control('POST', '/sandbox/webhooks', { fail: '500' });
  const toAddress = await freshAddress(box, 'usdc_to_xmr');
  const wish = { ...WISHES.usdc_to_xmr, toAddress };
  const { body } = await box.api('POST', '/v2/swaps', wish, { 'x-integrator-key': key });
  const placed = { ...(body as unknown as Placed), toAddress, direction: 'usdc_to_xmr' } as const;
  await pay(box, placed);
  const order = await ending(box, placed, ORDER_WITHIN_MS);
  assert.equal(order.status, 'completed');
  const failed = await untilReceived((all) => all.length > 0);
  assert.deepEqual([...new Set(typesOf(failed))], ['order.created'], 'what comes later waits');

  await box.control('POST', '/sandbox/clock', { advanceMs: 3_600_000 });
  // What is tried in this very moment may fail once more, or be taken before the clock moves again.
  const before = (await received()).length;
  await box.control('POST', '/sandbox/webhooks', { fail: 'none' });
  await box.control('POST', '/sandbox/clock', { advanceMs: 3_600_000 });
  const all = await untilReceived((some) => typesOf(some).includes('order.completed'));
  const good = all.slice(before);
  const events = good.map((one) => JSON.parse(one.body));
  assert.ok(all.every(({ signatureValid }) => signatureValid));
  assert.deepEqual([...new Set(typesOf(good))].slice(0, 2), ['order.created', 'order.deposit_seen']);
  assert.deepEqual(
    events.map(({ data }) => data.seq),
    events.map(({ data }) => data.seq).toSorted((a, b) => a - b),
  );
  assert.equal(
    new Set(
      all.filter(({ body }) => JSON.parse(body).type === 'order.created').map(({ headers }) => headers['webhook-id']),
    ).size,
    1,
  );
  const last = events.find(({ type }) => type === 'order.completed');
  assert.deepEqual(
    [last.data.orderId, last.data.actualOutput, last.data.sessionId],
    [placed.orderId, order.actualOutput, undefined],
  );

  const me = (await box.api('GET', '/v2/integrator/me', undefined, { 'x-integrator-key': key })).body as {
    stats: { orders: number; completed: number; volumeUsd: string };
  };
  assert.deepEqual([me.stats.orders, me.stats.completed, me.stats.volumeUsd], [1, 1, '100.00']);
  const rows = (await box.api('GET', '/v2/integrator/orders', undefined, { 'x-integrator-key': key })).body
    .orders as Record<string, unknown>[];
  assert.deepEqual(
    [rows[0]?.orderId, rows[0]?.feePercent, rows[0]?.feeAmount, rows[0]?.keyName],
    [placed.orderId, 1, '1000000', 'backend'],
  );
});

/** The rows of a key's orders, once this one's fee has left. */
async function paidRow(key: string, orderId: string): Promise<Record<string, unknown>> {
  let row: Record<string, unknown> = {};
  await eventually(
    async () => {
      const { body } = await box.api('GET', '/v2/integrator/orders', undefined, { 'x-integrator-key': key });
      row = (body.orders as Record<string, unknown>[]).find((one) => one.orderId === orderId) ?? {};
      return row.feeStatus === 'paid' || JSON.stringify(row);
    },
    ORDER_WITHIN_MS,
    200,
  );
  return row;
}

test('fees of an EVM and of an XMR order of the demo are paid at its address to the atom, once, though engine and signer are killed', async () => {
  const kill = async (role: string) =>
    assert.equal((await box.control('POST', '/sandbox/kill', { role, signal: 'SIGKILL' })).status, 200);
  const key = box.info.demo.serverKey;
  const me = await box.api('GET', '/v2/integrator/me', undefined, { 'x-integrator-key': key });
  const { feeAddress } = me.body.integrator as { feeAddress: string };
  for (const direction of ['usdc_to_xmr', 'xmr_to_usdc'] as const) {
    const toAddress = await freshAddress(box, direction);
    const wish = { ...WISHES[direction], toAddress, integratorFeePercent: 2 };
    const { body } = await box.api('POST', '/v2/swaps', wish, { 'x-integrator-key': key });
    const placed = { ...(body as unknown as Placed), toAddress, direction };
    await pay(box, placed);
    await kill('engine');
    assert.equal((await ending(box, placed, ORDER_WITHIN_MS)).status, 'completed');
    // The fee follows once the customer is paid.
    for (const role of ['signer', 'engine']) await kill(role);
    const row = await paidRow(key, placed.orderId);
    const place = { chainId: `${row.feeChainId}`, token: `${row.feeToken}`, address: feeAddress };
    const got = (await box.control('GET', `/sandbox/received?${new URLSearchParams(place)}`)).body;
    assert.equal((got.transfers as unknown[]).length, 1, direction);
    assert.equal(got.total, row.feeAmount, direction);
    assert.equal(row.feeChainId, direction === 'usdc_to_xmr' ? 42161 : 1337);
    assert.ok(row.feeTxHash);
  }
  const { stats } = (await box.api('GET', '/v2/integrator/me', undefined, { 'x-integrator-key': key })).body as {
    stats: { feesUsd: { projected: string; paid: string }; fees: { projected: string; paid: string }[] };
  };
  assert.equal(stats.feesUsd.projected, '0.00');
  assert.ok(stats.fees.length === 2 && stats.fees.every(({ projected, paid }) => projected === '0' && paid !== '0'));
});

interface Coin {
  readonly fromChainId: number;
  readonly fromToken: string;
  readonly fromAmount: string;
}

/** A Bitcoin and a Solana order, from the customer's own coins to Monero. */
const COINS = [
  { fromChainId: 20_000_000_000_001, fromToken: 'BTC', fromAmount: '1000000' },
  { fromChainId: 1_151_111_081_099_710, fromToken: 'SOL', fromAmount: '3000000000' },
] as const satisfies readonly Coin[];
/** No family of these has an address that a fee could go to. */
const WITHOUT_ADDRESS: readonly Coin[] = [
  { fromChainId: 728_126_428, fromToken: 'TRX', fromAmount: '2000000000' },
  { fromChainId: 20_000_000_000_133, fromToken: 'ZEC', fromAmount: '1000000000' },
];

test('fees of a Bitcoin and of a Solana order are paid in their own coins; one that is too small, or has no address, is skipped', async () => {
  const { wallets } = (await box.control('GET', '/sandbox/wallets')).body as {
    wallets: { chainId: number; addresses: string[] }[];
  };
  const mine = (chain: number) => wallets.find(({ chainId }) => chainId === chain)?.addresses[0];
  const key = await earner({
    ...{ name: 'Coins', feePercent: 2, feeAddress: `0x${randomBytes(20).toString('hex')}` },
    ...{ feeAddressBtc: mine(COINS[0].fromChainId), feeAddressSol: mine(COINS[1].fromChainId) },
  });
  const create = async (coin: Coin, more: object = {}) => {
    const wish = { ...coin, toChainId: 0, toToken: 'XMR', toAddress: await freshAddress(box, 'usdc_to_xmr'), ...more };
    const { status, body } = await box.api('POST', '/v2/swaps', wish, { 'x-integrator-key': key });
    assert.equal(status, 201, JSON.stringify(body));
    return body as unknown as Placed;
  };
  for (const coin of COINS) {
    const placed = await create(coin);
    const payment = {
      chainId: coin.fromChainId,
      token: coin.fromToken,
      to: placed.depositAddress,
      amount: coin.fromAmount,
    };
    assert.equal((await box.control('POST', '/sandbox/pay', payment)).status, 200);
    assert.equal((await ending(box, placed, ORDER_WITHIN_MS)).status, 'completed');
    const row = await paidRow(key, placed.orderId);
    assert.equal(row.feeAmount, String((BigInt(coin.fromAmount) * 2n) / 100n));
    const place = { chainId: `${coin.fromChainId}`, token: coin.fromToken, address: String(mine(coin.fromChainId)) };
    const { transfers } = (await box.control('GET', `/sandbox/received?${new URLSearchParams(place)}`)).body as {
      transfers: { txHash: string; amount: string }[];
    };
    const fees = transfers.filter(({ txHash }) => txHash === row.feeTxHash);
    assert.deepEqual(
      fees.map(({ amount }) => amount),
      [row.feeAmount],
      coin.fromToken,
    );
  }
  const skipped = [{ ...(await create(COINS[0], { integratorFeePercent: 0.01 })), reason: 'too_small' }];
  for (const coin of WITHOUT_ADDRESS) skipped.unshift({ ...(await create(coin)), reason: 'no_address' });
  const { body } = await box.api('GET', '/v2/integrator/orders?feeStatus=skipped', undefined, {
    'x-integrator-key': key,
  });
  assert.deepEqual(
    (body.orders as Record<string, unknown>[]).map(({ orderId, feeSkipReason }) => [orderId, feeSkipReason]),
    skipped.map(({ orderId, reason }) => [orderId, reason]),
  );
});

test('a receiver that is down, slow or sends elsewhere is tried again, and the operator can suspend its partner', async () => {
  const { integrationId, serverKey } = box.info.demo;
  const keyed = { 'x-integrator-key': serverKey };
  const { body: hook } = await box.api('POST', '/v2/integrator/webhooks', { url: box.info.webhookUrl }, keyed);
  const path = `/v2/integrator/webhooks/${hook.webhookId}`;
  for (const fail of ['down', 'redirect', '500']) {
    await box.control('POST', '/sandbox/webhooks', { fail });
    const { messageId } = (await box.api('POST', `${path}/test`, {}, keyed)).body;
    const isSent = (all: readonly Received[]) => all.some(({ headers }) => headers['webhook-id'] === messageId);
    await untilReceived(isSent);
  }
  await box.control('POST', '/sandbox/webhooks', { fail: 'none' });
  await box.control('POST', '/sandbox/clock', { advanceMs: 10_000 });
  let deliveries: readonly { state: string; attempts: { status: number | null; error: string | null }[] }[] = [];
  await eventually(
    async () => {
      const { body } = await box.api('GET', `${path}/deliveries`, undefined, keyed);
      deliveries = body.deliveries as typeof deliveries;
      return deliveries.every(({ state }) => state === 'delivered') || JSON.stringify(deliveries);
    },
    TOLD_WITHIN_MS,
    100,
  );
  assert.deepEqual(
    deliveries.map(({ attempts }) => attempts[0]?.status),
    [500, 302, null],
  );
  assert.equal(
    (await box.operator('PATCH', `/operator/integrations/${integrationId}`, { suspended: true })).status,
    200,
  );
  await box.control('POST', '/sandbox/clock', { advanceMs: 10_000 });
  assert.equal((await box.api('GET', '/v2/integrator/me', undefined, keyed)).status, 401);
  await box.operator('PATCH', `/operator/integrations/${integrationId}`, {
    suspended: false,
    limits: { maxOpenOrders: 9 },
  });
  const trail = (await box.operator('GET', `/operator/integrations/${integrationId}/audit`)).body.entries as {
    actor: string;
    action: string;
  }[];
  assert.deepEqual([trail[0]?.actor, trail[0]?.action], ['operator', 'integration.changed']);
  assert.ok(trail.some(({ action }) => action === 'webhook.created'));
});
