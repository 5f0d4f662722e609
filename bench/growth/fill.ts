/**
 * npm run bench:fill -- --database postgres://… --open 1000000 --finished 10000000 [--tablespace packed]
 * Fills an empty database with orders: one of each kind is made by the product itself, and all rows of it are written again under other
 * names and at other times, straight by SQL. Nothing that a statement of the product may read is left out.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { present } from '../../src/kernel/assert.ts';
import { instant } from '../../src/kernel/clock.ts';
import { reportWindow } from '../../src/partners/report.ts';
import { openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openReports } from '../../src/store/reports.ts';
import { CREATED } from '../../test/life/world.ts';
import { besideOrders, HOUSE_EVERY_MS } from './house.ts';
import { type Kind, makeTemplates, type Template, type Wanted } from './templates.ts';

/** Of a thousand open orders so many are on their way, and so many wait for a customer to say where to; all others wait for a deposit. */
const ON_THE_WAY = 50;
const RETURNING = 50;
/** What may wait to be traded at once is bounded by the settings (`caution.untradedUsd`), however many orders are open. */
const TRADING = 16;
const A_DAY_MS = 86_400_000;
/** So many rows are written by one statement. */
const AT_ONCE = 50_000;
/** After so many statements of each table its new pages are tidied up, while they are still in memory: later each would be written once more. */
const TIDIED = 10;
/** Connections that write beside each other. */
const HANDS = 2;

const countsOf = ({ open, finished }: Wanted): Readonly<Record<Kind, number>> => {
  const share = (part: number) => Math.floor((open * part) / 1_000);
  const [confirming, paying, returning] = [share(ON_THE_WAY), share(ON_THE_WAY), share(RETURNING)];
  const awaiting = open - confirming - paying - returning - TRADING;
  const completed = Math.floor((finished * 6) / 10);
  return { awaiting, confirming, paying, returning, trading: TRADING, completed, expired: finished - completed };
};

/** Tables with rows of an order. Those of one line are written, indexed and moved before the next: a disk holds two large ones at a time. */
const TABLES = [
  ['orders'],
  ['posting'],
  ['payment', 'attempt', 'exclusivity'],
  ['deposit_address', 'history', 'balance', 'effect', 'sighting', 'integrator_order', 'integrator_client'],
];

/** Where every row of an order would take more room than it tells: its history is only ever read by its name. */
const KEPT: Readonly<Record<string, string>> = { history: 'version < 2' };

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Fills the database and says how many orders of each kind it has now. */
export async function fill(url: string, wanted: Wanted): Promise<Readonly<Record<Kind, number>>> {
  const db = openDb(url, 1);
  const templates = await makeTemplates(db);
  await openReports(db).count(...reportWindow(instant(wanted.now)));
  await db.close();
  const counts = countsOf(wanted);
  const hands = await Promise.all(Array.from({ length: HANDS }, () => connect(url)));
  const client = present(hands[0], 'a hand');
  await makeMonths(client, wanted);
  await everyTable(client, 'SET (autovacuum_enabled = false)');
  // Rows of a template are looked for while there are no others.
  const planned: { readonly tables: readonly string[]; readonly copies: readonly Copies[] }[] = [];
  for (const tables of TABLES) planned.push({ tables, copies: await copiesOf(client, tables, templates, wanted) });
  for (const { tables, copies } of planned) {
    await restIndexes(client, tables);
    for (let from = 0; from < copies.length; from += TIDIED) {
      await shared(hands, copies.slice(from, from + TIDIED), copy);
      await shared(hands, tables, (hand, table) => hand.query(`VACUUM (FREEZE) ${table}`));
    }
    await shared(hands, tables, (hand, table) => hand.query(`REINDEX TABLE ${table}`));
    if (wanted.tablespace !== undefined) await moveRows(client, tables, wanted.tablespace);
  }
  await besideOrders(client, wanted, templates.length + wanted.open + wanted.finished);
  for (const hand of hands) await hand.query("SET session_replication_role = 'origin'");
  await client.query('ANALYZE');
  await client.query('SELECT count_tally()');
  await everyTable(client, 'RESET (autovacuum_enabled)');
  await client.query('VACUUM (ANALYZE)');
  for (const hand of hands) await hand.end();
  return counts;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // No trigger and no foreign key is asked; what they keep is written by `fill` itself.
  await client.query("SET session_replication_role = 'replica'");
  await client.query("SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'");
  return client;
}

/** A desk that is as old as its oldest posting had its months made as they came. */
async function makeMonths(client: pg.Client, { finished, now }: Wanted): Promise<void> {
  await client.query(
    `SELECT make_month(month) FROM (SELECT DISTINCT month_of($1::bigint - n * ${A_DAY_MS}::bigint) AS month
       FROM generate_series(0, $2::integer) AS n) AS months ORDER BY month`,
    [now, Math.ceil((Math.floor(finished / 100) * HOUSE_EVERY_MS) / A_DAY_MS)],
  );
}

/** Each hand takes the next piece of work when it has done one. */
async function shared<T>(
  hands: readonly pg.Client[],
  pieces: readonly T[],
  work: (hand: pg.Client, piece: T) => Promise<unknown>,
): Promise<void> {
  const left = pieces.values();
  await Promise.all(
    hands.map(async (hand) => {
      for (const piece of left) await work(hand, piece);
    }),
  );
}

/** Nobody tidies up what is being written. */
async function everyTable(client: pg.Client, change: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT oid::regclass::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  );
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} ${change}`);
}

/** Those of these tables that have rows themselves: of a table that is partitioned, its parts. */
async function withRows(client: pg.Client, tables: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT coalesce(tree.relid, t::regclass)::text AS name FROM unnest($1::text[]) AS t
       LEFT JOIN LATERAL pg_partition_tree(t::regclass) AS tree ON true WHERE tree.isleaf IS NOT false`,
    [tables],
  );
  return rows.map(({ name }) => name);
}

