import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { portsFrom, secretsOf, writeConfig } from '../../sandbox/config.ts';
import { evmSettings } from '../../sandbox/families/evm.ts';
import { moneroSettings } from '../../sandbox/families/monero.ts';
import { makeFolders, places } from '../../sandbox/files.ts';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { writeSeed } from '../../sandbox/seed.ts';
import type { Config } from '../../src/app/config.ts';
import { beginNewJournal } from '../../src/app/new-journal.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Db, openDb } from '../../src/store/db.ts';

const dir = mkdtempSync(join(tmpdir(), 'wherry-journal-'));
const at = places(dir);
const clock = { now: () => instant(1_000) };
let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
let config: Config;

before(async () => {
  database = await testDatabase(async () => {});
  makeFolders(at);
  const secrets = secretsOf(at);
  await writeSeed(at.signer, secrets.passphrase);
  const url = 'http://127.0.0.1:1';
  const chains = {
    ...evmSettings([{ chainId: 42161, rpcUrl: url }]),
    ...moneroSettings({ daemonUrl: url, spend: url }, secrets.walletPassword),
  };
  config = writeConfig(at, portsFrom(8080), secrets, { database: database.url, chains, venueUrl: url });
  db = openDb(database.url, 1);
});
after(async () => {
  await db.close();
  await database.drop();
  rmSync(dir, { recursive: true, force: true });
});

const firstLine = () => JSON.parse(readFileSync(at.signer.journal, 'utf8').split('\n')[0] ?? '');

test('a new journal is begun in place of a lost one, and never over one that is there', async () => {
  await assert.rejects(
    beginNewJournal(config, config.database, clock, false),
    /is a journal already: move it away first, and keep it/,
  );
  rmSync(at.signer.journal);
  assert.deepEqual(await beginNewJournal(config, config.database, clock, false), {
    ...{ journal: at.signer.journal, isBegun: true, unsettled: [] },
  });
  assert.equal(firstLine().begun, 1_000);
});

test('while something is not settled it is begun only by who says so, and the database takes it for its own', async () => {
  await db.query({
    name: 'unsettled',
    text: `INSERT INTO payment (id, owner, purpose, number, version, chain_id, asset, atoms, to_address, state, is_settled, created_at, doc)
      VALUES ('treasury:rebalance:1', 'treasury', 'rebalance', 1, 0, 1, 'x', 1, 'y', 'sent', false, 1, '{}')`,
  });
  await db.query({ name: 'marked', text: `UPDATE journal_mark SET seq = 7, hash = 'old', held = 'shortened'` });
  truncateSync(at.signer.journal);
  const unsettled = ['treasury:rebalance:1'];
  const refused = await beginNewJournal(config, config.database, clock, false);
  assert.deepEqual([refused.isBegun, refused.unsettled], [false, unsettled]);
  assert.throws(firstLine, { code: 'ENOENT' }, 'nothing was made');
  const MARK = { name: 'mark', text: 'SELECT seq, held FROM journal_mark' };
  assert.deepEqual(await db.query(MARK), [{ seq: '7', held: 'shortened' }]);

  const begun = await beginNewJournal(config, config.database, clock, true);
  assert.deepEqual([begun.isBegun, begun.unsettled], [true, unsettled]);
  assert.deepEqual(await db.query(MARK), [{ seq: '0', held: null }]);
  assert.equal(firstLine().begun, 1_000);
});
