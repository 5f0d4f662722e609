import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { openQuota, QUOTA_WINDOW_MS, type Quota, type Taken } from '../../src/store/quota.ts';

const MIGRATION = new URL('../../migrations/0003-quota.sql', import.meta.url);

async function prepare(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(readFileSync(MIGRATION, 'utf8'));
  await client.end();
}

let db: Db;
let other: Db;
let quota: Quota;
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
