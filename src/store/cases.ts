import type { Clock, Instant } from '../kernel/clock.ts';
import { type Case, type CaseRef, subjectOf } from '../life/case/case.ts';
import type { Owner } from '../life/payment/payment.ts';
import { decode, encode } from './codec.ts';
import type { Db, Row, Statement } from './db.ts';

const RAISE: Statement = { name: 'case_raise', text: 'SELECT raise_cases($1, $2::jsonb, $3)' };
const CLOSE: Statement = {
  name: 'case_close',
  text: `UPDATE attention SET closed_at = $2, closed_by = $3, closed_why = $4 WHERE id = $1 AND closed_at IS NULL
    RETURNING id, owner, doc, since`,
};
const OVER: Statement = {
  name: 'case_over',
  text: `UPDATE attention AS a SET closed_at = $4 FROM unnest($2::text[], $3::text[]) AS over (kind, subject)
    WHERE a.owner = $1 AND a.kind = over.kind AND a.subject = coalesce(over.subject, a.subject) AND a.closed_at IS NULL`,
};
const FIND: Statement = {
  name: 'case_find',
  text: 'SELECT id, owner, doc, since FROM attention WHERE id = $1 AND closed_at IS NULL',
};
const LIST: Statement = {
  name: 'case_list',
  text: 'SELECT id, owner, doc, since FROM attention WHERE closed_at IS NULL ORDER BY since, id',
};

const OPEN_OF: Statement = {
  name: 'case_open_of',
  text: 'SELECT subject FROM attention WHERE owner = $1 AND kind = $2 AND subject = ANY ($3) AND closed_at IS NULL',
};
const BY_HAND: Statement = {
  name: 'case_by_hand',
  text: 'SELECT 1 FROM attention WHERE owner = $1 AND kind = $2 AND subject = $3 AND closed_by IS NOT NULL',
};

export interface OpenCase {
  readonly id: string;
  readonly owner: Owner;
  readonly about: Case;
  readonly since: Instant;
}

export function openCases(db: Db, clock: Clock) {
  return {
    /** The same case again changes nothing; one that was closed is open again. */
    async raise(owner: Owner, about: Case): Promise<void> {
      await db.query(RAISE, [owner, encode([encodeCase(about)]), clock.now()]);
    },

    /** What it was raised for is over. */
    async over(owner: Owner, ...over: readonly CaseRef[]): Promise<void> {
      const [kinds, subjects] = [over.map((one) => one.case), over.map(({ subject }) => subject ?? null)];
      await db.query(OVER, [owner, kinds, subjects, clock.now()]);
    },

    /** undefined: there is no such open case. */
    async close(id: string, by: string, why: string): Promise<OpenCase | undefined> {
      const [row] = await db.query(CLOSE, [id, clock.now(), by, why]);
      return row && opened(row);
    },

    /** Of these subjects, those of which a case of that kind is open. */
    async openOf(owner: Owner, kind: Case['case'], subjects: readonly string[]): Promise<readonly string[]> {
      return (await db.query(OPEN_OF, [owner, kind, subjects])).map((row) => row.subject as string);
    },

    /** Whether a person has closed it since it was last raised. */
    async isClosedByHand(owner: Owner, about: CaseRef): Promise<boolean> {
      return (await db.query(BY_HAND, [owner, about.case, about.subject ?? ''])).length > 0;
    },

    /** undefined: there is no such open case. */
    async find(id: string): Promise<OpenCase | undefined> {
      const [row] = await db.query(FIND, [id]);
      return row && opened(row);
    },

    /** The oldest first. */
    async list(): Promise<readonly OpenCase[]> {
      return (await db.query(LIST)).map(opened);
    },
  };
}

export type Cases = ReturnType<typeof openCases>;

const opened = (row: Row): OpenCase => ({
  id: String(row.id),
  owner: row.owner as Owner,
  about: decode<Case>(row.doc),
  since: Number(row.since) as Instant,
});

/** A case as the database functions take it. */
export const encodeCase = (about: Case) => ({ kind: about.case, subject: subjectOf(about), doc: about });
