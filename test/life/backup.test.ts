import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { backupLines, fillFromBackup } from '../../src/store/backup.ts';
import { openDb, type Statement } from '../../src/store/db.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { usdc } from './market.ts';
import { AT, screened } from './order-phases.ts';
import { buyOrder, final } from './world.ts';

let room: CaseRoom;
let lines: string[] = [];
before(async () => {
  room = await openCaseRoom();
  const id = await room.keep(buyOrder());
  await room.tell(id, final(usdc('100'), AT), screened(true));
  lines = await written();
});
after(() => room.close());

async function written(): Promise<string[]> {
  const all: string[] = [];
  for await (const line of backupLines(room.url, AT)) all.push(line);
  return all;
}

async function* read(all: readonly string[]): AsyncGenerator<string> {
  for (const line of all) yield line.trimEnd();
}

/** An empty database that goes with the test. */
async function empty(work: (url: string) => Promise<void>): Promise<void> {
  const database = await testDatabase(async () => {});
  try {
    await work(database.url);
  } finally {
    await database.drop();
  }
}

const ALL: Statement = {
  name: 'backup_all',
  text: `SELECT (SELECT jsonb_agg(o ORDER BY id) FROM orders AS o) AS orders, (SELECT jsonb_agg(p ORDER BY id) FROM posting AS p) AS postings,
    (SELECT jsonb_agg(b ORDER BY account, asset) FROM balance AS b) AS balances, (SELECT jsonb_agg(e ORDER BY key) FROM effect AS e) AS effects`,
};
const POST: Statement = {
  name: 'backup_post',
  text: `INSERT INTO posting (owner, from_account, to_account, asset, atoms, at) VALUES ('treasury', 'world', 'treasury', '0:XMR', 1, 1) RETURNING id`,
};
const TABLES: Statement = { name: 'backup_tables', text: `SELECT count(*) AS n FROM posting` };

test('a backup is the whole database, to the atom, and a database that is filled from it goes on', () =>
  empty(async (url) => {
    const head = await fillFromBackup(url, read(lines));
    assert.ok(head.tables.includes('orders') && head.migrations.length > 3);
    const db = openDb(url, 2);
    assert.deepEqual(await db.query(ALL), await room.db.query(ALL));
    const [next] = await db.query(POST);
    const [known] = await room.db.query({ name: 'backup_last', text: 'SELECT max(id) AS id FROM posting' });
    assert.ok(
      BigInt(String(next?.['id'])) > BigInt(String(known?.['id'])),
      'numbers go on behind those that are taken',
    );
    await db.close();
  }));

test('a backup that breaks off, or lacks a row, fills nothing', async () => {
  const cut = lines.slice(0, -1);
  const without = lines.filter((line) => !line.startsWith('{"table":"posting"'));
  for (const broken of [cut, without])
    await empty(async (url) => {
      await assert.rejects(fillFromBackup(url, read(broken)), /not whole|foreign key/);
      const db = openDb(url, 1);
      assert.equal((await db.query(TABLES))[0]?.['n'], '0');
      await db.close();
    });
});

test('what is no backup, and a database that holds something, are refused', async () => {
  await empty(async (url) => {
    await assert.rejects(fillFromBackup(url, read(['{"other":1}'])), /no backup/);
    await assert.rejects(fillFromBackup(url, read(['not even JSON'])), /no backup/);
  });
  await assert.rejects(fillFromBackup(room.url, read(lines)), /not empty/);
});
