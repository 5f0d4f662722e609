import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import type { Log } from '../../src/engine/log.ts';
import { takesInTurns } from '../../src/engine/takes.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { type Bucket, openQuota, QUOTA_WINDOW_MS, type Taken } from '../../src/store/quota.ts';

const prepare = async (url: string) => void (await migrate(url));

let db: Db;
let other: Db;
let quota: ReturnType<typeof openQuota>;
let drop: () => Promise<void>;

before(async () => {
  const database = await testDatabase(prepare);
  db = openDb(database.url, 8);
  other = openDb(database.url, 8);
  quota = openQuota(db);
  drop = database.drop;
});

after(async () => {
  await db.close();
  await other.close();
  await drop();
});

const isTaken = (answer: Taken | undefined): boolean => answer !== undefined && 'left' in answer;

let made = 0;
const newName = () => {
  made += 1;
  return `bucket-${made}`;
};

test('no window holds more hits than the limit, and every answer names what is left or the exact wait', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), gaps, async (limit, waits) => {
      const name = newName();
      const taken: number[] = [];
      let now = 1_900_000_000_000;
      for (const wait of waits) {
        now += wait;
        const recent = taken.filter((at) => now - at < QUOTA_WINDOW_MS);
        const answer = await quota.take([{ name, limit }], instant(now));
        const untilOldest = (recent[0] ?? now) + QUOTA_WINDOW_MS - now;
        if (recent.length < limit) {
          taken.push(now);
          const remaining = limit - recent.length - 1;
          assert.deepEqual(answer, { left: [{ bucket: name, remaining, resetMs: untilOldest }] });
        } else assert.deepEqual(answer, { exhausted: { bucket: name, waitMs: untilOldest } });
      }
      const start = taken.filter((_, place) => place >= limit).map((at, place) => at - (taken[place] ?? 0));
      assert.ok(start.every((span) => span >= QUOTA_WINDOW_MS));
    }),
    { numRuns: 30 },
  );
});

test('two processes at once admit exactly the limit, in whatever order they name the buckets', async () => {
  const [small, large] = [newName(), newName()];
  const buckets = [
    { name: small, limit: 7 },
    { name: large, limit: 50 },
  ];
  const processes = [quota, openQuota(other)];
  const asked = Array.from({ length: 60 }, (_, count) =>
    processes[count % 2]?.take(count % 3 === 0 ? buckets : buckets.toReversed(), instant(1_000)),
  );
  const answers = await Promise.all(asked);
  assert.equal(answers.filter(isTaken).length, 7);
  assert.ok(answers.every((answer) => answer && ('left' in answer || answer.exhausted.bucket === small)));
  const left = await Promise.all(
    Array.from({ length: 50 }, () => quota.take([{ name: large, limit: 50 }], instant(1_000))),
  );
  assert.equal(left.filter(isTaken).length, 43);
});

test('a request that one bucket refuses uses up no other; the longest wait is told', async () => {
  const [early, late] = [newName(), newName()];
  const both = [
    { name: early, limit: 1 },
    { name: late, limit: 1 },
  ];
  await quota.take([{ name: early, limit: 1 }], instant(0));
  await quota.take([{ name: late, limit: 1 }], instant(20_000));
  assert.deepEqual(await quota.take(both, instant(30_000)), { exhausted: { bucket: late, waitMs: 50_000 } });
  assert.deepEqual(await quota.take(both, instant(60_000)), { exhausted: { bucket: late, waitMs: 20_000 } });
  assert.ok(isTaken(await quota.take([{ name: early, limit: 1 }], instant(60_000))));
});

test('sweeps go through all that there is, one after the other, and begin anew', async () => {
  const name = newName();
  const text = `INSERT INTO quota_bucket SELECT '${name}' || n, 1, n % 2 * 9e12::bigint FROM generate_series(1, 5000) AS n`;
  await db.query({ name: 'many', text });
  const [sweeper, swept] = [openQuota(db), [] as number[]];
  for (let nth = 0; nth < 10; nth += 1) swept.push(await sweeper.sweep(instant(5_000_000_000_000)));
  assert.ok(
    swept.every((one) => one < 2_000),
    `${swept}`,
  );
  const left = await db.query({ name: 'halves', text: 'SELECT last_at, count(*) FROM quota_bucket GROUP BY 1' });
  assert.deepEqual(left, [{ last_at: `${9e12}`, count: '2500' }]);
  await db.query({ name: 'none', text: 'TRUNCATE quota_bucket' });
});

test('a sweep forgets what nobody used for a window, and nothing else', async () => {
  const [idle, used] = [newName(), newName()];
  await quota.take([{ name: idle, limit: 2 }], instant(5_000_000_000_000));
  await quota.take([{ name: used, limit: 1 }], instant(5_000_000_000_001));
  assert.ok((await quota.sweep(instant(5_000_000_060_000))) >= 1);
  const rows = await db.query({ name: 'left', text: 'SELECT bucket FROM quota_bucket' });
  assert.deepEqual(rows, [{ bucket: `${used}/1` }]);
  const slots = await db.query({ name: 'slots', text: 'SELECT bucket FROM quota_slot' });
  assert.deepEqual(slots, [{ bucket: `${used}/1` }]);
  assert.deepEqual(await quota.take([{ name: used, limit: 1 }], instant(5_000_000_060_000)), {
    exhausted: { bucket: used, waitMs: 1 },
  });
});

test('nothing to pass is passed', async () => {
  assert.deepEqual(await quota.take([], instant(0)), { left: [] });
});

