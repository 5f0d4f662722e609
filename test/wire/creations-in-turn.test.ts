import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { CREATIONS_IN_LINE, PUBLIC_LIMITS, REQUEST_DEADLINE_MS } from '../../src/api/limits.ts';
import { type Bench, BUY_ORDER, bench, NO_LIMITS, SERVER_KEY } from './bench.ts';

const NAME = 'c1a7b3d2-8f40-4f6e-9a0b-3d5e7f901234';
/** Whoever waits longer is not answered at once. */
const AT_ONCE = { timeout: 10_000 };

const BY_SERVER = { 'x-integrator-key': SERVER_KEY };

const create = ({ post }: Bench, body: object = BUY_ORDER, headers: Record<string, string> = {}) =>
  post('/v2/swaps', body, { 'idempotency-key': NAME, ...headers });

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Whoever asks for an order hears of it when the gate opens: it is saved by then, or only then. */
function holding({ desk }: Bench, isSaved: boolean) {
  const save = desk.create;
  const [begun, hold] = [gate(), gate()];
  let count = 0;
  desk.create = async (...order) => {
    count += 1;
    const early = isSaved ? await save(...order) : undefined;
    begun.open();
    await hold.opened;
    return early ?? save(...order);
  };
  return { begun: begun.opened, release: hold.open, count: () => count };
}

/** The first so many of them that are answered. */
function firstOf<T>(answers: readonly Promise<T>[], count: number): Promise<readonly T[]> {
  const early: T[] = [];
  return new Promise((resolve, reject) => {
    for (const one of answers) {
      one.then((answer) => {
        if (early.push(answer) === count) resolve([...early]);
      }, reject);
    }
  });
}

/** A client that sends its creation, and leaves when it is told to. */
async function leaving(t: TestContext, { api }: Bench) {
  t.after(() => api.close());
  await api.listen({ host: '127.0.0.1', port: 0 });
  const accepted = once(api.server, 'connection') as Promise<[Socket]>;
  const client = connect((api.server.address() as AddressInfo).port, '127.0.0.1');
  const body = JSON.stringify(BUY_ORDER);
  const lines = [
    ...['POST /v2/swaps HTTP/1.1', 'Host: wherry', 'Content-Type: application/json', `Idempotency-Key: ${NAME}`],
    ...[`X-Integrator-Key: ${SERVER_KEY}`, `Content-Length: ${body.length}`, '', body],
  ];
  client.write(lines.join('\r\n'));
  const [served] = await accepted;
  return async () => {
    const gone = once(served, 'close');
    client.destroy();
    await gone;
  };
}

test('who leaves while his order is made finds it when he comes again, at once', AT_ONCE, async (t) => {
  for (const isSaved of [true, false]) {
    const made = await bench({ quota: NO_LIMITS });
    const held = holding(made, isSaved);
    const leave = await leaving(t, made);
    await held.begun;
    await leave();
    if (!isSaved) held.release();
    const again = await create(made, BUY_ORDER, BY_SERVER);
    assert.deepEqual([again.statusCode, again.headers['idempotent-replayed']], [201, 'true']);
    assert.equal(held.count(), 1);
    held.release();
  }
});

const sameOrder = (answers: readonly { json(): { orderId: string } }[]) =>
  new Set(answers.map((answer) => answer.json().orderId)).size === 1;

test(
  'of a flood of one name as many wait as may, and the rest is sent away before the first is done',
  AT_ONCE,
  async () => {
    const made = await bench({ quota: NO_LIMITS });
    for (const round of ['one flood', 'another: the line is as empty as before']) {
      const held = holding(made, false);
      const answers = Array.from({ length: 100 }, () =>
        made.post('/v2/swaps', BUY_ORDER, { 'idempotency-key': round }),
      );
      const away = 100 - CREATIONS_IN_LINE;
      const early = await firstOf(answers, away);
      assert.deepEqual(new Set(early.map(({ statusCode }) => statusCode)), new Set([429]), round);
      assert.equal(early[0]?.headers['retry-after'], '1');
      assert.equal(held.count(), 1);
      held.release();
      const made201 = (await Promise.all(answers)).filter(({ statusCode }) => statusCode === 201);
      assert.equal(made201.length, CREATIONS_IN_LINE);
      assert.ok(sameOrder(made201));
      assert.equal(held.count(), 1);
    }
  },
);

