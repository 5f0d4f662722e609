import pg from 'pg';
import { migrate } from './migrate.ts';

/**
 * The whole database as lines of text: first what it is, then rows by table, last how many there were. Rows are JSON as
 * PostgreSQL writes them and are never read here, so that no number passes through a float.
 */
export interface BackupHead {
  readonly wherry: 'backup';
  readonly format: 1;
  readonly at: number;
  readonly migrations: readonly string[];
  readonly tables: readonly string[];
  /** How far this database knew the signer's journal. */
  readonly journal: number;
  /** Those that have tables of their own. */
  readonly months?: readonly number[];
}

export interface BackupTail {
  readonly end: true;
  readonly rows: number;
}

const ROWS_PER_LINE = 500;
/** Who is alive, and what the code says, is no part of the past; sums are counted anew. */
const LEFT_OUT = ['migration', 'process_metrics', 'order_guard', 'tally', 'tally_change'];
/** An older version knows none, and the migration that brings them counts. */
const COUNT_SUMS = `DO $$ BEGIN
  IF to_regprocedure('count_tally()') IS NOT NULL THEN PERFORM count_tally(); END IF; END $$`;

const TABLES = `SELECT c.relname AS name,
    ARRAY(SELECT DISTINCT f.confrelid::regclass::text FROM pg_constraint AS f
          WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS needs
  FROM pg_class AS c WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
    AND c.relname <> ALL ($1) ORDER BY 1`;

/**
 * Whoever takes a month away drops tables, and a picture of before shows neither them nor what replaced them. `month_sum` comes first, as it
 * does for whoever takes one. An older version has none of these.
 */
const STAY = `SELECT string_agg(name, ', ') AS tables FROM unnest(ARRAY['month_sum', 'month_taken', 'taken_facts', 'history', 'posting']) AS name
  WHERE to_regclass(name) IS NOT NULL`;

/** One consistent picture, however long it takes to write down and whatever happens meanwhile. No month is taken away until it ends. */
export async function* backupLines(url: string, at: number): AsyncGenerator<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: stay } = await client.query<{ tables: string | null }>(STAY);
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The picture is made by the first question after it, so that nothing can go in between.
    if (stay[0]?.tables) await client.query(`LOCK TABLE ${stay[0].tables} IN ACCESS SHARE MODE`);
    const tables = await tablesOf(client);
    const { rows: applied } = await client.query<{ name: string }>('SELECT name FROM migration ORDER BY name');
    const { rows: marks } = await client.query<{ seq: string }>('SELECT seq FROM journal_mark');
    const head: BackupHead = {
      ...{ wherry: 'backup', format: 1, at, tables, migrations: applied.map(({ name }) => name) },
      journal: Number(marks[0]?.seq ?? 0),
      months: (await client.query<{ month: number }>(MONTHS)).rows.map(({ month }) => month),
    };
    yield `${JSON.stringify(head)}\n`;
    let rows = 0;
    for (const table of tables) {
      for await (const page of pagesOf(client, client.escapeIdentifier(table))) {
        rows += page.rows;
        yield lineOf(table, page.text);
      }
    }
    const tail: BackupTail = { end: true, rows };
    yield `${JSON.stringify(tail)}\n`;
  } finally {
    await client.end();
  }
}

/** Rows of a table as one transaction sees them, some hundred at a time, as the text of a JSON array. */
export async function* pagesOf(client: pg.Client, table: string): AsyncGenerator<{ rows: number; text: string }> {
  await client.query(`DECLARE pages NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS row FROM ${table} AS t`);
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`FETCH ${ROWS_PER_LINE} FROM pages`);
    if (rows.length === 0) break;
    yield { rows: rows.length, text: `[${rows.map(({ row }) => row).join(',')}]` };
  }
  await client.query('CLOSE pages');
}

export const lineOf = (table: string, rows: string): string => `{"table":${JSON.stringify(table)},"rows":${rows}}\n`;

const ROWS = /^\{"table":"(\w+)","rows":(\[.*\])\}$/s;

/** Fills an empty database. All of it or nothing: a backup that breaks off leaves the database empty. */
export async function fillFromBackup(url: string, lines: AsyncIterable<string>): Promise<BackupHead> {
  const reading = lines[Symbol.asyncIterator]();
  const head = headIn((await reading.next()).value);
  await expectEmpty(url);
  await migrate(url, { only: new Set(head.migrations) });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN');
    for (const month of head.months ?? []) await client.query('SELECT make_month($1)', [month]);
    let isWhole = false;
    let rows = 0;
    for (let next = await reading.next(); !next.done; next = await reading.next()) {
      const [, table, content] = ROWS.exec(next.value) ?? [];
      if (table === undefined || content === undefined || !head.tables.includes(table)) {
        isWhole = (JSON.parse(next.value) as BackupTail).rows === rows;
        break;
      }
      rows += await insert(client, table, content);
    }
    if (!isWhole) throw new Error('the backup is not whole: it breaks off, or rows are missing');
    await numberOn(client);
    await client.query(COUNT_SUMS);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
  await migrate(url);
  return head;
}

function headIn(line: unknown): BackupHead {
  try {
    const head = JSON.parse(String(line)) as BackupHead;
    if (head.wherry === 'backup' && head.format === 1) return head;
  } catch {
    // What is no JSON is no backup either.
  }
  throw new Error('this file is no backup that `wherry backup` wrote');
}

async function expectEmpty(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await tablesOf(client);
    if (tables.length > 0) throw new Error('the database is not empty: a backup is restored into a new one');
  } finally {
    await client.end();
  }
}

async function insert(client: pg.Client, table: string, rows: string): Promise<number> {
  const name = client.escapeIdentifier(table);
  const { rows: written } = await client.query<{ columns: string }>(WRITTEN, [name]);
  const columns = written[0]?.columns;
  const { rowCount } = await client.query(
    `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1::json)`,
    [rows],
  );
  return rowCount ?? 0;
}

const MONTHS = `SELECT substring(c.relname FROM '\\d+$')::integer AS month FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
  WHERE i.inhparent = to_regclass('history') AND c.relname ~ '\\d$' ORDER BY 1`;
/** What follows from other columns is not written. */
const WRITTEN = `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;
const NUMBERED = `SELECT c.relname AS table, a.attname AS column FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
    AND NOT a.attisdropped AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL`;

/** Rows that are made from now on get numbers that none has. */
async function numberOn(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(NUMBERED);
  for (const { table, column } of rows) {
    const [name, number] = [client.escapeIdentifier(table), client.escapeIdentifier(column)];
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), (SELECT coalesce(max(${number}), 0) + 1 FROM ${name}), false)`,
      [name, column],
    );
  }
}

/** Those that others refer to come first. */
async function tablesOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; needs: string[] }>(TABLES, [LEFT_OUT]);
  const sorted: string[] = [];
  const visit = (name: string): void => {
    const table = rows.find((row) => row.name === name);
    if (!table || sorted.includes(name)) return;
    for (const need of table.needs) visit(need);
    sorted.push(name);
  };
  for (const { name } of rows) visit(name);
  return sorted;
}
