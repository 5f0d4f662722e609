import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { openClock } from '../../src/app/clock.ts';
import { instant, later } from '../../src/kernel/clock.ts';
import { openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { newestInstant } from '../../src/store/newest-instant.ts';
import { openOutbox } from '../../src/store/outbox.ts';

const START = instant(Date.UTC(2030, 0, 1));
const TEN_MINUTES = 600_000;

const database = await testDatabase(async (url) => void (await migrate(url)));
const db = openDb(database.url, 2);
after(async () => {
  await db.close();
  await database.drop();
});

/** A computer whose time of day is where it is put. */
const clockAt = (wall: number) => openClock(undefined, { wall: () => wall, monotonic: () => 0 });

test('an engine that begins after the time of day was set back ten minutes works at once at what was put back', async () => {
  const outbox = openOutbox(db);
  assert.equal(await newestInstant(db), undefined, 'nothing was done yet');
  const effect = { effect: 'reserve_payout' } as const;
  await outbox.add('treasury', [{ key: 'k', effect }], START);
  await db.query({ name: 'story_cursor', text: "INSERT INTO scan_cursor VALUES (1, '{}'::jsonb, '{}'::jsonb, $1)" }, [
    START,
  ]);

  const setBack = clockAt(START - TEN_MINUTES);
  assert.deepEqual(await outbox.claim(1, setBack.now(), 10), [], 'by the time of day alone it waits for ten minutes');

  const newest = await newestInstant(db);
  assert.equal(newest, START);
  setBack.notBefore(newest);
  assert.equal(setBack.now(), START);
  const [job] = await outbox.claim(1, setBack.now(), 10);
  assert.equal(job?.key, 'k');
  await outbox.putBack('k', 1, later(setBack.now(), 250));
});
