import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { migrate } from '../../src/store/migrate.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let first: pg.Client;
let second: pg.Client;
before(async () => {
  database = await testDatabase(async (url) => void (await migrate(url)));
  [first, second] = [0, 1].map(() => new pg.Client({ connectionString: database.url })) as [pg.Client, pg.Client];
  await Promise.all([first.connect(), second.connect()]);
});
after(async () => {
  await Promise.all([first.end(), second.end()]);
  await database.drop();
});
beforeEach(() => first.query('DELETE FROM effect'));

const ADD = `INSERT INTO effect (key, owner, kind, lane, turn, body, due_at) VALUES ($1, 'treasury', 'sign_transfer', $2, $3, '{}', $4)`;
const claim = async (client: pg.Client, worker: number, now: number): Promise<readonly string[]> =>
  (await client.query<{ key: string }>('SELECT key FROM claim_effects($1, $2, 16, 16)', [worker, now])).rows.map(
    ({ key }) => key,
  );
const WAITS = 'SELECT 1 FROM pg_locks WHERE pid = $1 AND NOT granted';

for (const lane of ['1:hot', '1:other'])
  test(`of what waits for ${lane} one is worked on, though two look in the same moment and see different ones first`, async () => {
    // One that is due, and an older one that was put back and is due a moment later.
    await first.query(ADD, ['due', lane, 2000, 2000]);
    await first.query(ADD, ['put back', lane, 1000, 5000]);
    await first.query(ADD, ['elsewhere', `2${lane}`, 1000, 5000]);
    await first.query('BEGIN');
    assert.deepEqual(await claim(first, 1, 4999), ['due']);
    const { rows } = await second.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    let isDone = false;
    const claiming = claim(second, 2, 5000).finally(() => {
      isDone = true;
    });
    while (!isDone && (await first.query(WAITS, [rows[0]?.pid])).rows.length === 0);
    await first.query('COMMIT');
    assert.deepEqual(await claiming, ['elsewhere']);
    await first.query("UPDATE effect SET claimed_by = NULL WHERE key = 'due'");
    assert.deepEqual(await claim(second, 2, 5000), ['put back'], 'when it is done the next one has its turn');
  });