test('however long the first takes, nobody goes before it', AT_ONCE, async (t) => {
  const made = await bench();
  const held = holding(made, false);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answers = Array.from({ length: 3 }, () => create(made));
  await held.begun;
  t.mock.timers.tick(2 * REQUEST_DEADLINE_MS);
  const another = await made.post('/v2/swaps', {}, { 'idempotency-key': 'another' });
  assert.equal(another.statusCode, 400);
  assert.equal(held.count(), 1);
  held.release();
  assert.ok(sameOrder(await Promise.all(answers)));
  assert.equal(held.count(), 1);
  const left = (await made.post('/v2/swaps', BUY_ORDER, { 'idempotency-key': 'a third' })).headers;
  assert.equal(left['x-ratelimit-remaining'], String(PUBLIC_LIMITS.creates - 3), 'three names, and no repeat');
});

test('whoever may create nothing more hears so, unless it repeats what is being made', AT_ONCE, async () => {
  const made = await bench();
  for (let times = 1; times < PUBLIC_LIMITS.creates; times += 1) await made.post('/v2/swaps', BUY_ORDER);
  const held = holding(made, false);
  const first = create(made);
  await held.begun;
  const [repeat, mistaken] = [create(made), create(made, { ...BUY_ORDER, fromAmount: '300000001' })];
  const other = await made.post('/v2/swaps', BUY_ORDER, { 'idempotency-key': 'another' });
  assert.deepEqual([other.statusCode, other.headers['x-ratelimit-resource']], [429, 'creates']);
  assert.equal(other.headers['x-ratelimit-limit'], undefined);
  held.release();
  assert.ok(sameOrder([await first, await repeat]));
  assert.equal((await mistaken).statusCode, 422);
  assert.equal(held.count(), 1);
});

test('another body under a name that is being used is no creation for the limits, either', async () => {
  const made = await bench();
  const bodies = [BUY_ORDER, ...[1, 2, 3].map((more) => ({ ...BUY_ORDER, fromAmount: `30000000${more}` }))];
  const statuses = (await Promise.all(bodies.map((body) => create(made, body)))).map(({ statusCode }) => statusCode);
  assert.deepEqual(statuses, [201, 422, 422, 422]);
  const { headers } = await made.post('/v2/swaps', BUY_ORDER);
  assert.equal(headers['x-ratelimit-remaining'], String(PUBLIC_LIMITS.creates - 2));
});

test('repeats that come while the first is on its way wait for it, and are no creations for the limits, either', async () => {
  const { post } = await bench();
  const create = (name: string) => post('/v2/swaps', BUY_ORDER, { 'idempotency-key': name });
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(NAME)));
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([201]));
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
  assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 7);
  assert.equal((await create('another')).headers['x-ratelimit-remaining'], '3');

  const malformed = Array.from({ length: 8 }, () => post('/v2/swaps', {}, { 'idempotency-key': 'malformed' }));
  const statuses = (await Promise.all(malformed)).map(({ statusCode }) => statusCode);
  assert.deepEqual(new Set(statuses), new Set([400]));
  assert.equal(
    (await create('a third')).headers['x-ratelimit-remaining'],
    '1',
    'who came beside the first created nothing',
  );
});

test('repeats take no room from other names that come at the same moment', async () => {
  const { post } = await bench();
  const names = Array.from({ length: PUBLIC_LIMITS.creates }, (_, n) => `name ${n}`);
  const create = (name: string) => post('/v2/swaps', BUY_ORDER, { 'idempotency-key': name });
  const answers = await Promise.all(names.flatMap((name) => [create(name), create(name), create(name)]));
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([201]));
  assert.equal(new Set(answers.map((answer) => answer.json().orderId)).size, names.length);
  assert.equal((await create('one more')).statusCode, 429);
});

test('who came beside a first that made nothing is counted as a creation when its turn has come', async () => {
  const { post } = await bench();
  const mistaken = Array.from({ length: PUBLIC_LIMITS.creates + 2 }, () =>
    post('/v2/swaps', { ...BUY_ORDER, toAddress: 'nowhere' }, { 'idempotency-key': NAME }),
  );
  const statuses = (await Promise.all(mistaken)).map(({ statusCode }) => statusCode);
  assert.deepEqual(statuses.toSorted(), [...Array(PUBLIC_LIMITS.creates).fill(400), 429, 429]);
  assert.equal((await post('/v2/swaps', BUY_ORDER)).statusCode, 429);
});
