import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openWebhookDelivery } from '../../src/api/webhook-delivery.ts';
import type { PostResult } from '../../src/world/outbound/guarded-post.ts';
import { NO_LIMITS } from './bench.ts';
import { type PartnerBench, partnerBench, TAKEN } from './partner-bench.ts';
import { completed } from './stages.ts';
import { endpointOn, HOOKS, typesOf } from './webhook-endpoint.ts';

let bench: PartnerBench;
before(async () => {
  bench = await partnerBench({}, { quota: NO_LIMITS });
});
after(() => bench.close());

const BROKEN: PostResult = { status: 500, error: 'The answer was 500.', ms: 8 };
const SILENT = 'https://silent.example';
const GOOD = 'https://good.example';

/** Messages that wait for nothing but their turn. */
const queue = ({ id, webhookId }: { readonly id: string; readonly webhookId: string }, count: number) =>
  bench.db.query(
    { name: 'shares_queue', text: 'SELECT count(send_test_message($1, $2, $3)) FROM generate_series(1, $4::int)' },
    [webhookId, id, bench.now(), count],
  );

/** Receivers of which the silent ones hold on to what they are sent until they are let go. */
function openReceivers() {
  const held: string[] = [];
  const answered: string[] = [];
  let letGo = () => {};
  const end = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const post = async (url: string): Promise<PostResult> => {
    if (!url.startsWith(SILENT)) {
      answered.push(url);
      return TAKEN;
    }
    held.push(url);
    await end;
    return BROKEN;
  };
  const delivery = openWebhookDelivery({ webhooks: bench.room.webhooks, post, deps: bench.deps });
  /** Of those that are held, how many go to the same place at most. */
  const most = (of: (url: string) => string) =>
    Math.max(...held.map((url) => held.filter((other) => of(other) === of(url)).length));
  /** A round begins what it sends and does not wait for it. */
  const until = async (isSo: () => boolean) => {
    for (let rounds = 0; rounds < 500 && !isSo(); rounds += 1) await delivery.round();
  };
  return {
    delivery,
    held,
    answered,
    most,
    until,
    async close() {
      letGo();
      await delivery.idle();
    },
  };
}

test('however many endpoints are silent, and however much is queued for them, others are sent theirs at once', async () => {
  const silent = await Promise.all(
    Array.from({ length: 16 }, (_, n) => endpointOn(bench, { url: `${SILENT}/${n}`, events: ['webhook.test'] })),
  );
  const [crowd] = silent;
  assert.ok(crowd);
  for (let n = 0; n < 5; n += 1)
    await bench.key(crowd.serverKey, 'POST', HOOKS, { url: `${SILENT}/0/${n}`, events: ['webhook.test'] });
  const more = (await bench.key(crowd.serverKey, 'GET', HOOKS)).json().webhooks as { webhookId: string }[];
  for (const [n, { webhookId }] of more.entries()) await queue({ ...crowd, webhookId }, n === 0 ? 1_000 : 5);
  for (const one of silent.slice(1)) await queue(one, 5);
  const good = await endpointOn(bench, { url: GOOD, events: ['webhook.test'] });
  const receivers = openReceivers();
  const { delivery, held, answered, most, until } = receivers;
  await until(() => held.length >= 64);
  await delivery.round();
  assert.equal(held.length, 64, 'silent ones have all that is shared');
  assert.equal(
    most((url) => url),
    4,
    'four for one endpoint',
  );
  assert.equal(
    most((url) => url.split('/')[3] ?? ''),
    4,
    'sixteen integrations share alike, however many endpoints one of them has',
  );

  bench.wait(1);
  await queue(good, 2);
  await until(() => answered.length === 2);
  assert.deepEqual(answered, [GOOD, GOOD], 'whoever has nothing under way is not held up');
  assert.equal(held.length, 64);
  await receivers.close();
  await bench.db.query({ name: 'shares_over', text: 'UPDATE webhook SET deleted_at = 1' });
});

test('an endpoint that failed is tried with one message at a time until it takes one', async () => {
  const one = await endpointOn(bench, { url: `${SILENT}/again`, events: ['webhook.test'] });
  await queue(one, 6);
  const first = openReceivers();
  await first.until(() => first.held.length === 4);
  assert.equal(first.held.length, 4);
  await first.close();
  const second = openReceivers();
  await second.until(() => second.held.length > 0);
  await second.delivery.round();
  assert.equal(second.held.length, 1);
  await second.close();
  assert.equal((await one.ask('DELETE', '')).statusCode, 204);
});

test('what waits behind a message that is not due yet is put off with it, and goes at once when that is taken', async () => {
  const one = await endpointOn(bench, { url: GOOD });
  const orderId = await one.create();
  assert.deepEqual(typesOf((await bench.deliver(() => BROKEN)).filter(({ url }) => url === GOOD)), ['order.created']);
  await bench.move(orderId, completed);
  await bench.deliver(() => BROKEN);
  const due = async () =>
    (
      await bench.db.query(
        {
          name: 'shares_due',
          text: `SELECT count(*)::int AS n FROM webhook_delivery WHERE webhook_id = $1 AND state = 'pending' AND due_at <= $2`,
        },
        [one.webhookId, bench.now()],
      )
    )[0];
  assert.deepEqual(await due(), { n: 0 }, 'nobody looks at them again before their time');
  bench.wait(5_000);
  const sent = await bench.deliver(({ url }) => (url === GOOD ? TAKEN : BROKEN));
  assert.deepEqual(typesOf(sent.filter(({ url }) => url === GOOD)), [
    'order.created',
    'order.deposit_seen',
    'order.completed',
  ]);
});
