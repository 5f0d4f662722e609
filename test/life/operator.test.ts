import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isoTime } from '../../src/kernel/clock.ts';
import { openBreakers } from '../../src/store/gates.ts';
import { ACME, type Method, type OperatorRoom, ORDER_ID, openRoom, roomOver, TOKEN, XMR } from './operator-room.ts';

const ORPHANED = { case: 'deposit_orphaned', asset: XMR, atoms: 5n, usd: '0.01' } as const;

let room: OperatorRoom;
before(async () => {
  room = await openRoom();
});
after(() => room.close());

test('nothing is told without the token, not even which paths exist', async () => {
  for (const wrong of ['', 'Bearer', 'Bearer wrong', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, 'x'.repeat(5_000)])
    for (const path of ['/operator/ledger', '/metrics', '/operator/nowhere', '/']) {
      const { status, json } = await room.ask('GET', path, undefined, wrong);
      assert.deepEqual([status, json()], [401, { error: 'Unauthorized' }]);
    }
  assert.equal((await room.ask('GET', '/operator/ledger', undefined, `bearer ${TOKEN}`)).status, 200);
});

test('wrong bodies are 400, unknown things 404, and every answer is JSON with an error', async () => {
  const wrong: [Method, string, unknown, number][] = [
    ['POST', '/operator/integrations', undefined, 400],
    ['POST', '/operator/integrations', [], 400],
    ['POST', '/operator/integrations', { ...ACME, colour: 'red' }, 400],
    ['POST', '/operator/integrations', { ...ACME, feePercent: '0.5' }, 400],
    ['POST', '/operator/integrations', { ...ACME, feePercent: 5.01 }, 400],
    ['POST', '/operator/integrations', { ...ACME, feeAddress: 'nowhere' }, 400],
    ['POST', '/operator/integrations', { ...ACME, name: 'a\u0000b' }, 400],
    ['POST', '/operator/integrations', { ...ACME, name: '\ud800' }, 400],
    ['POST', '/operator/integrations', { ...ACME, name: 'x'.repeat(40_000) }, 413],
    ['POST', '/operator/integrations', { ...ACME, limits: { createLimitPerMin: 1.5 } }, 400],
    ['POST', '/operator/integrations', { ...ACME, limits: { createLimitPerMin: -1 } }, 400],
    ['POST', '/operator/integrations', { ...ACME, forwarding: { enabled: true, approvedServerIps: ['all'] } }, 400],
    ['PATCH', '/operator/integrations/int_nobody', { feePercent: 1 }, 404],
    ['PATCH', '/operator/integrations/%00', { feePercent: 1 }, 400],
    ['POST', '/operator/integrations/int_nobody/keys', { kind: 'server' }, 404],
    ['POST', '/operator/integrations/int_nobody/keys', { kind: 'root' }, 400],
    ['DELETE', '/operator/keys/nothing', undefined, 404],
    ['DELETE', "/operator/keys/'; DROP TABLE integration; --", undefined, 404],
    ['PUT', '/operator/bridges/btc/deposit', { enabled: true }, 400],
    ['PUT', '/operator/bridges/xmr/deposit', { enabled: 'true' }, 400],
    ['PUT', '/operator/breakers/everything', { open: true, reason: 'x' }, 400],
    ['PUT', '/operator/breakers/chain:-1', { open: true, reason: 'x' }, 400],
    ['PUT', '/operator/breakers/chain:42611', { open: true, reason: 'a slip of the finger' }, 400],
    ['PUT', '/operator/breakers/provider:onclick', { open: true, reason: 'another' }, 400],
    ['PUT', '/operator/breakers/quotes', { open: true }, 400],
    ['GET', '/operator/orders/nothing', undefined, 404],
    ['GET', `/operator/orders/sw_${'b'.repeat(26)}`, undefined, 404],
    ['GET', '/operator/%ff', undefined, 400],
    ['GET', '/operator/nowhere', undefined, 404],
  ];
  for (const [method, path, body, status] of wrong) {
    const answer = await room.ask(method, encodeURI(path).replaceAll('%25', '%'), body);
    assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)?.slice(0, 80)}: ${answer.text}`);
    assert.equal(typeof answer.json().error, 'string');
  }
  const malformed = await room.app.inject({
    method: 'POST',
    url: '/operator/integrations',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    payload: '{"name":',
  });
  assert.deepEqual([malformed.statusCode, malformed.json()], [400, { error: 'The body is not valid JSON.' }]);
  assert.deepEqual(room.troubles, []);
});

test('what is wrong with a request is said in a sentence, and never in the words of its schema', async () => {
  const said = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) =>
    (await room.ask(method, path, body)).json();
  const make = (change: object) =>
    said('POST', '/operator/integrations', { name: 'Shop', feePercent: 1, feeAddress: 'x', ...change });
  assert.deepEqual(await make({ name: undefined }), { error: 'name is required.' });
  assert.deepEqual(await make({ feePercent: 'one' }), { error: 'feePercent must be number.' });
  assert.deepEqual(await make({ feePrecent: 1 }), { error: 'feePrecent is not known here.' });
  assert.deepEqual(await make({ name: 'a\u0000b' }), { error: 'name is not valid.' });
  assert.deepEqual(await make({ limits: { maxOpenOrders: -1 } }), { error: 'limits.maxOpenOrders must be >= 0.' });
  assert.deepEqual(await make({ feePercent: -1 }), {
    error: 'feePercent must be from 0 to 5, with at most four decimals.',
  });
  assert.deepEqual(await said('POST', '/operator/integrations', ['x']), { error: 'The body must be a JSON object.' });
  assert.deepEqual(await said('POST', '/operator/integrations/int_1/keys', { kind: 'own' }), {
    error: 'kind is not valid.',
  });

  const bare = (headers: Record<string, string>) =>
    room.app.inject({ method: 'GET', url: '/operator/orders/%ff', headers });
  const unreadable = await bare({ authorization: `Bearer ${TOKEN}` });
  assert.deepEqual([unreadable.statusCode, unreadable.json()], [400, { error: 'The request could not be read.' }]);
  const stranger = await bare({});
  assert.deepEqual([stranger.statusCode, stranger.json()], [401, { error: 'Unauthorized' }]);
});

test('bridges are off until they are switched on, each direction by itself', async () => {
  const enabled = async () => {
    const { bridges } = (await room.ask('GET', '/operator/bridges')).json();
    return bridges
      .filter((one: { enabled: boolean }) => one.enabled)
      .map((one: { asset: string; direction: string }) => `${one.asset} ${one.direction}`);
  };
  assert.deepEqual(await enabled(), []);
  const on = await room.ask('PUT', '/operator/bridges/xmr/deposit', { enabled: true });
  assert.deepEqual(on.json(), { asset: 'xmr', direction: 'deposit', enabled: true });
  assert.deepEqual(await enabled(), ['xmr deposit']);
  await room.ask('PUT', '/operator/bridges/xmr/deposit', { enabled: false });
  assert.deepEqual(await enabled(), []);
});

test('an open breaker is seen by everybody within a second', async () => {
  const elsewhere = openBreakers(room.db, room.clock);
  assert.equal(await elsewhere.isOpen('payouts'), undefined);
  const opened = await room.ask('PUT', '/operator/breakers/payouts', { open: true, reason: 'the node is forked' });
  assert.deepEqual(opened.json(), {
    scope: 'payouts',
    open: true,
    reason: 'the node is forked',
    since: isoTime(room.clock.now()),
    by: 'operator',
  });
  assert.equal(await room.breakers.isOpen('payouts'), 'the node is forked');
  assert.equal(await elsewhere.isOpen('payouts'), undefined);
  room.wait(1_000);
  assert.equal(await elsewhere.isOpen('payouts'), 'the node is forked');
  assert.equal(await elsewhere.isOpen('chain:0'), undefined);
  await room.ask('PUT', '/operator/breakers/payouts', { open: false });
  room.wait(1_000);
  assert.equal(await elsewhere.isOpen('payouts'), undefined);
  const { breakers: listed } = (await room.ask('GET', '/operator/breakers')).json();
  assert.deepEqual(listed.map((one: { scope: string }) => one.scope).sort(), [
    'bridges',
    'chain:0',
    'chain:42161',
    'orders',
    'payouts',
    'provider:oneclick',
    'quotes',
    'refunds-only',
    'venue',
  ]);
});

test('a breaker that somebody wrote into the database under no known name is not passed over: nothing goes on until it is gone', async () => {
  const [write, drop] = [
    `INSERT INTO breaker (scope, open, reason, changed_at, changed_by) VALUES ('refund-only', true, 'in haste', 1, 'ada')`,
    `DELETE FROM breaker WHERE scope = 'refund-only'`,
  ];
  await room.db.query({ name: 'breaker_by_hand', text: write });
  const elsewhere = openBreakers(room.db, room.clock);
  await assert.rejects(elsewhere.isOpen('refunds-only'), /a breaker called refund-only/);
  await room.db.query({ name: 'breaker_by_hand_gone', text: drop });
  assert.equal(await elsewhere.isOpen('refunds-only'), undefined);
});

test('a report on an order says why it is where it is, in plain numbers and without secrets', async () => {
  const answer = await room.ask('GET', `/operator/orders/${ORDER_ID}`);
  const report = answer.json();
  const [held, waits] = ['HELD by the breaker payouts: we look', 'the hot account is short of 0:XMR'];
  assert.equal(report.why, `${held}; ${waits}; reserve_payout failed 3 times, last with: no money`);
  assert.equal(report.ledger[0].atoms, '5');
  assert.equal(report.order.destination.address, 'somewhere');
  assert.ok(!answer.text.includes('a-mac-nobody-may-see'));
});

test('cases explain themselves, of an order or of the house, the oldest first', async () => {
  const since = room.clock.now();
  await room.cases.raise(ORDER_ID, ORPHANED);
  room.wait(1_000);
  await room.cases.raise('treasury', { case: 'venue_row_unexpected', row: 'row 7' });
  await room.cases.raise(ORDER_ID, ORPHANED);
  const { cases } = (await room.ask('GET', '/operator/cases')).json();
  assert.deepEqual(
    cases.map((one: { orderId?: string; case: string }) => [one.orderId, one.case]),
    [
      [ORDER_ID, 'deposit_orphaned'],
      [undefined, 'venue_row_unexpected'],
    ],
  );
  assert.match(cases[0].meaning, /reorganised/);
  assert.match(cases[1].reason, /row 7$/);
  assert.deepEqual(cases[1].about, { case: 'venue_row_unexpected', row: 'row 7' });
  assert.deepEqual(
    cases.map((one: { since: string }) => Date.parse(one.since) - since),
    [0, 1_000],
  );
  for (const one of cases) assert.ok(one.actions.length > 0 && ['now', 'today'].includes(one.urgency));
});

test('the ledger is in base-10 text, drift with its sign', async () => {
  const { assets } = (await room.ask('GET', '/operator/ledger')).json();
  assert.deepEqual(assets, [
    {
      asset: XMR,
      symbol: 'XMR',
      held: '11',
      owed: '5',
      inFlight: '1',
      fees: '1',
      integrators: '2',
      treasury: '2',
      cold: '0',
      deposits: '1',
      missing: '0',
      chain: '10',
      drift: '-1',
    },
  ]);
});

test('connections have a bound, and slow requests an end', () => {
  const { maxConnections, headersTimeout, requestTimeout } = room.app.server;
  assert.deepEqual([maxConnections, requestTimeout, headersTimeout <= requestTimeout], [256, 15_000, true]);
});

test('metrics are served as Prometheus reads them', async () => {
  const { status, text } = await room.ask('GET', '/metrics');
  assert.equal(status, 200);
  assert.match(text, /^wherry_tests_total 1$/m);
});

test('a database that is gone makes calls unavailable, and the operator is told', async () => {
  const lost = roomOver('postgres://127.0.0.1:1/none');
  const { status, json } = await lost.ask('GET', '/operator/breakers');
  await lost.close();
  assert.deepEqual([status, typeof json().error, lost.troubles.length], [503, 'string', 1]);
});
