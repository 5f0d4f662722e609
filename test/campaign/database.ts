import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Db, type DbSession, openDb, type Statement } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';

/** When every seed begins. */
export const START = 1_800_000_000_000;

/**
 * What a database holds is kept as text in a table beside it, and put back: tables that were written to are emptied, tidied up and filled
 * again, and numbers are counted on from where they were. (To truncate them takes five times as long: each has some files. To make tables for
 * what is kept would have every statement planned anew.) What is found where no order is asked for hangs on how rows lie, so nobody else
 * tidies them up.
 */
const KEEPING = `
CREATE SCHEMA kept;
CREATE TABLE kept.rows (name text, place text, n bigint, whole text, PRIMARY KEY (name, place, n));
CREATE TABLE kept.numbers (name text, place regclass, last_value bigint, start_value bigint);
CREATE FUNCTION used_tables() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT relname::text FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0 ORDER BY 1
$$;
CREATE FUNCTION written_columns(p_table text, p_of text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(p_of || quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = format('public.%I', p_table)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
$$;
CREATE FUNCTION forget(p_name text) RETURNS void LANGUAGE sql AS $$
  DELETE FROM kept.rows WHERE name = p_name;
  DELETE FROM kept.numbers WHERE name = p_name;
$$;
CREATE FUNCTION keep_as(p_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_table text;
BEGIN
  PERFORM forget(p_name);
  INSERT INTO kept.numbers SELECT p_name, sequencename::text::regclass, last_value, start_value FROM pg_sequences WHERE schemaname = 'public';
  FOR v_table IN SELECT used_tables() LOOP
    EXECUTE format('INSERT INTO kept.rows SELECT $1, %L, row_number() OVER (), t::text FROM public.%1$I AS t', v_table) USING p_name;
  END LOOP;
END $$;
CREATE FUNCTION empty_all() RETURNS SETOF text LANGUAGE plpgsql SET session_replication_role = replica AS $$
DECLARE v_table text;
BEGIN
  FOR v_table IN SELECT used_tables() LOOP
    EXECUTE format('DELETE FROM public.%I', v_table);
    RETURN NEXT v_table;
  END LOOP;
END $$;
CREATE FUNCTION put_back(p_name text) RETURNS void LANGUAGE plpgsql SET session_replication_role = replica AS $$
DECLARE v_table text;
BEGIN
  FOR v_table IN SELECT DISTINCT place FROM kept.rows WHERE name = p_name ORDER BY 1 LOOP
    EXECUTE format('INSERT INTO public.%1$I (%2$s) OVERRIDING SYSTEM VALUE SELECT %3$s FROM (
      SELECT whole::public.%1$I AS r FROM kept.rows WHERE name = $1 AND place = %1$L ORDER BY n OFFSET 0) AS old',
      v_table, written_columns(v_table, ''), written_columns(v_table, '(r).')) USING p_name;
  END LOOP;
  PERFORM setval(place, coalesce(last_value, start_value), last_value IS NOT NULL) FROM kept.numbers WHERE name = p_name;
END $$;
DO $$
DECLARE v_table text;
BEGIN
  FOR v_table IN SELECT oid::regclass FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
    EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false, toast.autovacuum_enabled = false)', v_table);
  END LOOP;
END $$;
SELECT keep_as('first_day');`;

const EMPTY: Statement = { name: 'campaign_empty', text: 'SELECT empty_all() AS name' };
/** What is known of the whole database is of no use to anybody, and to find it out anew takes as long as a table. */
const tidied = (tables: readonly string[]): Statement => {
  const text = `VACUUM (SKIP_DATABASE_STATS) ${tables.map((table) => `public.${table}`).join(', ')}`;
  return { name: `campaign_tidy_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`, text };
};
const LEFT: Statement = { name: 'campaign_left', text: 'SELECT used_tables() AS name' };
const PUT_BACK: Statement = { name: 'campaign_put_back', text: 'SELECT put_back($1)' };
const KEEP: Statement = { name: 'campaign_keep', text: 'SELECT keep_as($1)' };
const FORGET: Statement = { name: 'campaign_forget', text: 'SELECT forget($1)' };

