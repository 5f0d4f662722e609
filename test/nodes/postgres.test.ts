import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPostgres, testDatabase } from '../../sandbox/nodes/postgres.ts';
import { openDb } from '../../src/store/db.ts';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function temporary<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'wherry-postgres-story-'));
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

test('a persistent server keeps its data and its password over a stop and over a kill', () =>
  temporary(async (dir) => {
    const first = await startPostgres({ dir, persistent: true });
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await first.stop();
    const second = await startPostgres({ dir, persistent: true });
    assert.deepEqual(await query(second.url, 'SELECT n FROM kept'), [{ n: 7 }]);
    assert.deepEqual(await query(second.url, 'SHOW fsync'), [{ fsync: 'on' }]);
    process.kill(Number.parseInt(await readFile(join(dir, 'data', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
    await second.stop();
    const third = await startPostgres({ dir, persistent: true });
    assert.deepEqual(await query(third.url, 'SELECT n FROM kept'), [{ n: 7 }]);
    await third.stop();
  }));

test('a directory in use is refused until its owner is killed, and is then taken up again', () =>
  temporary(async (dir) => {
    const owner = await startInAnotherProcess(dir);
    await assert.rejects(startPostgres({ dir, persistent: true }), /is in use by process/);
    await query(owner.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await owner.kill('SIGKILL');
    const next = await startPostgres({ dir, persistent: true });
    assert.deepEqual(await query(next.url, 'SELECT n FROM kept'), [{ n: 7 }]);
    await next.stop();
  }));

test('a server that is not kept leaves nothing behind', () =>
  temporary(async (dir) => {
    const server = await startPostgres({ dir, persistent: false });
    await server.stop();
    assert.equal(existsSync(dir), false);
  }));

test('every test database starts from the prepared state and is alone', async () => {
  let prepared = 0;
  const prepare = async (url: string) => {
    prepared += 1;
    await query(url, 'CREATE TABLE orders (id int)');
  };
  const [one, two] = await Promise.all([testDatabase(prepare), testDatabase(prepare)]);
  await query(one.url, 'INSERT INTO orders VALUES (1)');
  assert.deepEqual(await query(one.url, 'SELECT id FROM orders'), [{ id: 1 }]);
  assert.deepEqual(await query(two.url, 'SELECT id FROM orders'), []);
  assert.equal(prepared, 1);
  await Promise.all([one.drop(), two.drop()]);
  await assert.rejects(query(one.url, 'SELECT 1'), /does not exist/);
});

async function startInAnotherProcess(dir: string) {
  const starter = fileURLToPath(new URL('../../sandbox/nodes/postgres.ts', import.meta.url));
  const script = `
    import { startPostgres } from ${JSON.stringify(starter)};
    console.log((await startPostgres({ dir: ${JSON.stringify(dir)}, persistent: true })).url);
    setInterval(() => {}, 60_000);`;
  const owner = spawn(
    process.execPath,
    [...process.execArgv.filter((flag) => !flag.startsWith('--test')), '--input-type=module', '--eval', script],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(owner.stdout, 'data')) as [Buffer];
  return {
    url: line.toString().trim(),
    async kill(signal: NodeJS.Signals) {
      owner.kill(signal);
      await once(owner, 'exit');
    },
  };
}

test('who asks a server that is away hears that it is away, not that his question was wrong', () =>
  temporary(async (dir) => {
    const server = await startPostgres({ dir, persistent: false });
    const db = openDb(server.url, 2);
    const one = { name: 'one', text: 'SELECT 1 AS n' };
    assert.deepEqual(await db.query(one), [{ n: 1 }]);
    await assert.rejects(db.query({ name: 'wrong', text: 'SELECT x' }), { name: 'error', code: '42703' });
    await server.stop();
    await assert.rejects(db.query(one), { name: 'Fault', kind: 'ambiguous', at: 'database' });
    await db.close();
  }));
