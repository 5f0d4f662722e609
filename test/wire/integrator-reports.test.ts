import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { instant } from '../../src/kernel/clock.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import type { Order } from '../../src/life/order/order.ts';
import { VENUE_USDC } from './assets.ts';
import { BUY_ORDER, NO_LIMITS, SELL_ORDER, START } from './bench.ts';
import { type PartnerBench, partnerBench } from './partner-bench.ts';
import { fixedQuotes } from './quotes.ts';
import { arrived, completed, expired, refunded } from './stages.ts';

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

/** Completed after so many seconds, with all of the deposit carried out. */
const completedAfter = (seconds: number) => (order: Order) => ({
  ...completed(order),
  used: order.asked,
  funds: { ...(arrived(order.asked.atoms, 12)(order).funds ?? order.funds), firstSeenAt: bench.now() },
  state: {
    ...(completed(order).state as Extract<Order['state'], { phase: 'completed' }>),
    at: instant(bench.now() + seconds * 1000),
  },
});

test('figures follow the orders of every key and both generations as they move', async () => {
  const { id, serverKey, publicKey } = await bench.partner();
  const [buy, sell, lost, late] = [
    await create(serverKey),
    await create(publicKey, SELL_ORDER),
    await create(serverKey),
    await create(serverKey),
  ];
  const v1 = (await bench.key(serverKey, 'POST', '/v1/order', { ...BUY_ORDER, fee: 0 })).json().orderId;
  const other = await bench.partner();
  await create(other.serverKey);
  const me = async () => (await bench.key(serverKey, 'GET', ME)).json();
  const start = await me();
  assert.deepEqual([start.stats.orders, start.stats.open, start.access.openOrders], [5, 5, 5]);
  assert.equal(start.stats.feesUsd.projected, '6.00', '0.5 % of 300 dollars, four times; v1 asked for no fee');

  await bench.move(buy, completedAfter(42));
  await bench.move(sell, completedAfter(44));
  await bench.move(v1, completedAfter(58));
  await bench.move(lost, refunded);
  await bench.move(late, expired);
  const { stats, access } = await me();
  assert.deepEqual(
    [stats.orders, stats.completed, stats.refunded, stats.expired, stats.failed, stats.open, access.openOrders],
    [5, 3, 1, 1, 0, 0, 0],
  );
  assert.deepEqual([stats.volumeUsd, stats.medianSeconds], ['900.00', 44]);
  assert.deepEqual(stats.feesUsd, { projected: '3.00', paid: '0.00', skipped: '1.50' });
  assert.deepEqual(stats.fees, [
    { chainId: 1337, token: VENUE_USDC.token, symbol: 'USDC', projected: sold(), paid: '0' },
    { chainId: 42161, token: BUY_ORDER.fromToken, symbol: 'USDC', projected: '1500000', paid: '0' },
  ]);
  assert.deepEqual(stats.pairs, [
    { fromSymbol: 'USDC', toSymbol: 'XMR', orders: 4, volumeUsd: '600.00' },
    { fromSymbol: 'XMR', toSymbol: 'USDC', orders: 1, volumeUsd: '300.00' },
  ]);
  const today = stats.days.at(-1);
  assert.deepEqual([today.orders, today.completed, today.volumeUsd, today.feesUsd], [5, 3, '900.00', '3.00']);

  await bench.room.book.revokeKey((await bench.room.book.keys(id))[0]?.keyId ?? '', id, {
    actor: 'operator',
    at: bench.now(),
  });
  const fresh = await bench.deps.partnerRoom.reports.figures(id, 0, 100_000);
  assert.equal(fresh.days[0]?.orders, 5, 'revoking a key forgets nothing');
});

/** Half a percent of what the venue paid for the coin, in its own smallest units. */
const sold = () => String((33_000_000n * 5n) / 1000n);

