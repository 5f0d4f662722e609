import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { openSubmit } from '../../src/engine/submit.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { backupLines } from '../../src/store/backup.ts';
import { openDb } from '../../src/store/db.ts';
import { sinceMade } from '../../src/store/deposit-readings.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openMonths } from '../../src/store/months.ts';
import { ORDER_GUARD } from '../../src/store/order-guard.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openPayments } from '../../src/store/payments.ts';
import { usdc } from './market.ts';
import { MONTH, NEXT, NEXT_AT, of, openStory, RECOUNT, type Story } from './month-story.ts';
import { AT, screened } from './order-phases.ts';
import { CREATED, final } from './world.ts';

test('a database of before there were months keeps every fact and posting, in its month', async () => {
  // Orders are made as today: these functions need nothing of what came between.
  const isBefore = (name: string) => name < '0181' || /^(0250|0270|0272)-/.test(name);
  const before = new Set([...readdirSync('migrations').filter(isBefore), ORDER_GUARD.name]);
  const old = await testDatabase(async (url) => void (await migrate(url, { only: before })));
  const db = openDb(old.url, 2);
  try {
    const submit = openSubmit(openOrders(db), openPayments(db), RULES, { now: () => CREATED });
    const ids: OrderId[] = [];
    for (const [index, createdAt] of [CREATED, NEXT_AT].entries()) {
      const text = `INSERT INTO deposit_address (space, index, address) VALUES ('s', $1, 'a ' || $1::integer)`;
      await db.query({ name: 'months_address', text }, [index]);
      const { depositAddress: _, depositIndex: __, ...draft } = of(createdAt);
      const id = `sw_${String(index).padStart(26, 'a')}` as OrderId;
      const owner = { sessionHash: 's', integrationId: undefined, keyId: undefined, clientHash: 'c' };
      assert.ok(await openOrders(db).create({ ...draft, id }, owner, 's', []));
      assert.equal(await submit.submit(id, 'came', final(usdc('100'), createdAt)), 'taken');
      ids.push(id);
    }
    const told = {
      name: 'months_told',
      text: 'SELECT order_id, version, key, phase, fact, at FROM history ORDER BY order_id',
    };
    const posted = {
      name: 'months_posted',
      text: 'SELECT id, owner, from_account, to_account, asset, atoms, at FROM posting ORDER BY id',
    };
    const all = await Promise.all([told, posted].map((one) => db.query(one)));
    assert.deepEqual(
      await migrate(old.url),
      readdirSync('migrations')
        .filter((name) => !isBefore(name))
        .sort(),
    );
    assert.deepEqual(await Promise.all([told, posted].map((one) => db.query(one))), all);
    const places = `SELECT h.tableoid::regclass::text AS h, p.tableoid::regclass::text AS p FROM history AS h
      JOIN posting AS p ON p.owner = h.order_id ORDER BY 1`;
    assert.deepEqual(await db.query({ name: 'months_places', text: places }), [
      { h: `history_${MONTH}`, p: `posting_${MONTH}` },
      { h: `history_${NEXT}`, p: `posting_${NEXT}` },
    ]);
    for (const id of ids) {
      assert.equal(await submit.submit(id, 'came', final(usdc('101'), AT)), 'seen');
      assert.equal(await submit.submit(id, 'screened', screened(true)), 'taken');
    }
  } finally {
    await db.close();
    await old.drop();
  }
});