/** The decisions of one turn together, and what was said to the database for them. */
function inTurns(of: Db, lost = false) {
  const said: string[] = [];
  const heard: Db = {
    ...of,
    query: async (statement, values) => {
      said.push(statement.name);
      const rows = await of.query<never>(statement, values);
      if (lost) throw new Fault('ambiguous', 'database', 'the answer was lost');
      return rows;
    },
  };
  const warned: object[] = [];
  const log = {
    info() {},
    warn: ({ of, count }: Record<string, unknown>) => void warned.push({ of, count }),
    error() {},
  };
  return { said, warned, take: takesInTurns(openQuota(heard), log as Log).take };
}

interface Wanted {
  readonly gap: number;
  readonly buckets: readonly { readonly nth: number; readonly limit: number }[];
}

test('decisions of one turn are those that are made one by one, in the order in which they were asked for', async () => {
  const bucket = fc.record({ nth: fc.nat({ max: 3 }), limit: fc.integer({ min: 1, max: 4 }) });
  const wanted: fc.Arbitrary<Wanted> = fc.record({
    gap: fc.integer({ min: 0, max: 9_000 }),
    buckets: fc.uniqueArray(bucket, { maxLength: 3, selector: ({ nth }) => nth }),
  });
  const turns = fc.array(fc.array(wanted, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(turns, async (script) => {
      const [one, all] = [newName(), newName()];
      const named = (prefix: string, { buckets }: Wanted): readonly Bucket[] =>
        buckets.map(({ nth, limit }) => ({ name: `${prefix}:${nth}`, limit }));
      const words = (answers: readonly Taken[], prefix: string) => JSON.stringify(answers).replaceAll(`${prefix}:`, '');
      const { take, said } = inTurns(db);
      let now = 1_900_000_000_000;
      for (const asked of script) {
        const times = asked.map(({ gap }) => {
          now += gap;
          return instant(now);
        });
        const alone: Taken[] = [];
        for (const [at, want] of asked.entries())
          alone.push(await quota.take(named(one, want), times[at] ?? instant(0)));
        said.length = 0;
        const together = await Promise.all(asked.map((want, at) => take(named(all, want), times[at] ?? instant(0))));
        assert.equal(words(together, all), words(alone, one));
        const count = asked.filter(({ buckets }) => buckets.length > 0).length;
        assert.deepEqual(said, count === 0 ? [] : ['quota_take_all']);
      }
    }),
    { numRuns: 25 },
  );
});

test('processes that decide whole turns at once admit exactly the limit, and never wait in a circle', async () => {
  const name = newName();
  const own = ['a', 'b', 'c', 'd', 'e'].map((letter) => ({ name: `${name}:${letter}`, limit: 1_000 }));
  const shared = { name: `${name}:z`, limit: 50 };
  const processes = [inTurns(db), inTurns(other)];
  const asked = processes.flatMap(({ take }, nth) =>
    Array.from({ length: 80 }, (_, count) => {
      const mine = (nth === 0 ? own : own.toReversed())[count % own.length] ?? shared;
      return take([mine, shared], instant(1_000));
    }),
  );
  // One by one at the same time, in the same buckets.
  const alone = own.toReversed().map((one) => quota.take([one, shared], instant(1_000)));
  const answers = await Promise.all([...asked, ...alone]);
  assert.equal(answers.filter(isTaken).length, shared.limit);
  for (const { said } of processes)
    assert.deepEqual(
      said,
      Array.from({ length: 5 }, () => 'quota_take_all'),
      'nothing was given up and done one by one',
    );
  const left = await quota.take([shared], instant(1_000 + QUOTA_WINDOW_MS));
  assert.ok(
    'left' in left && left.left[0]?.remaining === shared.limit - 1,
    'and after a window all of it is free again',
  );
});

test('where the answer to a turn is lost nobody is counted twice', async () => {
  const bucket = { name: newName(), limit: 9 };
  const { take, said, warned } = inTurns(db, true);
  const asked = await Promise.allSettled(Array.from({ length: 3 }, () => take([bucket], instant(1_000))));
  assert.ok(asked.every((one) => one.status === 'rejected' && one.reason instanceof Fault));
  assert.deepEqual(said, ['quota_take_all']);
  assert.deepEqual(warned, [{ of: 'limits', count: 3 }], 'whoever runs the desk sees it');
  const answer = await quota.take([bucket], instant(1_000));
  assert.ok('left' in answer && answer.left[0]?.remaining === 5, 'three of the turn, and this one');
});

test('what is given back was never taken, whatever was taken before and after it', async () => {
  const turns = fc.array(fc.record({ wait: fc.integer({ min: 0, max: 30_000 }), isBack: fc.boolean() }), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), turns, fc.nat(), async (limit, steps, pick) => {
      const buckets = [{ name: newName(), limit }];
      let taken: number[] = [];
      let now = 1_900_000_000_000;
      for (const { wait, isBack } of steps) {
        now += wait;
        const recent = taken.filter((at) => now - at < QUOTA_WINDOW_MS);
        if (isBack && recent.length > 0) {
          const at = recent[pick % recent.length] ?? now;
          await quota.giveBack(buckets, instant(at));
          taken = taken.toSpliced(taken.lastIndexOf(at), 1);
        } else {
          const answer = await quota.take(buckets, instant(now));
          assert.equal(isTaken(answer), recent.length < limit);
          if ('left' in answer) taken = [...taken, now];
          if ('left' in answer) assert.equal(answer.left[0]?.remaining, limit - recent.length - 1);
        }
      }
      await quota.giveBack(buckets, instant(now - 2 * QUOTA_WINDOW_MS));
      const left = taken.filter((at) => now - at < QUOTA_WINDOW_MS).length;
      assert.equal(
        isTaken(await quota.take(buckets, instant(now))),
        left < limit,
        'what was not taken is not given back',
      );
    }),
    { numRuns: 60 },
  );
  await quota.giveBack([{ name: newName(), limit: 5 }], instant(1_900_000_000_000));
});