test('the window slides: orders older than thirty days leave the figures and stay in the list', async () => {
  const { serverKey } = await bench.partner();
  const old = await create(serverKey);
  await bench.move(old, completedAfter(10));
  const figures = async () => (await bench.key(serverKey, 'GET', ME)).json().stats;
  bench.wait(29 * DAY);
  assert.deepEqual([(await figures()).orders, (await figures()).days[0].orders], [1, 1]);
  bench.wait(DAY);
  assert.deepEqual([(await figures()).orders, (await figures()).medianSeconds], [0, null]);
  assert.equal((await bench.key(serverKey, 'GET', ORDERS)).json().orders.length, 1);
});

test('rows tell the fee, the key and the transactions; a fee that is not taken says why', async () => {
  const { id, serverKey } = await bench.partner();
  await bench.room.book.addKey(id, { kind: 'server', keyId: 'a'.repeat(16), name: 'shop' }, 'hash', {
    actor: 'operator',
    at: bench.now(),
  });
  const orderId = await create(serverKey);
  await bench.move(orderId, completedAfter(42));
  const page = (await bench.key(serverKey, 'GET', ORDERS)).json();
  const [row] = page.orders;
  assert.equal(page.nextCursor, null);
  const expected = {
    ...{ orderId, product: 'swap', status: 'completed', fromSymbol: 'USDC', toSymbol: 'XMR', generation: 'v2' },
    ...{ feeStatus: 'projected', feeSkipReason: null, feePercent: 0.5, feeAmount: '1500000', feeUsd: '1.50' },
    ...{ feeToken: BUY_ORDER.fromToken, feeChainId: 42161, feeSymbol: 'USDC', feeTxHash: null, keyName: null },
    ...{ toAddress: BUY_ORDER.toAddress, depositTxHash: '0xdeposit', payoutTxHash: 'payout' },
  };
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(row[name], value, name);
  assert.match(row.keyId, /^[a-z2-7]{16}$/);

  const free = await create(serverKey, { ...BUY_ORDER, integratorFeePercent: 0 });
  const back = await create(serverKey);
  await bench.move(back, refunded);
  const gone = await create(serverKey);
  await bench.move(gone, expired);
  const rows = (await bench.key(serverKey, 'GET', ORDERS)).json().orders;
  const feeOf = (id: string) => {
    const { feeStatus, feeSkipReason } = rows.find((one: { orderId: string }) => one.orderId === id);
    return [feeStatus, feeSkipReason];
  };
  assert.deepEqual(
    [feeOf(free), feeOf(back), feeOf(gone)],
    [
      ['none', null],
      ['skipped', 'refunded'],
      ['none', null],
    ],
  );
});

test('filters, pages and their edges', async () => {
  const { serverKey } = await bench.partner();
  const ids: string[] = [];
  const at: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    bench.wait(1000);
    at.push(bench.now());
    ids.push(await create(serverKey));
  }
  await bench.move(ids[1] ?? '', completedAfter(5));
  await bench.move(ids[2] ?? '', refunded);
  const list = async (query: string) =>
    (await bench.key(serverKey, 'GET', `${ORDERS}?${query}`))
      .json()
      .orders.map((row: { orderId: string }) => ids.indexOf(row.orderId));
  const time = (n: number) => new Date(at[n] ?? 0).toISOString();
  assert.deepEqual(await list(''), [4, 3, 2, 1, 0]);
  assert.deepEqual(await list('status=completed'), [1]);
  assert.deepEqual(await list('status=awaiting_deposit&limit=2'), [4, 3]);
  assert.deepEqual(await list('feeStatus=skipped'), [2]);
  assert.deepEqual(await list('feeStatus=projected&status=completed'), [1]);
  assert.deepEqual(await list(`from=${time(1)}&to=${time(3)}`), [2, 1], 'from is inclusive, to is not');
  assert.deepEqual(await list('to=2029-12-31'), []);
  const walked: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = cursor === '' ? 'limit=2' : `limit=2&cursor=${cursor}`;
    const page: { orders: { orderId: string }[]; nextCursor: string | null } = (
      await bench.key(serverKey, 'GET', `${ORDERS}?${query}`)
    ).json();
    walked.push(...page.orders.map(({ orderId }) => ids.indexOf(orderId)));
    cursor = page.nextCursor;
  }
  assert.deepEqual(walked, [4, 3, 2, 1, 0]);
  const other = await bench.partner();
  const { nextCursor } = (await bench.key(serverKey, 'GET', `${ORDERS}?limit=1`)).json();
  for (const [key, query, code] of [
    [serverKey, 'cursor=made.up', 'invalid_cursor'],
    [other.serverKey, `cursor=${nextCursor}`, 'invalid_cursor'],
    [serverKey, 'status=sideways', 'invalid_request'],
    [serverKey, 'feeStatus=maybe', 'invalid_request'],
    [serverKey, 'from=yesterday', 'invalid_request'],
    [serverKey, 'to=2026-02-30T00:00:00Z', 'invalid_request'],
    [serverKey, 'to=2030-13-45', 'invalid_request'],
    [serverKey, 'limit=0', 'invalid_request'],
    [serverKey, 'limit=101', 'invalid_request'],
  ] as const) {
    assert.deepEqual(codeOf(await bench.key(key, 'GET', `${ORDERS}?${query}`)), [400, code], query);
  }
});

