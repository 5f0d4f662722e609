import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { Posting } from '../../src/life/payment/posting.ts';
import type { Commit, Committed } from '../../src/store/steps.ts';
import {
  isSound,
  type Loss,
  left,
  NOTHING,
  openRoom,
  type Plan,
  posting,
  QUIET,
  type Room,
  replant,
  stepOf,
  TROUBLES,
  X,
  Y,
} from './step-room.ts';

const ORDERS = 6;
const plan: fc.Arbitrary<Plan> = fc.record({
  order: fc.nat({ max: ORDERS - 1 }),
  trouble: fc.constantFrom(...TROUBLES),
  takes: fc.boolean(),
  gives: fc.boolean(),
  pays: fc.boolean(),
  effects: fc.nat({ max: 2 }),
  raises: fc.boolean(),
});
/** What is committed in one turn, and then the next. An order takes one step a turn. */
const turn = fc.record({
  plans: fc.uniqueArray(plan, { minLength: 1, maxLength: ORDERS, selector: ({ order }) => order }),
  loss: fc.constantFrom<Loss[]>('none', 'none', 'none', 'before', 'after'),
});
/** A turn in which all is well, and then every trouble in a turn of its own, with a neighbour who is well. */
const EVERYTHING = [
  {
    plans: [0, 1, 2].map((order) => ({ ...QUIET, order, takes: true, pays: true, effects: 1 })),
    loss: 'none' as const,
  },
  ...TROUBLES.map((trouble, nth) => ({
    plans: [
      { ...QUIET, order: nth % 3, trouble },
      { ...QUIET, order: 3 + (nth % 3), gives: true },
    ],
    loss: 'none' as const,
  })),
];
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;
const script = fc.array(turn, { minLength: 1, maxLength: 4 });

let rooms: readonly [Room, Room];
before(async () => {
  rooms = [await openRoom(), await openRoom()];
});
after(async () => {
  for (const room of rooms) await room.close();
});

/** What came of it, in words; what fails says why. */
const told = async (committing: Promise<Committed>): Promise<unknown> =>
  committing.catch(({ code, message }: { code?: string; message: string }) => code ?? message);

let made = 0;
/** Takes every step in both rooms, one by one and in turns, and fails where they do not leave the same. Gives the answers. */
async function compare([alone, batch]: readonly [Room, Room], turns: readonly Turn[]): Promise<readonly string[]> {
  const met: string[] = [];
  const first = made;
  made += ORDERS;
  const orders = new Map<number, Order>();
  for (let n = 0; n < ORDERS; n += 1) {
    const [, order] = await Promise.all([alone.make(first + n), batch.make(first + n)]);
    orders.set(n, order);
  }
  for (const { plans, loss } of turns) {
    const steps = plans.map((one) => {
      const order = orders.get(one.order) ?? assert.fail();
      return stepOf(order, one, `${order.id}:0`);
    });
    const expected: unknown[] = [];
    for (const step of steps) expected.push(await told(alone.commit(step)));
    batch.said.length = 0;
    batch.loss = loss;
    const answers = await Promise.all(steps.map((step) => told(batch.commit(step))));
    const isOne = steps.length === 1;
    const isWhole = expected.every((one) => one === 'ok' || one === 'seen' || one === 'stale');
    // Who hears nothing asks again, and hears that it was done.
    const again =
      !isOne && isWhole && loss === 'after' ? expected.map((one) => (one === 'ok' ? 'seen' : one)) : expected;
    assert.deepEqual(answers, again);
    const retried = isWhole && loss === 'none' ? [] : [`${steps.length} alone`, ...steps.map(() => 'step_commit')];
    assert.deepEqual(batch.said, isOne ? ['step_commit'] : ['together', ...retried]);
    for (const [at, { order }] of steps.entries()) {
      met.push(JSON.stringify(expected[at]));
      if (expected[at] === 'ok' && order) orders.set(plans[at]?.order ?? 0, order.after);
    }
  }
  await isSound(batch);
  assert.deepEqual(await left(batch), await left(alone));
  return met;
}

test('steps that are taken in one turn leave exactly what they leave one by one, whatever is wrong with some of them', async () => {
  const met = new Set<string>();
  await fc.assert(
    fc.asyncProperty(script, async (turns) => {
      for (const one of await compare(rooms, turns)) met.add(one);
    }),
    { numRuns: 12, examples: [[EVERYTHING]] },
  );
  const all = ['"ok"', '"seen"', '"stale"', '"WH001"', '"WH003"', '"23514"', `{"shortOf":"${X}"}`];
  assert.deepEqual(
    all.filter((one) => !met.has(one)),
    [],
    'everything was met',
  );
});

/** Bugs in the function that commits, each a change of its text: what they leave behind is not what is left one by one. */
const PLANTED = {
  'loses a posting of one step of a batch': {
    ...{ of: 'post_steps', by: /balances/ },
    change: (text: string) => text.replace('ORDER BY n, m;', 'AND n <> 2 ORDER BY n, m;').replace(/AND n/, 'WHERE n'),
  },
  'moves no balance for one step of a batch': {
    ...{ of: 'post_steps', by: /balances/ },
    change: (text: string) => text.replace(`account <> 'world'`, `account <> 'world' AND n <> 2`),
  },
  'takes a step from a version that the order has left': {
    ...{ of: 'commit_steps', by: /stale/ },
    change: (text: string) =>
      text
        .replace("IS DISTINCT FROM (s #>> '{order,from}')::integer", 'IS NULL')
        .replace(" AND orders.version = (o ->> 'from')::integer", ''),
  },
} as const;

