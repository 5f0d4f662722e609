import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { Fault } from '../../src/kernel/fault.ts';
import type { Statement } from '../../src/store/db.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { usdc } from './market.ts';
import { AT } from './order-phases.ts';
import { buyOrder, final } from './world.ts';

let room: CaseRoom;
let other: pg.Client;
before(async () => {
  room = await openCaseRoom();
  other = new pg.Client({ connectionString: room.url });
  await other.connect();
  // So that it is never this one that PostgreSQL gives up.
  await other.query("SET deadlock_timeout = '10min'");
});
after(async () => {
  await other.end();
  await room.close();
});

const WAITING: Statement = {
  name: 'victims_waiting',
  text: `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = to_regclass($1) AND database = (
    SELECT oid FROM pg_database WHERE datname = current_database())`,
};
const untilWaits = async (table: string): Promise<void> => {
  while ((await room.db.query(WAITING, [table])).length === 0);
};

test('a step that PostgreSQL gives up in favour of another is taken all the same, once', async () => {
  const id = await room.keep(buyOrder());
  await other.query('BEGIN');
  await other.query('LOCK TABLE taken_facts IN ACCESS EXCLUSIVE MODE');
  const step = room.submit.submit(id, 'came', final(usdc('100'), AT));
  step.catch(() => {});
  // The step has its order, and asks for what it was told before.
  await untilWaits('taken_facts');
  await other.query('SELECT 1 FROM orders WHERE id = $1 FOR UPDATE', [id]);
  await other.query('COMMIT');
  assert.equal(await step, 'taken');
  assert.equal(await room.submit.submit(id, 'came', final(usdc('100'), AT)), 'seen');
});

test('what waited too long for a lock did nothing, and may be asked again', async () => {
  const hasty: Statement = {
    name: 'victims_hasty',
    text: `DO $$ BEGIN SET LOCAL lock_timeout = '10ms'; LOCK TABLE taken_facts IN ACCESS SHARE MODE; END $$`,
  };
  await other.query('BEGIN');
  await other.query('LOCK TABLE taken_facts IN ACCESS EXCLUSIVE MODE');
  await assert.rejects(room.db.query(hasty), (error) => error instanceof Fault && error.kind === 'transient');
  await other.query('ROLLBACK');
  await room.db.query(hasty);
});