test('the same rows as CSV, with formulas defused', async () => {
  const { id, serverKey } = await bench.partner();
  await create(serverKey);
  const formula = '=HYPERLINK("http://evil.example","x"), "quoted"';
  const text = 'UPDATE integration_key SET name = $2 WHERE integration_id = $1';
  await bench.db.query({ name: 'test_key_name', text }, [id, formula]);
  await create(serverKey);
  const json = (await bench.key(serverKey, 'GET', `${ORDERS}?limit=1`)).json();
  assert.equal(json.orders[0].keyName, formula);
  const reply = await bench.key(serverKey, 'GET', `${ORDERS}?limit=1`, undefined, { accept: 'text/csv' });
  assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(reply.headers['x-next-cursor'], json.nextCursor);
  const [head = '', row = '', ...rest] = reply.body.split('\r\n');
  assert.deepEqual(rest, ['']);
  assert.ok(head.startsWith('orderId,product,status,') && head.includes(',feeStatus,feeSkipReason,feePercent,'));
  assert.ok(row.startsWith(`${json.orders[0].orderId},swap,awaiting_deposit,`));
  assert.ok(row.includes(`,"'=HYPERLINK(""http://evil.example"",""x""), ""quoted""",v2,`), row);
  const plain = await bench.key(serverKey, 'GET', ORDERS, undefined, { accept: 'application/json, text/csv;q=0.5' });
  assert.match(String(plain.headers['content-type']), /^application\/json/);
  const never = await bench.key(serverKey, 'GET', ORDERS, undefined, { accept: 'text/csv;q=0' });
  assert.match(String(never.headers['content-type']), /^application\/json/);
});

test('a fee that the quote leaves out is skipped from the start, with its reason, and takes nothing from the customer', async () => {
  const clock = { now: () => instant(START) };
  const real = fixedQuotes(clock);
  const quote: typeof real.quote = async (request) => {
    const quoted = await real.quote(request);
    return isRefusal(quoted) ? quoted : { ...quoted, integratorFee: undefined, fees: [] };
  };
  const other = await partnerBench({}, { quotes: { ...real, quote } });
  const { serverKey } = await other.partner();
  const { orderId, integratorFee } = (await other.key(serverKey, 'POST', '/v2/swaps', BUY_ORDER)).json();
  assert.equal(integratorFee, null);
  const [row] = (await other.key(serverKey, 'GET', `${ORDERS}?feeStatus=skipped`)).json().orders;
  assert.deepEqual([row.orderId, row.feeSkipReason, row.feeUsd], [orderId, 'too_small', '1.50']);
  assert.equal((await other.key(serverKey, 'GET', ME)).json().stats.feesUsd.skipped, '1.50');
  await other.close();
});
