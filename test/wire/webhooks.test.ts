import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookError } from '../../sdk/src/index.ts';
import { later } from '../../src/kernel/clock.ts';
import { BUY_ORDER, SELL_ORDER } from './bench.ts';
import { type PartnerBench, partnerBench, TAKEN } from './partner-bench.ts';
import { arrived, completed, expired, payoutRefused, refunded } from './stages.ts';
import { codeOf, endpointOn, eventOf, HOOKS, typesOf, URL_OF } from './webhook-endpoint.ts';

let bench: PartnerBench;
before(async () => {
  bench = await partnerBench();
});
after(() => bench.close());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const endpoint = (body?: object) => endpointOn(bench, body);

test('an endpoint shows its secret once and is read, listed, changed and deleted, by key and by session', async () => {
  const { id, serverKey, made, ask, webhookId } = await endpoint({ events: ['order.completed'] });
  assert.match(made.secret, /^whsec_[A-Za-z0-9+/=]{44}$/);
  const { secret: _, ...shown } = made;
  assert.deepEqual(shown, {
    ...{ webhookId, url: URL_OF, events: ['order.completed'], status: 'active' },
    createdAt: new Date(bench.now()).toISOString(),
  });
  assert.deepEqual((await ask('GET', '')).json(), shown);
  assert.deepEqual((await bench.key(serverKey, 'GET', HOOKS)).json(), { webhooks: [shown] });
  const changed = (await ask('PATCH', '', { events: ['order.failed', 'fee.paid'], status: 'paused' })).json();
  assert.deepEqual([changed.events, changed.status, changed.url], [['order.failed', 'fee.paid'], 'paused', URL_OF]);
  const { account, cookie } = await bench.member();
  await bench.room.book.setMember(
    id,
    { address: account.address, role: 'owner' },
    { actor: 'operator', at: bench.now() },
  );
  const path = `/partner/integrations/${id}/webhooks`;
  assert.deepEqual((await bench.as(cookie, 'GET', path)).json().webhooks, [changed]);
  const second = await bench.as(cookie, 'POST', path, { url: `${URL_OF}/2` });
  assert.equal(second.statusCode, 201);
  assert.ok(second.json().events.includes('webhook.test'), 'every type where none is named');
  assert.equal((await bench.as(cookie, 'DELETE', `${path}/${webhookId}`)).statusCode, 204);
  assert.deepEqual(codeOf(await ask('GET', '')), [404, 'not_found']);
  const stranger = await bench.partner();
  assert.deepEqual(codeOf(await bench.key(stranger.serverKey, 'GET', `${HOOKS}/${second.json().webhookId}`)), [
    404,
    'not_found',
  ]);
});

test('what is no address for a webhook, or no event, is refused', async () => {
  const { serverKey } = await bench.partner();
  for (const body of [
    { url: 'http://shop.example' },
    { url: '' },
    {},
    { url: URL_OF, events: ['order.eaten'] },
    { url: URL_OF, events: [] },
    { url: URL_OF, secret: 'mine' },
  ]) {
    assert.deepEqual(
      codeOf(await bench.key(serverKey, 'POST', HOOKS, body)),
      [400, 'invalid_request'],
      JSON.stringify(body),
    );
  }
});

