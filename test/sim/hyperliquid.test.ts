import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ExchangeClient, HttpTransport, InfoClient } from '@nktkas/hyperliquid';
import { privateKeyToAccount } from 'viem/accounts';
import { startHyperliquid } from '../../sandbox/simulators/hyperliquid/server.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { signL1Body, signMoveBody, signTradeBody } from '../../src/world/venues/hyperliquid/codec.ts';
import type { Ticket } from '../../src/world/venues/venue.ts';
import { ACCOUNT, FRIEND, KEY, listenTo, openVenue } from './hyperliquid-bench.ts';

const wallet = privateKeyToAccount(`0x${Buffer.from(KEY).toString('hex')}`);
const STRANGER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D' as Address;
const DAY_MS = 86_400_000;

/** Another implementation's client on our simulator. */
function clients(url: string) {
  const transport = new HttpTransport({ apiUrl: url });
  return {
    info: new InfoClient({ transport }),
    exchange: new ExchangeClient({ transport, wallet, signatureChainId: '0xa4b1' }),
  };
}

const post = async (url: string, body: string): Promise<{ status: string; response: unknown }> =>
  (await fetch(`${url}/exchange`, { method: 'POST', body })).json() as never;

const order = (p: string, s: string, tif: 'Gtc' | 'Ioc', b = true) => ({
  orders: [{ a: 10260, b, p, s, r: false, t: { limit: { tif } } }],
  grouping: 'na' as const,
});

test('another client’s orders rest, show in the book, and are cancelled', async () => {
  const { simulator, close } = await openVenue();
  const { info, exchange } = clients(simulator.url);
  const placed = await exchange.order(order('300', '1.5', 'Gtc'));
  const [status] = placed.response.data.statuses;
  assert.ok(typeof status === 'object' && 'resting' in status);
  const { oid } = status.resting;
  assert.deepEqual(
    (await info.openOrders({ user: ACCOUNT })).map((one) => [one.oid, one.sz, one.limitPx]),
    [[oid, '1.5', '300.0']],
  );
  const book = await info.l2Book({ coin: '@260' });
  assert.deepEqual(book?.levels[0].at(-1), { px: '300.0', sz: '1.5', n: 1 });
  const state = await info.spotClearinghouseState({ user: ACCOUNT });
  assert.deepEqual(state.balances[0], { coin: 'USDC', token: 0, total: '10000.0', hold: '450.0', entryNtl: '0.0' });
  await exchange.cancel({ cancels: [{ a: 10260, o: oid }] });
  const after = await info.orderStatus({ user: ACCOUNT, oid });
  assert.equal(after.status === 'order' && after.order.status, 'canceled');
  await assert.rejects(
    exchange.cancel({ cancels: [{ a: 10260, o: oid }] }),
    /never placed, already canceled, or filled/,
  );
  await close();
});

test('the venue says why it refuses an order', async () => {
  const { simulator, close } = await openVenue();
  const { exchange } = clients(simulator.url);
  await assert.rejects(exchange.order(order('320.123', '1', 'Ioc')), /Price must be divisible by tick size/);
  await assert.rejects(exchange.order(order('330', '1.001', 'Ioc')), /Order has invalid size/);
  await assert.rejects(exchange.order(order('330', '0.03', 'Ioc')), /minimum value of 10 USDC/);
  await assert.rejects(exchange.order(order('330', '1000', 'Ioc')), /Insufficient spot balance asset=10260/);
  await assert.rejects(exchange.order(order('200', '1', 'Ioc')), /could not immediately match/);
  await close();
});

test('money moves between accounts, sides and new accounts, as another client sees it', async () => {
  const { simulator, close } = await openVenue();
  const { info, exchange } = clients(simulator.url);
  await exchange.spotSend({ destination: STRANGER, token: 'XMR1:0xbb2057659bd378d17e2e151bb04bdcaa', amount: '2' });
  await exchange.usdClassTransfer({ amount: '50', toPerp: true });
  await exchange.usdSend({ destination: FRIEND, amount: '5' });
  const perp = await info.clearinghouseState({ user: ACCOUNT });
  assert.equal(perp.withdrawable, '45.0');
  await exchange.withdraw3({ destination: FRIEND, amount: '10' });
  await assert.rejects(
    exchange.withdraw3({ destination: FRIEND, amount: '36' }),
    /Insufficient balance for withdrawal/,
  );
  await assert.rejects(exchange.spotSend({ destination: FRIEND, token: 'XMR1:0x00', amount: '2' }), /Unknown token/);
  const rows = await info.userNonFundingLedgerUpdates({ user: ACCOUNT });
  assert.deepEqual(
    rows.map(({ delta }) => [delta.type, 'fee' in delta ? delta.fee : undefined]),
    [
      ['spotGenesis', undefined],
      ['spotGenesis', undefined],
      ['spotTransfer', '1.0'],
      ['accountClassTransfer', undefined],
      ['internalTransfer', '0.0'],
      ['withdraw', '1.0'],
    ],
  );
  const { total, transfers } = simulator.received(STRANGER, 'XMR1');
  assert.equal(total, '200000000');
  assert.equal(transfers[0]?.txHash, rows[2]?.hash);
  await close();
});

