import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { exported } from '../../src/app/command/month.ts';
import { backupLines, fillFromBackup } from '../../src/store/backup.ts';
import { openDb } from '../../src/store/db.ts';
import { listMonths, mayGo, takeMonth, verifiedMonth } from '../../src/store/month-file.ts';
import { openReads } from '../../src/store/reads.ts';
import { usdc } from './market.ts';
import { LATER, MONTH, NEXT, NEXT_AT, openStory, RECOUNT, type Story } from './month-story.ts';
import { AT, screened } from './order-phases.ts';
import { firstDesk, openWherry } from './wherry.ts';
import { CREATED, final } from './world.ts';

let dir: string;
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'wherry-months-'));
});
after(() => rmSync(dir, { recursive: true, force: true }));

const path = (name: string): string => join(dir, name);

const GAS = `SELECT owner, asset, sum(CASE WHEN to_account = 'gas' THEN atoms ELSE -atoms END) AS atoms FROM posting
  WHERE to_account = 'gas' OR from_account = 'gas' GROUP BY owner, asset HAVING count(*) > 0 ORDER BY owner, asset`;

describe('a month is taken away', () => {
  let story: Story;
  before(async () => {
    story = await openStory();
  });
  after(() => story.close());

  test('while orders of the next are on their way, by a command; the order stays, with its answer', async () => {
    const { url, done, open, orders, sql } = story;
    const months = (await listMonths(url, LATER)).filter(({ month }) => month <= NEXT);
    assert.deepEqual(
      months.map(({ month, blockers }) => [month, blockers.map(({ why }) => why)]),
      [
        [MONTH, []],
        [NEXT, ['claim', 'instruction', 'not_final']],
      ],
    );
    const before = await orders.find(done);
    const reads = openReads(story.db, orders, (asset) => asset);
    const report = await reads.order(done);
    assert.ok(report && report.history.length > 10 && report.ledger.length > 5 && !report.takenAway);
    const gas = await sql(GAS);
    assert.ok(
      gas.some(({ owner, atoms }) => owner === done && atoms !== '0'),
      'some gas is left on its address',
    );
    assert.deepEqual(await sql(RECOUNT), []);

    const tail = await exported(url, MONTH, path('november'));
    assert.equal(tail.rows, report.history.length + (await count('posting_202311')));
    await story.tell(open, { ...screened(true), at: NEXT_AT });
    const wherry = await openWherry();
    try {
      await firstDesk(wherry, url);
      const listed = (await wherry.run(['months', '--json'])).json().months;
      assert.deepEqual(listed[0].blockers, []);
      const refused = await wherry.run(['month', 'take', '2023-12', '--to', path('december')]);
      assert.match(refused.err, /cannot go: .*orders are not final \(1, as sw_/);
      const took = await wherry.run(['month', 'take', '2023-11', '--to', path('november'), '--json']);
      assert.deepEqual(
        took.json(),
        { month: MONTH, file: path('november'), rows: tail.rows, sha256: tail.sha256 },
        took.err,
      );
    } finally {
      wherry.close();
    }

    assert.deepEqual(await sql(`SELECT to_regclass('history_202311') AS h, to_regclass('posting_202311') AS p`), [
      { h: null, p: null },
    ]);
    assert.deepEqual(await orders.find(done), before);
    const after = await reads.order(done);
    assert.deepEqual(after?.takenAway, {
      month: MONTH,
      at: after?.takenAway?.at,
      file: path('november'),
      sha256: tail.sha256,
    });
    assert.deepEqual([after?.history, after?.attempts], [[], report.attempts]);
    assert.deepEqual(await sql(GAS), gas, 'where gas lies is still known');
    assert.deepEqual(await sql(RECOUNT), []);
    const lines = gunzipSync(readFileSync(path('november')))
      .toString()
      .split('\n');
    assert.ok(lines.some((line) => line.startsWith('{"table":"history"') && line.includes(done)));
  });

  const count = async (table: string): Promise<number> =>
    Number((await story.sql(`SELECT count(*) FROM ${table}`))[0]?.count);

  test('none of its facts is taken again, and what comes late is', async () => {
    const { done, submit, sql, admin } = story;
    const late = final(usdc('130'), AT);
    const { version } = await story.find(done);
    assert.equal(await submit.submit(done, 'story 1', late), 'seen');
    assert.equal((await story.find(done)).version, version);
    for (const [key, place] of [
      ['story 1', version + 1],
      ['new', 1],
    ] as const)
      await assert.rejects(
        admin.query(`INSERT INTO history VALUES ($1, ${MONTH}, $2, $3, 'x', '{}', 1)`, [done, place, key]),
        { code: '23505' },
      );
    assert.equal(await submit.submit(done, 'late money', late), 'taken');
    assert.equal(await submit.submit(done, 'late money', final(usdc('131'), AT)), 'seen');
    assert.deepEqual(await sql('SELECT key FROM history_other'), [{ key: 'late money' }]);
    assert.deepEqual(await sql(RECOUNT), []);
  });

  test('a backup of what is left is restored, and knows the same', async () => {
    const empty = await testDatabase(async () => {});
    try {
      const lines: string[] = [];
      for await (const line of backupLines(story.url, AT)) lines.push(line.trimEnd());
      const { months } = await fillFromBackup(
        empty.url,
        (async function* () {
          yield* lines;
        })(),
      );
      assert.ok(months?.includes(NEXT) && !months.includes(MONTH));
      const db = openDb(empty.url, 2);
      const all = `SELECT (SELECT jsonb_agg(h ORDER BY order_id, version) FROM history AS h) AS history,
        (SELECT jsonb_agg(f) FROM taken_facts AS f) AS facts, (SELECT jsonb_agg(p ORDER BY id) FROM posting AS p) AS postings,
        (SELECT jsonb_agg(h ORDER BY order_id, version) FROM history_${NEXT} AS h) AS next`;
      const [there] = await db.query({ name: 'months_restored', text: all });
      await db.close();
      assert.deepEqual(there, (await story.sql(all))[0]);
    } finally {
      await empty.drop();
    }
  });
});

describe('a month stays', () => {
  let story: Story;
  before(async () => {
    story = await openStory();
  });
  after(() => story.close());

  test('while anything may still move money for one of its orders, or a month before', async () => {
    const { url, done, admin } = story;
    const [address] = await story.sql('SELECT deposit_space, deposit_address FROM orders WHERE id = $1', [done]);
    const { deposit_space: space, deposit_address: at } = address ?? {};
    const kept: readonly [string, string, string][] = [
      [
        'orders are not final',
        `UPDATE orders SET is_open = true WHERE id = '${done}'`,
        `UPDATE orders SET is_open = false WHERE id = '${done}'`,
      ],
      [
        'finished orders still owe',
        `UPDATE orders SET is_busy = true WHERE id = '${done}'`,
        `UPDATE orders SET is_busy = false WHERE id = '${done}'`,
      ],
      [
        'payments are not settled',
        `UPDATE payment SET is_settled = false WHERE owner = '${done}'`,
        `UPDATE payment SET is_settled = true WHERE owner = '${done}'`,
      ],
      [
        'orders have open cases',
        `INSERT INTO attention (owner, kind, subject, doc, since) VALUES ('${done}', 'x', '', '{}', 1)`,
        `UPDATE attention SET closed_at = 1`,
      ],
      [
        'customers have claims',
        `INSERT INTO balance VALUES ('order:${done}', 'x', 1)`,
        `DELETE FROM balance WHERE asset = 'x'`,
      ],
      [
        "partners' fees are not paid",
        `INSERT INTO integrator_order (order_id, integration_id, created_at, day, is_attributed, status, fee_status, fee_atoms, fee_usd, volume_usd, from_symbol, to_symbol)
          VALUES ('${done}', 'x', ${CREATED}, 1, false, 'completed', 'projected', 1, 1, 1, 'x', 'y')`,
        'DELETE FROM integrator_order',
      ],
      [
        'instructions wait',
        `INSERT INTO effect (key, owner, kind, body, due_at) VALUES ('x', '${done}', 'x', '{}', 1)`,
        `DELETE FROM effect WHERE key = 'x'`,
      ],
      [
        'deposits are on their way',
        `INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, first_seen_at, state) VALUES (1, 'x', '${space}', '${at}', 'x', 1, 'x', 1, 'pool')`,
        'DELETE FROM sighting',
      ],
    ];
    const { sha256 } = await exported(url, MONTH, path('kept'));
    for (const [why, begin, end] of kept) {
      await admin.query(begin);
      await assert.rejects(mayGo(url, MONTH, LATER), new RegExp(`cannot go: ${why}`), why);
      await assert.rejects(takeMonth(url, MONTH, { file: 'kept', sha256, now: LATER }), { code: 'WH005' }, why);
      await admin.query(end);
      await mayGo(url, MONTH, LATER);
    }
    await assert.rejects(mayGo(url, MONTH, Date.UTC(2023, 11, 2)), /not two days ago/);
    await assert.rejects(mayGo(url, 202001, LATER), /no month 202001/);
  });

  test('while a backup is written, which lacks nothing of it; then it can go', async () => {
    const { url, done, sql } = story;
    const { sha256 } = await exported(url, MONTH, path('meanwhile'));
    const taken = { file: path('meanwhile'), sha256, now: LATER };
    const backup = backupLines(url, LATER);
    const lines = [String((await backup.next()).value)];
    await assert.rejects(takeMonth(url, MONTH, taken), /month 202311 cannot go now: a backup is being written/);
    for await (const line of backup) lines.push(line);
    const facts = lines.filter((line) => line.startsWith('{"table":"history"') && line.includes(done));
    assert.ok(facts.length > 0, 'the backup has the facts of the month');
    await sql('BEGIN');
    await sql('SELECT take_month($1, $2, $3, $4)', [MONTH, LATER, taken.file, sha256]);
    await sql('ROLLBACK');
  });

  test('whoever was killed between writing the file and taking the month away has changed nothing, and begins again', async () => {
    const { url, sql } = story;
    const { sha256 } = await exported(url, MONTH, path('killed'));
    const victim = new pg.Client({ connectionString: url });
    victim.on('error', () => {});
    await victim.connect();
    await victim.query('BEGIN');
    await victim.query('SELECT take_month($1, $2, $3, $4)', [MONTH, LATER, 'killed', sha256]);
    // As the server sees a process that is killed.
    (victim as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    const again = await exported(url, MONTH, path('killed'));
    assert.equal(again.sha256, sha256);
    assert.deepEqual(await sql('SELECT * FROM month_taken'), []);
  });

  test('where the file is not what the database holds, or is not whole', async () => {
    const { url, admin } = story;
    const { sha256 } = await exported(url, MONTH, path('old'));
    await admin.query(
      `INSERT INTO posting (owner, from_account, to_account, asset, atoms, at) VALUES ('treasury', 'world', 'x', 'y', 1, ${AT})`,
    );
    await assert.rejects(takeMonth(url, MONTH, { file: 'old', sha256, now: LATER }), /not what the file holds/);
    const lines = gunzipSync(readFileSync(path('old')))
      .toString()
      .trimEnd()
      .split('\n');
    const read = (all: readonly string[]) =>
      verifiedMonth(
        (async function* () {
          yield* all;
        })(),
        MONTH,
      );
    assert.equal((await read(lines)).sha256, sha256);
    await assert.rejects(read(lines.slice(0, -1)), /not whole/);
    await assert.rejects(read(lines.map((line) => line.replace('treasury', 'treasure'))), /not whole/);
  });
});
