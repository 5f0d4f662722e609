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
  FROM pg_class AS c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1) ORDER BY 1`;

/** One consistent picture, however long it takes to write down and whatever happens meanwhile. */
export async function* backupLines(url: string, at: number): AsyncGenerator<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const tables = await tablesOf(client);
    const { rows: applied } = await client.query<{ name: string }>('SELECT name FROM migration ORDER BY name');
    const { rows: marks } = await client.query<{ seq: string }>('SELECT seq FROM journal_mark');
    const head: BackupHead = {
      ...{ wherry: 'backup', format: 1, at, tables, migrations: applied.map(({ name }) => name) },
      journal: Number(marks[0]?.seq ?? 0),
    };
    yield `${JSON.stringify(head)}\n`;
    let rows = 0;
    for (const table of tables) {
      const name = client.escapeIdentifier(table);
      await client.query(`DECLARE backup NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS row FROM ${name} AS t`);
      for (;;) {
        const page = await client.query<{ row: string }>(`FETCH ${ROWS_PER_LINE} FROM backup`);
        if (page.rows.length === 0) break;
        rows += page.rows.length;
        yield `{"table":${JSON.stringify(table)},"rows":[${page.rows.map(({ row }) => row).join(',')}]}\n`;
      }
      await client.query('CLOSE backup');
    }
    const tail: BackupTail = { end: true, rows };
    yield `${JSON.stringify(tail)}\n`;
  } finally {
    await client.end();
  }
}

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
  const { rowCount } = await client.query(
    `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, $1::json)`,
    [rows],
  );
  return rowCount ?? 0;
}

const NUMBERED = `SELECT c.relname AS table, a.attname AS column FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''`;

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
