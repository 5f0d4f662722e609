import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EVM_ADDRESS } from './assets.ts';
import { BUY_ORDER, NO_LIMITS, SELL_ORDER, START } from './bench.ts';
import { type PartnerBench, partnerBench } from './partner-bench.ts';
import { expired } from './stages.ts';

let bench: PartnerBench;
before(async () => {
  bench = await partnerBench({}, { quota: NO_LIMITS });
});
after(() => bench.close());

const DAY = 86_400_000;
const ME = '/v2/integrator/me';
const ORDERS = '/v2/integrator/orders';
const codeOf = (reply: { readonly statusCode: number; json(): { readonly code?: string } }) => [
  reply.statusCode,
  reply.json().code,
];

async function create(key: string, body: object = BUY_ORDER, headers: Record<string, string> = {}): Promise<string> {
  const made = await bench.key(key, 'POST', '/v2/swaps', body, headers);
  assert.equal(made.statusCode, 201, made.body);
  return made.json().orderId;
}

test('reports are for server keys: 401 without one, 403 for a public one', async () => {
  const { serverKey, publicKey } = await bench.partner();
  for (const path of [ME, ORDERS, '/v2/integrator/webhooks']) {
    assert.deepEqual(codeOf(await bench.as(undefined, 'GET', path)), [401, 'invalid_key'], path);
    assert.deepEqual(codeOf(await bench.key('wh_s_wrong', 'GET', path)), [401, 'invalid_key'], path);
    assert.deepEqual(codeOf(await bench.key(publicKey, 'GET', path)), [403, 'server_key_required'], path);
    assert.deepEqual(codeOf(await bench.as(undefined, 'GET', `${path}?key=${serverKey}`)), [401, 'key_in_query'], path);
    const alias = await bench.as(undefined, 'GET', path, undefined, { 'x-api-key': serverKey });
    assert.equal(alias.statusCode, 200, path);
  }
});

test('me tells profile, fees, limits and usage of a partner without orders', async () => {
  const limits = { requestLimitPerMin: 10, createLimitPerMin: 0, maxOpenOrders: 7 };
  const { id, serverKey } = await bench.partner({ limits });
  const { integrator, stats, access } = (await bench.key(serverKey, 'GET', ME)).json();
  assert.deepEqual(integrator, {
    integrationId: id,
    name: 'Acme',
    status: 'active',
    feePercent: 0.5,
    feeAddress: '0x1111111111111111111111111111111111111111',
    feeAddressSol: null,
    feeAddressBtc: null,
    createdAt: new Date(bench.now()).toISOString(),
  });
  assert.deepEqual(access, {
    limits,
    defaults: { requestLimitPerMin: 600, createLimitPerMin: 60, maxOpenOrders: 200 },
    quoteLimitPerMin: 600,
    openOrderWindowMinutes: 1440,
    openOrders: 0,
    keyRequestLimitPerMin: 300,
    clientIpForwarding: {
      enabled: false,
      header: 'X-End-User-IP',
      limits: { requestLimitPerMin: 50, createLimitPerMin: 5, maxOpenOrders: 20 },
    },
    attribution: { windowDays: 30, totalOrders: 0, attributedOrders: 0, distinctIps: 0 },
  });
  const { days, ...figures } = stats;
  assert.deepEqual(figures, {
    windowDays: 30,
    ...{ orders: 0, completed: 0, refunded: 0, failed: 0, expired: 0, open: 0 },
    volumeUsd: '0.00',
    feesUsd: { projected: '0.00', paid: '0.00', skipped: '0.00' },
    fees: [],
    medianSeconds: null,
    pairs: [],
  });
  assert.equal(days.length, 30);
  assert.deepEqual(days.at(-1), {
    ...{ date: new Date(bench.now()).toISOString().slice(0, 10), orders: 0, completed: 0 },
    ...{ volumeUsd: '0.00', feesUsd: '0.00' },
  });
});