/** An index is made in a fraction of the time that it takes to keep it: until it is made anew nobody keeps it, and nobody reads it. */
async function restIndexes(client: pg.Client, tables: readonly string[]): Promise<void> {
  await client.query(
    'UPDATE pg_index SET indisready = false, indisvalid = false WHERE indrelid = ANY ($1::regclass[])',
    [await withRows(client, tables)],
  );
}

async function moveRows(client: pg.Client, tables: readonly string[], tablespace: string): Promise<void> {
  for (const table of await withRows(client, tables))
    await client.query(`ALTER TABLE ${table} SET TABLESPACE ${client.escapeIdentifier(tablespace)}`);
}

/** Orders of one kind, by their numbers. */
interface Copies {
  readonly inserts: readonly string[];
  readonly from: number;
  readonly to: number;
  /** The number of the youngest that is finished: each was made a second before the one before it. */
  readonly youngest: number;
  readonly now: number;
  readonly isOpen: boolean;
}

async function copy(client: pg.Client, { inserts, from, to, youngest, now, isOpen }: Copies): Promise<void> {
  await client.query('CREATE TEMP TABLE IF NOT EXISTS copied (n integer, id text, address text, later bigint)');
  await client.query('TRUNCATE copied');
  const age = isOpen ? '(n % 3000)' : `(n - ${youngest})`;
  await client.query(
    `INSERT INTO copied SELECT n, 'sw_' || translate(left(md5('order ' || n), 26), '0189', 'wxyz'),
       '0x' || md5('address ' || n) || lpad(to_hex(n), 8, '0'), $3::bigint - ${CREATED} - ${age}::bigint * 1000
     FROM generate_series($1::integer, $2::integer) AS n`,
    [from, to, now],
  );
  for (const insert of inserts) await client.query(insert);
}

/** What is to be written into these tables, for all orders, by so many at once. */
async function copiesOf(
  client: pg.Client,
  tables: readonly string[],
  templates: readonly Template[],
  wanted: Wanted,
): Promise<readonly Copies[]> {
  const counts = countsOf(wanted);
  const copies: Copies[] = [];
  let youngest = templates.length;
  for (const template of templates) {
    const inserts: string[] = [];
    for (const table of tables) inserts.push(...(await insertsInto(client, table, template)));
    const isOpen = template.kind !== 'completed' && template.kind !== 'expired';
    const end = youngest + counts[template.kind] - 1;
    for (let from = youngest; from < end; from += AT_ONCE)
      copies.push({ inserts, from, to: Math.min(from + AT_ONCE, end) - 1, youngest, now: wanted.now, isOpen });
    youngest = end;
  }
  return copies;
}

/** For every row of the template in that table, the statement that writes it again for each of `copied`. */
async function insertsInto(client: pg.Client, table: string, { id, address }: Template): Promise<readonly string[]> {
  const { rows: columns } = await client.query<Column>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = '' AND attgenerated = ''
       AND NOT EXISTS (SELECT 1 FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum AND pg_get_expr(adbin, adrelid) LIKE 'nextval(%')`,
    [table],
  );
  const texts = columns.map(({ name }) => `"${name}"::text AS "${name}"`).join(', ');
  const { rows } = await client.query<Record<string, string | null>>(
    `SELECT ${texts} FROM ${table} AS t WHERE strpos(t::text, $1) > 0 AND ${KEPT[table] ?? true}`,
    [id],
  );
  const isItsOwn = (text: string) => text.includes(id) || text.includes(address);
  const own = (text: string, type: string) =>
    `replace(replace(${client.escapeLiteral(text)}, '${id}', id), '${address}', address)::${type}`;
  const value = ({ name, type }: Column, text: string | null): string => {
    if (text === null) return 'NULL';
    if (name === 'deposit_index' || (table === 'deposit_address' && name === 'index')) return 'n';
    if (table === 'history' && name === 'month') return `month_of(${CREATED} + later)`;
    if (type === 'bigint' && isTime(text)) return `${text} + later`;
    if (!isItsOwn(text)) return `${client.escapeLiteral(text)}::${type}`;
    if (type !== 'jsonb' || !text.startsWith('{')) return own(text, type);
    // To read a text as a document takes most of the time: only those of its fields are read for every row that differ.
    const fields = Object.entries(JSON.parse(text));
    const some = (isOwn: boolean) =>
      JSON.stringify(Object.fromEntries(fields.filter((field) => isItsOwn(JSON.stringify(field)) === isOwn)));
    return `${client.escapeLiteral(some(false))}::jsonb || ${own(some(true), type)}`;
  };
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  return rows.map(
    (row) =>
      `INSERT INTO ${table} (${names}) SELECT ${columns.map((one) => value(one, row[one.name] ?? null)).join(', ')} FROM copied`,
  );
}

const isTime = (text: string): boolean => Math.abs(Number(text) - CREATED) < 30 * A_DAY_MS;

if (process.argv[1]?.endsWith('fill.ts')) {
  const { values } = parseArgs({
    options: {
      database: { type: 'string' },
      open: { type: 'string', default: '1000000' },
      finished: { type: 'string', default: '10000000' },
      tablespace: { type: 'string' },
    },
  });
  if (values.database === undefined) throw new Error('--database says where to');
  await migrate(values.database);
  const counts = await fill(values.database, {
    open: Number(values.open),
    finished: Number(values.finished),
    now: Date.now(),
    tablespace: values.tablespace,
  });
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}