test('an order tells its whole life in order, as the v2 order without its session, in both generations', async () => {
  const { create, serverKey } = await endpoint();
  const orderId = await create();
  await bench.move(orderId, arrived(200_000_000n));
  await bench.move(orderId, arrived(300_000_000n));
  await bench.move(orderId, (order) => ({ used: order.asked }));
  await bench.move(orderId, completed);
  const sent = await bench.deliver(() => TAKEN);
  assert.deepEqual(typesOf(sent), [
    'order.created',
    'order.deposit_seen',
    'order.notice',
    'order.notice',
    'order.deposit_confirmed',
    'order.completed',
  ]);
  const events = sent.map(eventOf);
  assert.deepEqual(
    events.map(({ data }) => data.seq),
    [1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual(
    events.map(({ data }) => data.status),
    [
      ...[
        'awaiting_deposit',
        'awaiting_deposit',
        'awaiting_deposit',
        'awaiting_deposit',
        'awaiting_deposit',
        'completed',
      ],
    ],
  );
  for (const { data, timestamp } of events) {
    assert.ok(!('sessionId' in data) && data.orderId === orderId);
    assert.equal(timestamp, new Date(bench.now()).toISOString());
  }
  assert.equal(events[1]?.data.observedDepositAmount, '200000000', 'as it was then, not as it is now');

  const v1 = (await bench.key(serverKey, 'POST', '/v1/order', { ...BUY_ORDER, fee: 0 })).json().orderId;
  await bench.move(v1, expired);
  const old = (await bench.deliver(() => TAKEN)).map(eventOf);
  assert.deepEqual(
    old.map(({ type, data }) => [type, data.orderId, data.product]),
    [
      ['order.created', v1, 'swap'],
      ['order.expired', v1, 'swap'],
    ],
  );
});

test('refunds, actions and fees that are skipped are told', async () => {
  const { create } = await endpoint();
  const back = await create();
  await bench.move(back, refunded);
  const stuck = await create(SELL_ORDER);
  await bench.move(stuck, payoutRefused);
  const told = (await bench.deliver(() => TAKEN)).map(eventOf);
  const of = (id: string) => told.filter(({ data }) => data.orderId === id).map(({ type }) => type);
  assert.deepEqual(of(back), ['order.created', 'order.refunded', 'fee.skipped']);
  assert.deepEqual(of(stuck), ['order.created', 'order.deposit_seen', 'order.action_required']);
});

test('only what was asked for is sent, and nothing of others', async () => {
  const { create } = await endpoint({ events: ['order.completed'] });
  const other = await endpoint();
  const orderId = await create();
  await bench.move(orderId, completed);
  await other.create();
  const sent = await bench.deliver(() => TAKEN);
  assert.deepEqual(typesOf(sent).toSorted(), ['order.completed', 'order.created']);
  const keyless = (await bench.call({ method: 'POST', url: '/v2/swaps', payload: BUY_ORDER })).json();
  await bench.move(keyless.orderId, completed);
  assert.deepEqual(await bench.deliver(() => TAKEN), []);
});

test('signatures are good for two libraries, the sdk among them, and for nothing else', async () => {
  const { secret, create } = await endpoint();
  await create();
  const [sent] = await bench.deliver(() => TAKEN);
  assert.ok(sent);
  const { headers, body } = sent;
  const now = bench.now();
  assert.equal((await verifyWebhook(secret, headers, body, { now })).type, 'order.created');
  assert.match(headers['webhook-signature'] ?? '', /^v1,[A-Za-z0-9+/]{43}=$/);
  assert.equal(headers['content-type'], 'application/json');
  // The other library goes by the computer's clock, so it signs for itself what we signed.
  const seconds = new Date(Number(headers['webhook-timestamp']) * 1000);
  assert.equal(new Webhook(secret).sign(headers['webhook-id'] ?? '', seconds, body), headers['webhook-signature']);
  const bad: [string | string[], typeof headers, string, object][] = [
    [secret, headers, `${body} `, { now }],
    [secret, { ...headers, 'webhook-id': 'msg_other' }, body, { now }],
    [secret, { ...headers, 'webhook-timestamp': String(Math.floor(now / 1000) + 1) }, body, { now }],
    [secret, { ...headers, 'webhook-signature': 'v1,AAAA v2,x nonsense' }, body, { now }],
    [`whsec_${Buffer.alloc(32).toString('base64')}`, headers, body, { now }],
    [[], headers, body, { now }],
    [secret, headers, body, { now: now + 301_000 }],
    [secret, headers, body, { now: now - 301_000 }],
    [secret, {}, body, { now }],
  ];
  for (const [key, given, text, options] of bad) {
    await assert.rejects(verifyWebhook(key, given, text, options), WebhookError);
  }
});

test('after a rotation both secrets sign for a day', async () => {
  const { secret, ask, create } = await endpoint({ events: ['order.created'] });
  const rotated = await ask('POST', '/rotate');
  assert.equal(rotated.statusCode, 200);
  const fresh = rotated.json().secret as string;
  assert.notEqual(fresh, secret);
  const verified = async () => {
    await create();
    const [sent] = await bench.deliver(() => TAKEN);
    assert.ok(sent);
    const isGood = (key: string) =>
      verifyWebhook(key, sent.headers, sent.body, { now: bench.now() }).then(
        () => true,
        () => false,
      );
    return [await isGood(secret), await isGood(fresh)];
  };
  bench.wait(24 * HOUR - 1);
  assert.deepEqual(await verified(), [true, true]);
  bench.wait(1);
  assert.deepEqual(await verified(), [false, true]);
  const rows = await bench.db.query({ name: 'test_hooks', text: 'SELECT * FROM webhook' });
  assert.ok(!JSON.stringify(rows).includes(fresh.slice(6)), 'no secret is stored');
});

test('a test message, the log in pages, and messages about the integration itself', async () => {
  const { id, ask, webhookId } = await endpoint();
  const asked = await ask('POST', '/test');
  assert.equal(asked.statusCode, 202);
  const { messageId } = asked.json();
  // Another process writes later what it began before.
  const by = { actor: 'operator', at: later(bench.now(), -1) };
  await bench.room.book.change(id, { atOnce: { name: 'Renamed' }, wait: {}, takeBack: [] }, by);
  const sent = await bench.deliver(() => TAKEN);
  const test = sent.find(({ headers }) => headers['webhook-id'] === messageId);
  assert.deepEqual([test && eventOf(test).type, test && eventOf(test).data], ['webhook.test', { webhookId }]);
  const changed = sent.map(eventOf).find(({ type }) => type === 'integration.changed');
  assert.deepEqual([changed.data.integrationId, changed.data.name, changed.data.status], [id, 'Renamed', 'active']);
  const page = (await ask('GET', '/deliveries?limit=1')).json();
  assert.equal(page.deliveries.length, 1);
  const rest = (await ask('GET', `/deliveries?limit=5&cursor=${page.nextCursor}`)).json();
  assert.deepEqual([rest.deliveries.length, rest.nextCursor], [1, null]);
  assert.equal(page.deliveries[0].messageId, messageId);
  assert.ok(rest.deliveries[0].createdAt < page.deliveries[0].createdAt, 'newest first');
  assert.deepEqual((await ask('GET', '/deliveries?state=failed')).json().deliveries, []);
  assert.deepEqual(codeOf(await ask('GET', '/deliveries?cursor=x')), [400, 'invalid_cursor']);
  assert.deepEqual(codeOf(await ask('POST', '/deliveries/999999/resend')), [404, 'not_found']);
  assert.deepEqual(codeOf(await ask('POST', '/deliveries/x/resend')), [400, 'invalid_request']);
});