test('attribution counts named end users, each once, and shows no address of theirs', async () => {
  const forwarding = {
    enabled: true,
    approvedServerIps: ['127.0.0.1'],
    limits: { requestLimitPerMin: 11, createLimitPerMin: 12, maxOpenOrders: 13 },
  };
  const { serverKey, publicKey } = await bench.partner({ forwarding });
  for (const ip of ['8.8.8.8', '8.8.4.4', '8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111', undefined]) {
    await create(serverKey, BUY_ORDER, ip ? { 'x-end-user-ip': ip } : {});
  }
  await create(publicKey);
  const reply = await bench.key(serverKey, 'GET', ME);
  const { access } = reply.json();
  assert.deepEqual(access.attribution, { windowDays: 30, totalOrders: 7, attributedOrders: 5, distinctIps: 3 });
  assert.deepEqual(access.clientIpForwarding, { enabled: true, header: 'X-End-User-IP', limits: forwarding.limits });
  assert.ok(!/8\.8\.|2606|127\.0\.0\.1/.test(reply.body));
  bench.wait(29 * DAY);
  await create(serverKey, BUY_ORDER, { 'x-end-user-ip': '8.8.4.4' });
  const attribution = async () => (await bench.key(serverKey, 'GET', ME)).json().access.attribution;
  assert.deepEqual(await attribution(), { windowDays: 30, totalOrders: 8, attributedOrders: 6, distinctIps: 3 });
  bench.wait(DAY);
  assert.deepEqual(await attribution(), { windowDays: 30, totalOrders: 1, attributedOrders: 1, distinctIps: 1 });
});

test('members read the same report and the same rows', async () => {
  const { account, cookie } = await bench.member();
  const { id, serverKey } = await bench.partner();
  await bench.room.book.setMember(
    id,
    { address: account.address, role: 'viewer' },
    { actor: 'operator', at: bench.now() },
  );
  await create(serverKey, { ...SELL_ORDER, toAddress: EVM_ADDRESS });
  const path = `/partner/integrations/${id}`;
  const [me, report] = [await bench.key(serverKey, 'GET', ME), await bench.as(cookie, 'GET', `${path}/report`)];
  assert.equal(report.body, me.body);
  const rows = await bench.as(cookie, 'GET', `${path}/orders?status=awaiting_deposit`);
  assert.deepEqual(rows.json().orders, (await bench.key(serverKey, 'GET', ORDERS)).json().orders);
  const csv = await bench.as(cookie, 'GET', `${path}/orders`, undefined, { accept: 'text/csv' });
  assert.match(csv.body, /^orderId,product/);
});

test('open orders count until they end or grow older than the window', async () => {
  const { serverKey } = await bench.partner({ limits: { maxOpenOrders: 2, openOrderWindowMinutes: 60 } });
  await create(serverKey);
  const second = await create(serverKey);
  const full = await bench.key(serverKey, 'POST', '/v2/swaps', BUY_ORDER);
  assert.deepEqual([full.statusCode, full.headers['x-ratelimit-resource']], [429, 'open_orders']);
  const used = async () => (await bench.key(serverKey, 'GET', ME)).json().access.openOrders;
  assert.equal(await used(), 2);
  await bench.move(second, expired);
  assert.equal(await used(), 1);
  bench.wait(3_600_000);
  assert.equal(await used(), 0);
  assert.ok(bench.now() > START);
});

test('the public id of an integration attributes an order as a public key does, and opens nothing else', async () => {
  const [shop, other] = [await bench.partner({ feePercent: 2 }), await bench.partner()];
  const ref = (id: string, headers: Record<string, string> = {}) =>
    bench.as(undefined, 'POST', '/v2/swaps', BUY_ORDER, { 'x-integrator-ref': id, ...headers });
  const made = await ref(shop.id);
  assert.equal(made.statusCode, 201, made.body);
  const [row] = (await bench.key(shop.serverKey, 'GET', ORDERS)).json().orders;
  assert.deepEqual([row.orderId, row.feePercent, row.keyId], [made.json().orderId, 2, null]);
  for (const path of [ME, ORDERS, '/v2/integrator/webhooks'])
    assert.deepEqual(
      codeOf(await bench.as(undefined, 'GET', path, undefined, { 'x-integrator-ref': shop.id })),
      [403, 'server_key_required'],
      path,
    );
  // A key goes before it.
  const keyed = await ref(shop.id, { 'x-integrator-key': other.publicKey });
  assert.equal(keyed.statusCode, 201);
  assert.equal((await bench.key(shop.serverKey, 'GET', ORDERS)).json().orders.length, 1);
  for (const wrong of ['int_nobody', shop.serverKey, '', '../x', 'x'.repeat(500)])
    assert.deepEqual(codeOf(await ref(wrong)), [401, 'invalid_key'], wrong);
  await bench.room.book.change(
    shop.id,
    { atOnce: { suspended: true }, wait: {}, takeBack: [] },
    { actor: 'operator', at: bench.now() },
  );
  bench.wait(10_001);
  assert.deepEqual(codeOf(await ref(shop.id)), [401, 'invalid_key']);
});