describe('tables of months', () => {
  let story: Story;
  before(async () => {
    story = await openStory();
  });
  after(() => story.close());

  test('are made ahead; what came before there were any is caught, and moves over', async () => {
    const { db, sql } = story;
    const months = openMonths(db);
    const now = instant(Date.UTC(2031, 10, 30, 23, 59));
    const id = await story.keep(of(now));
    await story.tell(id, final(usdc('100'), now));
    assert.deepEqual([await months.ready(now), await where(id)], [0, 'history_other']);
    await months.make(now);
    await months.make(now);
    assert.deepEqual([await months.ready(now), await where(id)], [3, 'history_203111']);
    await story.tell(id, screened(true));
    assert.deepEqual(await sql(RECOUNT), []);
    const [row] = await sql(`SELECT count(*) FROM posting_203111 WHERE owner = '${id}'`);
    assert.ok(Number(row?.count) > 0);
    assert.deepEqual(await sql(`SELECT to_regclass('history_203201') IS NOT NULL AS made`), [{ made: true }]);
  });

  const where = async (id: OrderId) =>
    (await story.sql('SELECT DISTINCT tableoid::regclass::text AS t FROM history WHERE order_id = $1', [id]))[0]?.t;

  test('a fact is in the month of its order, or the database refuses it', async () => {
    const wrong = story.admin.query(`INSERT INTO history VALUES ($1, ${NEXT}, 99, 'x', 'x', '{}', 1)`, [story.done]);
    await assert.rejects(wrong, { code: '23503' });
  });

  test('what steps ask costs as much as in one table, however many months there are', async () => {
    const { admin } = story;
    for (let n = 0; n < 24; n += 1) await openMonths(story.db).make(instant(Date.UTC(2024, n, 15)));
    const id = await story.keep(of(instant(Date.UTC(2025, 11, 15))));
    await story.tell(id, final(usdc('100'), instant(Date.UTC(2025, 11, 15))));
    await admin.query('SET plan_cache_mode = force_generic_plan');
    const gas = `posting WHERE owner COLLATE "C" = '${id}' AND asset = 'x' AND (to_account = 'gas' OR from_account = 'gas')`;
    const [fact, left, alone, order] = await Promise.all([
      blocks(`SELECT is_fact_taken('${id}', 'another')`),
      blocks(`SELECT 1 FROM ${gas} AND ${sinceMade(`(SELECT created_at FROM orders WHERE id = '${id}')`)}`),
      blocks(`SELECT 1 FROM history_202512 WHERE order_id = '${id}' AND key = 'another'`),
      blocks(`SELECT month FROM orders WHERE id = '${id}'`),
    ]);
    // Two more, of table and index, for what is known of months that were taken away.
    assert.ok(fact <= alone + order + 2, `${fact} blocks for a fact, ${alone} in one table and ${order} for the order`);
    // Of 32 tables only those from its month on: seven here, since the database itself has made those of today.
    assert.ok(left <= 7 * 3 + 3, `${left} blocks for gas`);
  });

  test('are left for later while somebody is in the way, and keep no step waiting for long, nor in a circle', async () => {
    const { url, admin, open, db } = story;
    const months = openMonths(db);
    const now = instant(Date.UTC(2033, 4, 5));
    const backup = backupLines(url, now);
    for (let line = ''; !line.startsWith('{"table":"history"'); ) line = String((await backup.next()).value);
    const making = months.make(now);
    await story.tell(open, { ...screened(true), at: NEXT_AT });
    assert.deepEqual([await making, await months.ready(now)], [false, 0]);
    await backup.return(undefined);

    // A step that has its order, has asked for what it was told before, and goes on to write.
    await admin.query('BEGIN');
    await admin.query('SELECT 1 FROM orders WHERE id = $1 FOR UPDATE', [open]);
    await admin.query(`SELECT is_fact_taken($1, 'k')`, [open]);
    const [made] = await Promise.all([
      months.make(now),
      admin.query('UPDATE orders SET version = version WHERE id = $1', [open]).then(() => admin.query('COMMIT')),
    ]);
    assert.equal(made || (await months.make(now)), true);
    assert.equal(await months.ready(now), 3);
  });

  /** That it touches when everything is known. */
  async function blocks(statement: string): Promise<number> {
    await story.admin.query(statement);
    const { rows } = await story.admin.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`);
    const { Plan } = rows[0]['QUERY PLAN'][0];
    return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
  }
});
