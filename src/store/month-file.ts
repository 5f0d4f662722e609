import { createHash, type Hash } from 'node:crypto';
import pg from 'pg';
import { lineOf, pagesOf } from './backup.ts';
import { hasCode, LOCKED } from './db.ts';

/**
 * A month as lines of text, spelt as a backup spells its rows: first what it is, then its facts and postings, last how many there were
 * and the SHA-256 of all lines before.
 */
export interface MonthHead {
  readonly wherry: 'month';
  readonly format: 1;
  readonly month: number;
}

export interface MonthTail {
  readonly end: true;
  readonly rows: number;
  readonly sha256: string;
}

export interface MonthLine {
  readonly month: number;
  /** On disk, in words. */
  readonly size: string;
  /** Why it cannot go: so many orders for each reason, and one of them. Empty where it can. */
  readonly blockers: readonly { readonly why: string; readonly orders: number; readonly one: string }[];
}

/** What the last day cost, and what came lately, is read from postings. */
const REST_MS = 2 * 24 * 60 * 60 * 1000;

const MONTHS = `SELECT substring(c.relname FROM '\\d+$')::integer AS month,
    pg_size_pretty(pg_total_relation_size(c.oid) + pg_total_relation_size(to_regclass(replace(c.relname, 'history', 'posting')))) AS size
  FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'history'::regclass AND c.relname ~ '\\d$' ORDER BY 1`;
const BLOCKERS = `SELECT why, count(DISTINCT order_id)::integer AS orders, min(order_id) AS one FROM month_blockers($1) GROUP BY why ORDER BY why`;

export const listMonths = (url: string, now: number): Promise<readonly MonthLine[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ month: number; size: string }>(MONTHS);
    const lines: MonthLine[] = [];
    for (const { month, size } of rows) lines.push({ month, size, blockers: await blockersOf(client, month, now) });
    return lines;
  });

/** Why a month cannot go. One that has not ended, or has not rested, has no need to be looked at further. */
async function blockersOf(client: pg.Client, month: number, now: number): Promise<MonthLine['blockers']> {
  const ended = Date.UTC(Math.floor(month / 100), month % 100);
  if (now < ended + REST_MS) return [{ why: 'not_over', orders: 0, one: '' }];
  return (await client.query<MonthLine['blockers'][number]>(BLOCKERS, [month])).rows;
}

/** The month as it is at one moment. */
export async function* monthLines(url: string, month: number): AsyncGenerator<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const read = yield* contentOf(client, month);
    yield `${JSON.stringify(tailOf(read))}\n`;
  } finally {
    await client.end();
  }
}

interface Read {
  rows: number;
  readonly hash: Hash;
}

async function* contentOf(client: pg.Client, month: number): AsyncGenerator<string, Read> {
  const read: Read = { rows: 0, hash: createHash('sha256') };
  const told = (line: string): string => {
    read.hash.update(line);
    return line;
  };
  const head: MonthHead = { wherry: 'month', format: 1, month };
  yield told(`${JSON.stringify(head)}\n`);
  for (const [table, order] of [
    ['history', 'order_id, version'],
    ['posting', 'id'],
  ] as const) {
    const ordered = `(SELECT * FROM ${table}_${month} ORDER BY ${order})`;
    for await (const page of pagesOf(client, ordered)) {
      read.rows += page.rows;
      yield told(lineOf(table, page.text));
    }
  }
  return read;
}

const tailOf = ({ rows, hash }: Read): MonthTail => ({ end: true, rows, sha256: hash.digest('hex') });

/** Reads a file again, as somebody would who needs it. Throws where it is not whole. */
export async function verifiedMonth(lines: AsyncIterable<string>, month: number): Promise<MonthTail> {
  const hash = createHash('sha256');
  let rows = 0;
  let last: string | undefined;
  for await (const line of lines) {
    if (last !== undefined) {
      hash.update(`${last}\n`);
      const content = JSON.parse(last) as Partial<MonthHead> & { readonly rows?: readonly unknown[] };
      if (content.rows) rows += content.rows.length;
      else if (content.wherry !== 'month' || content.month !== month)
        throw new Error(`the file is not that of month ${month}`);
    }
    last = line;
  }
  const tail = JSON.parse(last ?? '{}') as Partial<MonthTail>;
  const sha256 = hash.digest('hex');
  if (tail.end !== true || tail.rows !== rows || tail.sha256 !== sha256)
    throw new Error('the file is not whole: it breaks off, or was changed');
  return { end: true, rows, sha256 };
}

/**
 * Takes a month out of the database that is in the file, if nothing keeps it. Whoever writes to it waits meanwhile, whoever reads does
 * not, until the last moment.
 */
export const takeMonth = (
  url: string,
  month: number,
  { file, sha256, now }: { readonly file: string; readonly sha256: string; readonly now: number },
): Promise<void> =>
  withClient(url, async (client) => {
    await client.query('BEGIN');
    await client.query("SET LOCAL lock_timeout = '5s'");
    await expectNoBackup(client, month);
    await client.query(`LOCK TABLE history_${month}, posting_${month} IN SHARE ROW EXCLUSIVE MODE`);
    const content = contentOf(client, month);
    let step = await content.next();
    while (!step.done) step = await content.next();
    if (tailOf(step.value).sha256 !== sha256)
      throw new Error(`month ${month} is not what the file holds: export it again`);
    await client.query('SELECT take_month($1, $2, $3, $4)', [month, now, file, sha256]);
    await client.query('COMMIT');
  });

/** A backup reads this table, and no order does: nobody else waits while we find out. One that begins now waits until the month is gone. */
async function expectNoBackup(client: pg.Client, month: number): Promise<void> {
  try {
    await client.query('LOCK TABLE month_sum IN ACCESS EXCLUSIVE MODE');
  } catch (error) {
    if (!hasCode(error, LOCKED)) throw error;
    throw new Error(`month ${month} cannot go now: a backup is being written. Do it again when that has ended`, {
      cause: error,
    });
  }
}

/** Refuses with words for a person where the month is not there or may not go. */
export const mayGo = (url: string, month: number, now: number): Promise<void> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ month: number }>(MONTHS);
    if (!rows.some((row) => row.month === month)) throw new Error(`there is no month ${month} in the database`);
    const blockers = await blockersOf(client, month, now);
    if (blockers.length > 0) throw new Error(`month ${month} cannot go: ${blockers.map(inWords).join('; ')}`);
  });

const REASONS: Readonly<Record<string, string>> = {
  not_over: 'it has not ended, or not two days ago',
  not_final: 'orders are not final',
  not_settled: 'finished orders still owe or await something',
  payment: 'payments are not settled',
  case: 'orders have open cases',
  claim: 'customers have claims',
  partner_fee: "partners' fees are not paid",
  instruction: 'instructions wait',
  deposit: 'deposits are on their way',
};

export const inWords = ({ why, orders, one }: MonthLine['blockers'][number]): string =>
  `${REASONS[why] ?? why}${orders > 0 ? ` (${orders}, as ${one})` : ''}`;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