test('an altered action is a stranger’s, and strangers are told so', async () => {
  const { simulator, venue, clock, close } = await openVenue();
  const now = clock.now();
  const noop = signL1Body({ type: 'noop' }, now, undefined, KEY).body;
  const altered = await post(simulator.url, noop.replace(String(now), String(now + 1)));
  assert.match(String(altered.response), /^User or API Wallet 0x[0-9a-f]{40} does not exist\.$/);
  const wire = venue.tokenWire(venue.market.quote);
  const send = { move: 'send', asset: venue.market.quote, atoms: atoms(100_000_000n), to: FRIEND, nonce: now } as const;
  const moved = await post(simulator.url, signMoveBody(send, wire, KEY).body.replace('"amount":"1"', '"amount":"9"'));
  assert.match(String(moved.response), /^Must deposit before performing actions\. User: 0x/);
  assert.equal((await post(simulator.url, noop)).status, 'ok');
  await close();
});

test('nonces are used once, within two days back and one ahead, above the lowest of the hundred kept', async () => {
  let now = 1_800_000_000_000;
  const { simulator, close } = await openVenue({ now: () => now });
  const noop = (nonce: number) => post(simulator.url, signL1Body({ type: 'noop' }, nonce, undefined, KEY).body);
  assert.equal((await noop(now)).status, 'ok');
  assert.match(String((await noop(now)).response), /duplicate nonce/);
  assert.match(String((await noop(now - 2 * DAY_MS)).response), /Invalid nonce/);
  assert.match(String((await noop(now + DAY_MS)).response), /Invalid nonce/);
  for (let index = 1; index <= 100; index += 1) await noop(now + index);
  assert.match(String((await noop(now)).response), /Invalid nonce/);
  assert.match(String((await noop(now - 5)).response), /below the lowest kept/);
  now += DAY_MS;
  assert.equal((await noop(now)).status, 'ok');
  await close();
});

const ticketAt = (now: number, size: bigint, limit: string): Ticket => ({
  clientId: `0x${now.toString(16).padStart(32, '0')}`,
  side: 'buy',
  size: atoms(size),
  limit,
  nonce: now,
  expiresAfter: instant(now + 60_000),
});

test('a thin book fills an order in part, walks its levels, and is refilled', async () => {
  const { simulator, venue, clock, close } = await openVenue();
  simulator.setBook({ mid: '320', depthUsd: 1_000, spreadBps: 10 });
  const ticket = ticketAt(clock.now(), 1_000_000_000n, '400');
  await venue.post(signTradeBody(ticket, venue.market.wire, KEY));
  const status = await venue.ticket(ticket.clientId);
  assert.ok(status.state === 'done' && status.reason === 'canceled');
  assert.ok(status.filled > 300_000_000n && status.filled < 320_000_000n, String(status.filled));
  const fills = await venue.fills(instant(0));
  assert.equal(fills.length, 10);
  assert.equal(new Set(fills.map((fill) => fill.price)).size, 10);
  assert.equal((await venue.book()).asks.length, 10);
  await close();
});

test('a resting order is met when the market comes to it', async () => {
  const { simulator, close } = await openVenue();
  const { info, exchange } = clients(simulator.url);
  await exchange.order(order('310', '1', 'Gtc'));
  simulator.setBook({ mid: '305', depthUsd: 10_000, spreadBps: 10 });
  const [fill] = await info.userFills({ user: ACCOUNT });
  assert.deepEqual([fill?.px, fill?.sz, fill?.crossed, fill?.fee], ['310.0', '1.0', false, '0.0004']);
  assert.deepEqual(await info.openOrders({ user: ACCOUNT }), []);
  await close();
});

test('a restart resumes where the snapshot was taken', async () => {
  const first = await openVenue();
  const ticket = ticketAt(first.clock.now(), 100_000_000n, '330');
  const signed = signTradeBody(ticket, first.venue.market.wire, KEY);
  await first.venue.post(signed);
  const [balances, saved] = [await first.venue.balances(), first.simulator.snapshot()];
  await first.close();
  const again = await startHyperliquid({ restore: saved });
  const answer = await post(again.url, signed.body);
  assert.match(String(answer.response), /duplicate nonce/);
  const { info } = clients(again.url);
  const state = await info.spotClearinghouseState({ user: ACCOUNT });
  assert.equal(state.balances[1]?.total, '100.9993');
  assert.equal(balances[0]?.atoms, 10_099_930_000n);
  await again.close();
});

test('faults hit as many requests as they are given, and are cleared', async () => {
  const { simulator, venue, clock, close } = await openVenue();
  const ambiguous = (error: unknown) => error instanceof Fault && error.kind === 'ambiguous';
  simulator.setFault({ mode: 'down', count: 1 });
  await assert.rejects(venue.balances(), ambiguous);
  assert.equal((await venue.balances()).length, 2);
  simulator.setFault({ mode: 'reject' });
  const ticket = ticketAt(clock.now(), 100_000_000n, '330');
  await venue.post(signTradeBody(ticket, venue.market.wire, KEY));
  assert.deepEqual(await venue.ticket(ticket.clientId), { state: 'unknown' });
  simulator.clearFaults();
  await venue.post(signTradeBody(ticket, venue.market.wire, KEY));
  assert.equal((await venue.ticket(ticket.clientId)).state, 'done');
  await close();
});

