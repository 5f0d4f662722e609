import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { verifyWebhook } from '../../sdk/src/index.ts';
import type { PostResult } from '../../src/world/outbound/guarded-post.ts';
import { type PartnerBench, partnerBench, type Sent, TAKEN } from './partner-bench.ts';
import { completed, expired } from './stages.ts';
import { codeOf, endpointOn, eventOf, typesOf } from './webhook-endpoint.ts';

let bench: PartnerBench;
before(async () => {
  bench = await partnerBench();
});
after(() => bench.close());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BROKEN: PostResult = { status: 500, error: 'The answer was 500.', ms: 8 };

const endpoint = (body?: object) => endpointOn(bench, body);

test('a receiver that fails for an hour gets everything afterwards, in order per order, the same bytes each time', async () => {
  const { create, secret, ask } = await endpoint();
  const orders = [await create(), await create()];
  const failed = await bench.deliver(() => BROKEN);
  assert.deepEqual(typesOf(failed), ['order.created', 'order.created'], 'later ones wait for the first');
  for (const id of orders) await bench.move(id, completed);
  const gaps = [5, 30, 120, 600, 1800, 3600];
  for (const [n, seconds] of gaps.entries()) {
    bench.wait(seconds * 1000 - 1);
    assert.deepEqual(await bench.deliver(() => BROKEN), [], `not before ${seconds} s`);
    bench.wait(1);
    const again = await bench.deliver(() => (n < 5 ? BROKEN : TAKEN));
    const bytes = (all: readonly Sent[]) => all.map(({ headers, body }) => [headers['webhook-id'], body]).toSorted();
    assert.deepEqual(bytes(again.slice(0, 2)), bytes(failed));
    if (n < 5) continue;
    for (const id of orders) {
      const mine = again.map(eventOf).filter(({ data }) => data.orderId === id);
      assert.deepEqual(
        mine.map(({ type, data }) => [type, data.seq]),
        [
          ['order.created', 1],
          ['order.deposit_seen', 2],
          ['order.completed', 3],
        ],
      );
    }
    for (const { headers, body } of again) await verifyWebhook(secret, headers, body, { now: bench.now() });
  }
  const { deliveries } = (await ask('GET', '/deliveries?limit=1&state=delivered')).json();
  assert.equal(deliveries[0].state, 'delivered');
});

test('a slow endpoint holds up nobody else, and no order but its own', async () => {
  const slow = await endpoint({ url: 'https://slow.example', events: ['order.created'] });
  const quick = await endpoint({ url: 'https://quick.example', events: ['order.created'] });
  for (let n = 0; n < 6; n += 1) await slow.create();
  await quick.create();
  const answered: string[] = [];
  let slowAtOnce = 0;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  await bench.deliver(async ({ url }) => {
    if (url === 'https://slow.example') slowAtOnce += 1;
    // The slow ones answer when the quick one has been asked and as many of them wait as may.
    else open();
    if (url === 'https://slow.example') await gate;
    if (answered.length === 0) assert.equal(slowAtOnce, 4, 'one endpoint has four at a time');
    answered.push(url);
    return TAKEN;
  });
  assert.equal(answered.length, 7);
});

test('after three days the message has failed, the endpoint is disabled, and a case tells of it', async () => {
  const { id, create, ask, webhookId } = await endpoint({ events: ['order.created', 'order.expired'] });
  const orderId = await create();
  let attempts = 0;
  const start = bench.now();
  while (bench.now() - start <= 73 * HOUR) {
    attempts += (await bench.deliver(() => BROKEN)).length;
    bench.wait(MINUTE);
  }
  // At 0 s, after six growing pauses, and then every two hours until three days are over.
  assert.equal(attempts, 7 + 35);
  const [delivery] = (await ask('GET', '/deliveries')).json().deliveries;
  assert.deepEqual(
    [delivery.state, delivery.attempts.length, delivery.orderId, delivery.seq],
    ['failed', 42, orderId, 1],
  );
  assert.deepEqual(Object.keys(delivery.attempts[0]).toSorted(), ['at', 'error', 'ms', 'status']);
  assert.equal((await ask('GET', '')).json().status, 'disabled');
  const cases = await bench.db.query({
    name: 'test_cases',
    text: 'SELECT owner, kind, subject FROM attention WHERE closed_at IS NULL',
  });
  assert.deepEqual(cases, [{ owner: id, kind: 'webhook_disabled', subject: webhookId }]);
  await bench.move(orderId, expired);
  assert.deepEqual(codeOf(await ask('POST', '/test')), [409, 'action_not_available']);
  assert.equal((await ask('PATCH', '', { status: 'active' })).statusCode, 200);
  assert.deepEqual(await bench.deliver(() => TAKEN), [], 'what happened while it was disabled is not told');
  assert.equal(
    (
      await bench.db.query({
        name: 'test_cases',
        text: 'SELECT owner, kind, subject FROM attention WHERE closed_at IS NULL',
      })
    ).length,
    0,
  );
  const resent = await ask('POST', `/deliveries/${delivery.deliveryId}/resend`);
  assert.equal(resent.statusCode, 202);
  const [sent] = await bench.deliver(() => TAKEN);
  assert.equal(sent?.headers['webhook-id'], delivery.messageId);
  assert.equal((await ask('GET', '/deliveries')).json().deliveries[0].state, 'delivered');
});

test('what its receiver asks for again while it is being sent is sent again, whatever comes of that attempt', async () => {
  const { create, ask } = await endpoint({ events: ['order.created'] });
  for (const outcome of [BROKEN, TAKEN]) {
    await create();
    bench.wait(MINUTE);
    let isAsked = false;
    const sent = await bench.deliver(async () => {
      if (isAsked) return TAKEN;
      isAsked = true;
      bench.wait(1);
      const [{ deliveryId }] = (await ask('GET', '/deliveries')).json().deliveries;
      assert.equal((await ask('POST', `/deliveries/${deliveryId}/resend`)).statusCode, 202);
      return outcome;
    });
    assert.equal(sent.length, 2, String(outcome.status));
  }
  const { deliveries } = (await ask('GET', '/deliveries')).json();
  const shown = deliveries.map(({ state, attempts }: { state: string; attempts: { status: number }[] }) => [
    state,
    attempts.map(({ status }) => status),
  ]);
  assert.deepEqual(shown, [
    ['delivered', [200, 200]],
    ['delivered', [500, 200]],
  ]);
});

test('a paused endpoint misses what happens, keeps what waited, and goes on when it is active', async () => {
  const { create, ask } = await endpoint({ events: ['order.created'] });
  const first = await create();
  await ask('PATCH', '', { status: 'paused' });
  await create();
  assert.deepEqual(await bench.deliver(() => TAKEN), []);
  await ask('PATCH', '', { status: 'active' });
  const third = await create();
  const sent = await bench.deliver(() => TAKEN);
  assert.deepEqual(sent.map((one) => eventOf(one).data.orderId).toSorted(), [first, third].toSorted());
});
