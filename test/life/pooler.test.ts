import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { openDb } from '../../src/store/db.ts';

const WHERE = { name: 'pooler_where', text: 'SELECT current_database() AS at' };
const KNOWN = { name: 'pooler_known', text: 'SELECT name FROM pg_prepared_statements' };

test('behind a pooler nothing is left on a connection for the next statement, and sessions go past it', async () => {
  const nothing = async () => {};
  const [pooled, itself] = [await testDatabase(nothing), await testDatabase(nothing)];
  const db = openDb(pooled.url, 1, itself.url);
  try {
    const [there] = await db.query(WHERE);
    assert.deepEqual(await db.query(KNOWN), []);
    const session = await db.session();
    const [here] = await session.query(WHERE);
    await session.close();
    assert.deepEqual(
      [there, here].map((row) => row?.['at']),
      [pooled, itself].map(({ url }) => new URL(url).pathname.slice(1)),
    );
  } finally {
    await db.close();
    await Promise.all([pooled.drop(), itself.drop()]);
  }
});
