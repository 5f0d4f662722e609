import pg from 'pg';
import type { Db, Row, Statement } from '../../src/store/db.ts';

/** What one statement reads: pages of the database, how long it took, and by which way they were found, a line for each step of it. */
export interface Figure {
  readonly buffers: number;
  readonly ms: number;
  readonly way: readonly string[];
}

interface Step {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  /** Of an index that is read alone: rows that had to be looked at all the same. */
  readonly 'Heap Fetches'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Step[];
}

interface Plan {
  readonly Plan: Step;
  readonly 'Execution Time': number;
}

const pagesOf = (step: Step): number => step['Shared Hit Blocks'] + step['Shared Read Blocks'];

function wayOf(step: Step, indent = ''): readonly string[] {
  const on = step['Index Name'] ?? step['Relation Name'] ?? '';
  const fetched = step['Heap Fetches'] ? `, ${step['Heap Fetches']} looked at` : '';
  const line = `${indent}${step['Node Type']} ${on}: ${pagesOf(step)} pages, ${step['Actual Rows']} rows${fetched}`;
  return [line, ...(step.Plans ?? []).flatMap((one) => wayOf(one, `${indent}  `))];
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
    const buffers = pagesOf(plan.Plan);
    const known = figures.get(name);
    if (!known || known.buffers < buffers)
      figures.set(name, { buffers, ms: plan['Execution Time'], way: wayOf(plan.Plan) });
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
