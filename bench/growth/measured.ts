import pg from 'pg';
import type { Db, Row, Statement } from '../../src/store/db.ts';

/** What one statement reads: pages of the database, and how long it took. */
export interface Figure {
  readonly buffers: number;
  readonly ms: number;
}

interface Plan {
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
  readonly 'Execution Time': number;
}

/**
 * A database that measures whatever the store asks of it, and changes nothing: every statement is undone. It is asked once before it is
 * measured, so that what only the first reader of a page does is not counted.
 */
export async function measuredDb(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const figures = new Map<string, Figure>();
  const undone = async <T>(work: () => Promise<T>): Promise<T> => {
    await client.query('BEGIN');
    try {
      return await work();
    } finally {
      await client.query('ROLLBACK');
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  const measure = async (statement: Statement, values: readonly unknown[]): Promise<readonly Row[]> => {
    const { name, text } = statement;
    const { rows } = await undone(() => client.query(text, [...values]));
    const { rows: plans } = await undone(() =>
      client.query(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`, [...values]),
    );
    const [plan] = plans[0]['QUERY PLAN'] as [Plan];
    const buffers = plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'];
    const known = figures.get(name);
    if (!known || known.buffers < buffers) figures.set(name, { buffers, ms: plan['Execution Time'] });
    return rows;
  };
  const db: Db = {
    // One at a time: a connection has one transaction.
    query: <R extends Row>(statement: Statement, values: readonly unknown[] = []) => {
      const turn = last.then(
        () => measure(statement, values),
        () => measure(statement, values),
      );
      last = turn;
      return turn as Promise<readonly R[]>;
    },
    session: () => Promise.reject(new Error('nobody listens while statements are measured')),
    close: () => client.end(),
  };
  return { db, figures: figures as ReadonlyMap<string, Figure> };
}
