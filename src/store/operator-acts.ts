import type { Instant } from '../kernel/clock.ts';
import type { Db, Row, Statement } from './db.ts';

/** What somebody is about to do, in words of the interface. */
export interface Act {
  readonly at: Instant;
  readonly operator: string;
  /** Method and path. */
  readonly act: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly reason: string | undefined;
}

export interface ActEntry extends Act {
  readonly id: string;
  /** undefined while it is being done, or where nobody lived to write it down. */
  readonly status: number | undefined;
  readonly answer: string | undefined;
}

/** Newest first. */
export interface ActsAsked {
  readonly operator: string | undefined;
  /** Only those before this one. */
  readonly before: string | undefined;
  readonly limit: number;
}

const BEGIN: Statement = {
  name: 'act_begin',
  text: 'INSERT INTO operator_act (at, operator, act, details, reason) VALUES ($1, $2, $3, $4::jsonb, $5) RETURNING id',
};
const END: Statement = { name: 'act_end', text: 'UPDATE operator_act SET status = $2, answer = $3 WHERE id = $1' };
const LIST: Statement = {
  name: 'act_list',
  text: `SELECT id, at, operator, act, details, reason, status, answer FROM operator_act
    WHERE ($1::text IS NULL OR operator = $1) AND ($2::bigint IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
};

/** What operators did. An act is written down before it is done, so that none is without its trace. */
export function openOperatorActs(db: Db) {
  return {
    async begin({ at, operator, act, details, reason }: Act): Promise<string> {
      const [row] = await db.query(BEGIN, [at, operator, act, JSON.stringify(details), reason ?? null]);
      return String(row?.id);
    },
    async end(id: string, status: number, answer: string | undefined): Promise<void> {
      await db.query(END, [id, status, answer ?? null]);
    },
    async list({ operator, before, limit }: ActsAsked): Promise<readonly ActEntry[]> {
      return (await db.query(LIST, [operator ?? null, before ?? null, limit])).map(entry);
    },
  };
}

export type OperatorActs = ReturnType<typeof openOperatorActs>;

const entry = (row: Row): ActEntry => ({
  id: String(row.id),
  at: Number(row.at) as Instant,
  operator: row.operator as string,
  act: row.act as string,
  details: row.details as Readonly<Record<string, unknown>>,
  reason: (row.reason as string | null) ?? undefined,
  status: (row.status as number | null) ?? undefined,
  answer: (row.answer as string | null) ?? undefined,
});
