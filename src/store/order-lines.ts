import type { Instant } from '../kernel/clock.ts';
import type { OrderId } from '../kernel/ids.ts';
import type { Db, Row, Statement } from './db.ts';

/** Which orders are listed: every condition that is given must hold. */
export interface OrdersAsked {
  /** Without phases: every order that is not done with yet. */
  readonly phases: readonly string[] | undefined;
  /** No fact has moved it since then. */
  readonly unmovedSince: Instant;
  /** Where given: it has an open case, or it is the desk's turn and no fact has moved it since then. */
  readonly stuckSince: Instant | undefined;
  readonly limit: number;
}

export interface OrderLine {
  readonly id: OrderId;
  readonly phase: string;
  readonly product: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Kinds of its open cases. */
  readonly cases: readonly string[];
}

const CASES = 'SELECT owner FROM attention WHERE closed_at IS NULL';
/** The longest unmoved of each set, from its own index; what is in several of them is listed once. */
const OLDEST = (set: string): string =>
  `SELECT id, updated_at FROM orders WHERE ${set} AND updated_at <= $1 ORDER BY updated_at, id LIMIT $2`;

const listed = (name: string, ...sets: readonly string[]): Statement => ({
  name,
  text: `WITH found AS (
      SELECT id FROM (${sets.map((set) => `(${set})`).join(' UNION ')}) AS all_sets ORDER BY updated_at, id LIMIT $2)
    SELECT o.id, o.phase, o.product, o.created_at, o.updated_at,
      (SELECT coalesce(array_agg(kind ORDER BY since, id), '{}') FROM attention WHERE owner = o.id AND closed_at IS NULL) AS kinds
    FROM orders AS o WHERE o.id IN (SELECT id FROM found) ORDER BY o.updated_at, o.id`,
});

const STUCK_SINCE = 'is_busy AND is_our_turn AND updated_at <= $3';
const UNFINISHED = listed(
  'order_lines',
  OLDEST('is_busy AND version > 0'),
  OLDEST('is_busy AND version = 0'),
  OLDEST(`id IN (${CASES})`),
);
const BY_PHASE = listed(
  'order_lines_by_phase',
  `SELECT one.* FROM unnest($3::text[]) AS p (name) CROSS JOIN LATERAL (${OLDEST('phase = p.name')}) AS one`,
);
const STUCK = listed('order_lines_stuck', OLDEST(`id IN (${CASES})`), OLDEST(STUCK_SINCE));
const STUCK_BY_PHASE = listed(
  'order_lines_stuck_by_phase',
  OLDEST(`id IN (${CASES}) AND phase = ANY ($4)`),
  OLDEST(`${STUCK_SINCE} AND phase = ANY ($4)`),
);

/** Orders as an operator looks for them: those that have stood still longest come first. */
export function openOrderLines(db: Db) {
  return async ({ phases, unmovedSince, stuckSince, limit }: OrdersAsked): Promise<readonly OrderLine[]> => {
    const ask = async (statement: Statement, ...more: readonly unknown[]) =>
      (await db.query(statement, [unmovedSince, limit, ...more])).map(line);
    if (stuckSince === undefined) return phases ? ask(BY_PHASE, phases) : ask(UNFINISHED);
    return phases ? ask(STUCK_BY_PHASE, stuckSince, phases) : ask(STUCK, stuckSince);
  };
}

const line = (row: Row): OrderLine => ({
  id: row.id as OrderId,
  phase: row.phase as string,
  product: row.product as string,
  createdAt: Number(row.created_at) as Instant,
  updatedAt: Number(row.updated_at) as Instant,
  cases: row.kinds as readonly string[],
});
