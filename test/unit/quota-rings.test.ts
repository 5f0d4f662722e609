import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openQuota, QUOTA_WINDOW_MS } from '../../src/store/quota.ts';

let db: Db;
let quota: ReturnType<typeof openQuota>;
let drop: () => Promise<void>;
let made = 0;

before(async () => {
  const database = await testDatabase(async (url) => void (await migrate(url)));
  db = openDb(database.url, 2);
  quota = openQuota(db);
  drop = database.drop;
});

after(async () => {
  await db.close();
  await drop();
});

const newName = () => {
  made += 1;
  return `bucket-${made}`;
};

test('limits of many hits are exact through bursts, and through pauses in which some or all of them pass', async () => {
  const gap = fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 0, max: 900 }) },
    { weight: 1, arbitrary: fc.integer({ min: 5_000, max: 70_000 }) },
  );
  const gaps = fc.array(gap, { minLength: 60, maxLength: 160 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 7, max: 60 }),
      fc.integer({ min: 1, max: 16 }),
      gaps,
      async (limit, each, waits) => {
        const buckets = [{ name: newName(), limit }];
        let now = 1_900_000_000_000;
        const times = waits.map((wait) => {
          now += wait;
          return instant(now);
        });
        let taken: readonly number[] = [];
        for (let from = 0; from < times.length; from += each) {
          const asked = times.slice(from, from + each).map((at) => ({ buckets, now: at }));
          for (const [nth, answer] of (await quota.takeAll(asked)).entries()) {
            const at = asked[nth]?.now ?? 0;
            const recent = taken.filter((before) => at - before < QUOTA_WINDOW_MS);
            const resetMs = (recent[0] ?? at) + QUOTA_WINDOW_MS - at;
            const isFree = recent.length < limit;
            const left = { bucket: buckets[0]?.name, remaining: limit - recent.length - 1, resetMs };
            assert.deepEqual(
              answer,
              isFree ? { left: [left] } : { exhausted: { bucket: left.bucket, waitMs: resetMs } },
            );
            if (isFree) taken = [...taken, at];
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