for (const [bug, { of, by, change }] of Object.entries(PLANTED))
  test(`a database that ${bug} is found out`, async () => {
    const planted: readonly [Room, Room] = [await openRoom(), await openRoom()];
    try {
      await replant(planted[1], of, change);
      await assert.rejects(() => compare(planted, EVERYTHING), by);
    } finally {
      for (const room of planted) await room.close();
    }
  });

test('two steps of an order in one batch are refused by the database, and where it does not, that is found out', async () => {
  const room = await openRoom();
  try {
    const two = async (nth: number) => {
      const order = await room.make(nth);
      const x = posting('world', `order:${order.id}`, X, 1n);
      return room.commitAll([moving(order, 'first', x), moving(order, 'second', x)]);
    };
    await assert.rejects(() => two(1), /history_pkey/);
    await isSound(room);
    await room.db.query({ name: 'unguarded', text: 'ALTER TABLE history DROP CONSTRAINT history_pkey' });
    assert.deepEqual(await two(2), ['ok', 'ok']);
    await assert.rejects(() => isSound(room), /versions/);
  } finally {
    await room.close();
  }
});

/** Orders that no property has, and a step of each that moves this and nothing else. */
let others = 500_000;
const someOrders = async ({ make }: Room, count: number): Promise<readonly Order[]> => {
  others += count;
  return Promise.all(Array.from({ length: count }, (_, n) => make(others - n)));
};
const moving = (order: Order, key: string, ...postings: readonly Posting[]): Commit => ({
  ...stepOf(order, QUIET, ''),
  ...{ key, postings },
});

test('a batch takes only what was there before any of it gave, and nobody gets what another got', async () => {
  const [room] = rooms;
  const { db, said, commit } = room;
  const Z = assetId(chainId(1), 'z' as TokenId);
  const held = async () => {
    const text = `SELECT atoms FROM balance WHERE account = 'treasury' AND asset = $1`;
    return Number((await db.query({ name: 'held', text }, [Z]))[0]?.atoms ?? 0);
  };
  const [giver, taker, second, third] = await someOrders(room, 4);
  assert.ok(giver && taker && second && third);
  const house = (key: string, one: Posting) => commit({ ...NOTHING, owner: 'treasury', key, postings: [one] });
  await house('z in', posting('world', 'treasury', Z, 1n));
  await house('z out', posting('treasury', 'world', Z, 1n));
  said.length = 0;
  const [given, taken] = await Promise.all([
    commit(moving(giver, 'gives', posting('world', 'treasury', Z, 10n))),
    commit(moving(taker, 'takes', posting('treasury', 'world', Z, 10n))),
  ]);
  assert.equal(given, 'ok');
  assert.deepEqual(
    said,
    ['together', '2 alone', 'step_commit', 'step_commit'],
    'what nets to nothing was not there to be taken',
  );
  if (taken === 'ok') await house('z again', posting('world', 'treasury', Z, 10n));
  assert.equal(await held(), 10);
  const both = await Promise.all([
    commit(moving(second, 'eight', posting('treasury', 'world', Z, 8n))),
    commit(moving(third, 'eight', posting('treasury', 'world', Z, 8n))),
  ]);
  assert.deepEqual(both.map((one) => JSON.stringify(one)).sort(), ['"ok"', `{"shortOf":"${Z}"}`]);
  assert.equal(await held(), 2);
});

test('two engines that commit the same orders and the same accounts the other way round never wait in a circle', async () => {
  const [room] = rooms;
  const { said, commit, other } = room;
  const mine = await someOrders(room, 8);
  const theirs = await someOrders(room, 8);
  const [x, y] = [posting('world', 'treasury', X, 1n), posting('world', 'treasury', Y, 1n)];
  const moves = (nth: number) => (nth % 2 === 0 ? [x] : [y]);
  const countOf = async (engines: readonly (readonly Promise<Committed>[])[]) => {
    const answers = (await Promise.all(engines.flat())).map((one) => JSON.stringify(one));
    return [answers.filter((one) => one === '"ok"').length, answers.filter((one) => one === '"stale"').length];
  };
  said.length = 0;
  const same = [
    mine.map((order, n) => commit(moving(order, 'one engine', ...moves(n)))),
    mine.toReversed().map((order, n) => other(moving(order, 'the other engine', ...moves(n)))),
  ];
  assert.deepEqual(await countOf(same), [8, 8], 'each order moves once');
  const apart = [
    theirs.slice(4).map((order, n) => commit(moving(order, 'one engine', ...moves(n)))),
    theirs.slice(0, 4).map((order, n) => other(moving(order, 'the other engine', ...moves(n + 1)))),
  ];
  assert.deepEqual(await countOf(apart), [8, 0]);
  assert.deepEqual(
    said,
    Array.from({ length: 4 }, () => 'together'),
    'no batch was given up',
  );
});

test('steps of the house and second steps of an order go alone', async () => {
  const [room] = rooms;
  const { said, commit } = room;
  const [order] = await someOrders(room, 1);
  assert.ok(order);
  said.length = 0;
  const work = { ...NOTHING, owner: 'treasury', postings: [posting('world', 'treasury', X, 1n)] } as const;
  const answers = await Promise.all([
    ...[commit(moving(order, 'first')), commit(moving(order, 'second'))],
    ...[commit({ ...work, key: 'house 1' }), commit({ ...work, key: 'house 2' })],
  ]);
  assert.deepEqual(answers.slice(0, 2).sort(), ['ok', 'stale']);
  assert.deepEqual(answers.slice(2), ['ok', 'ok']);
  assert.deepEqual(
    said,
    Array.from({ length: 4 }, () => 'step_commit'),
  );
});