test('more rows of one instant than a page holds are passed over, and that is said', async () => {
  let now = 1_800_000_000_000;
  const { simulator, venue, close } = await openVenue({ now: () => now });
  for (let index = 0; index < 600; index += 1)
    simulator.pay({ from: ACCOUNT, to: FRIEND, token: 'USDC', atoms: BigInt(index + 1) });
  const flooded = instant(now);
  now += 10;
  simulator.pay({ from: ACCOUNT, to: FRIEND, token: 'USDC', atoms: 7_777_777n });
  const first = await venue.ledger(flooded, FRIEND);
  assert.deepEqual([first.rows.length, first.passedOver, first.isEnd], [500, flooded, false]);
  const behind = await venue.ledger(first.next, FRIEND);
  assert.deepEqual([behind.rows.map(({ atoms }) => atoms), behind.isEnd], [[7_777_777n], true]);
  await close();
});

test('a ledger of many pages is read whole, a page at a time', async () => {
  let now = 1_800_000_000_000;
  const { simulator, venue, close } = await openVenue({ now: () => now });
  for (let index = 0; index < 1_200; index += 1) {
    now += index % 2;
    simulator.pay({ from: ACCOUNT, to: FRIEND, token: 'USDC', atoms: BigInt(index + 1) });
  }
  const rows = new Map<string, bigint>();
  for (let since = instant(0), isEnd = false; !isEnd; ) {
    const page = await venue.ledger(since, FRIEND);
    for (const row of page.rows) if (row.kind === 'send_in') rows.set(row.key, row.atoms);
    assert.ok(page.isEnd || page.next > since, 'each question gets further');
    ({ next: since, isEnd } = page);
  }
  assert.equal(rows.size, 1_200);
  assert.equal(
    [...rows.values()].reduce((sum, atoms) => sum + atoms, 0n),
    720_600n,
  );
  await close();
});

test('an account in unified mode withdraws from its one balance and has no sides to change', async () => {
  const { simulator, venue, close } = await openVenue({ unified: true });
  const { exchange } = clients(simulator.url);
  await exchange.withdraw3({ destination: FRIEND, amount: '100' });
  assert.equal((await venue.balances())[1]?.atoms, 990_000_000_000n);
  await assert.rejects(exchange.usdClassTransfer({ amount: '1', toPerp: true }), /unified account/);
  await close();
});

test('those who listen get a snapshot, then each change', async () => {
  const { simulator, venue, clock, close } = await openVenue();
  const { send, subscribe, next, close: hangUp } = await listenTo(simulator.wsUrl);
  send({ method: 'ping' });
  await next('pong');
  for (const type of ['userFills', 'orderUpdates', 'userNonFundingLedgerUpdates']) subscribe({ type, user: ACCOUNT });
  subscribe({ type: 'l2Book', coin: '@260' });
  assert.deepEqual(await next('userFills'), { user: ACCOUNT.toLowerCase(), fills: [], isSnapshot: true });
  assert.equal((await next('userNonFundingLedgerUpdates')).isSnapshot, true);
  assert.equal((await next('l2Book')).coin, '@260');
  const ticket = ticketAt(clock.now(), 100_000_000n, '330');
  await venue.post(signTradeBody(ticket, venue.market.wire, KEY));
  const { fills, isSnapshot } = await next('userFills');
  assert.equal((fills as { cloid: string }[])[0]?.cloid, ticket.clientId);
  assert.equal(isSnapshot, undefined);
  assert.match(JSON.stringify(await next('orderUpdates')), /"status":"filled"/);
  await next('l2Book');
  simulator.pay({ from: FRIEND, to: ACCOUNT, token: 'USDC', atoms: 5n });
  assert.match(JSON.stringify(await next('userNonFundingLedgerUpdates')), /"amount":"0.00000005"/);
  subscribe({ type: 'l2Book', coin: 'DOGE' });
  await next('error');
  await hangUp();
  await close();
});

test('a listener who sends what is no frame is let go, and the venue goes on', async () => {
  const { simulator, close } = await openVenue();
  const line = connect(simulator.port, '127.0.0.1');
  const asks = ['GET /ws HTTP/1.1', 'host: venue', 'connection: upgrade', 'upgrade: websocket'];
  const key = ['sec-websocket-version: 13', `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}`];
  line.write(`${[...asks, ...key].join('\r\n')}\r\n\r\n`);
  assert.match(String((await once(line, 'data'))[0]), /^HTTP\/1\.1 101/);
  line.resume().write(Buffer.alloc(8, 0xff));
  await once(line, 'close');
  assert.equal((await clients(simulator.url).info.l2Book({ coin: '@260' }))?.coin, '@260');
  await close();
});