/** Rows stay while anybody may still see them, and the server itself may: it looks at its own tables now and then, for a moment. */
const MOST_ROUNDS = 1_000;

/** One function for all seeds: the migrated database is made once and copied. */
async function prepare(url: string): Promise<void> {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SELECT make_months($1)', [START]);
  await client.query(KEEPING);
  await client.end();
}

/** The database of one seed. */
export interface SeedDatabase {
  readonly url: string;
  /** All that it holds, kept under that name, or put back; nobody may be at work in it. */
  backUp(name: string): Promise<void>;
  putBack(name: string): Promise<void>;
  close(): Promise<void>;
}

/** A statement is carried out in the same way however often its connection has met it, in this seed or in others. */
const ONE_PLAN = '-c plan_cache_mode=force_generic_plan';

let shared: ReturnType<typeof testDatabase> | undefined;

/** As it is on the first day. One that is `bent`, since tables themselves are changed in it, is used by nobody else. */
export async function databaseOfSeed(isBent: boolean): Promise<SeedDatabase> {
  shared ??= testDatabase(prepare);
  const { socketUrl, drop } = await (isBent ? testDatabase(prepare) : shared);
  const url = `${socketUrl}&options=${encodeURIComponent(ONE_PLAN)}`;
  const ask = async (statement: Statement, ...values: readonly unknown[]) => {
    const rows = await lendDb(url).query<{ readonly name: string }>(statement, values);
    return rows.map(({ name }) => name);
  };
  const putBack = async (name: string) => {
    let left = await ask(EMPTY);
    for (let round = 0; left.length > 0; round += 1) {
      assert.ok(round < MOST_ROUNDS, `somebody holds on to the rows of ${left}`);
      await ask(tidied(left));
      left = await ask(LEFT);
    }
    await ask(PUT_BACK, name);
  };
  await openAhead(url);
  if (!isBent) await putBack('first_day');
  const made: string[] = [];
  return {
    url,
    async backUp(name) {
      made.push(name);
      await ask(KEEP, name);
    },
    putBack,
    async close() {
      if (!isBent) {
        for (const name of made) await ask(FORGET, name);
        return;
      }
      await closeLent(url);
      await drop();
    },
  };
}

interface Lent {
  readonly db: Db;
  /** Nobody has them now. */
  readonly sessions: DbSession[];
}
const lent = new Map<string, Lent>();
const LET_GO: Statement = { name: 'campaign_let_go', text: 'SELECT pg_advisory_unlock_all()' };

/**
 * A database as `openDb` opens it, whose connections outlive whoever had them: what a process holds in the database when it dies are the
 * locks of its sessions, and they are let go of. Nothing else of a connection is ever set. Whoever has no session shares one connection with
 * all the others: a statement is a transaction, one is under way at a time, and each is planned once.
 */
export function lendDb(url: string): Db {
  const { db, sessions } = lent.get(url) ?? { db: openDb(url, 1), sessions: [] };
  lent.set(url, { db, sessions });
  return {
    query: db.query,
    session: async () => lentSession(sessions.pop() ?? (await db.session()), sessions),
    close: async () => {},
  };
}

/** More than the desk's processes have at once. */
const SESSIONS_AHEAD = 10;

/** Whoever connects draws lots, and they must not be the seed's: the first seed of a process would be another history than the same one later. */
async function openAhead(url: string): Promise<void> {
  lendDb(url);
  const { db, sessions } = present(lent.get(url), 'a database that is lent');
  await db.query(LET_GO);
  while (sessions.length < SESSIONS_AHEAD) sessions.push(await db.session());
}

function lentSession(real: DbSession, sessions: DbSession[]): DbSession {
  return {
    ...real,
    async close() {
      await real.query(LET_GO);
      sessions.push(real);
    },
  };
}

async function closeLent(url: string): Promise<void> {
  const { db, sessions } = present(lent.get(url), 'a database that was lent');
  lent.delete(url);
  await Promise.all([db, ...sessions].map((one) => one.close()));
}
