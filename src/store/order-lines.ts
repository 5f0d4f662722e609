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

const LIST: Statement = {
  name: 'order_lines',
  text: `SELECT o.id, o.phase, o.product, o.created_at, o.updated_at, c.kinds
    FROM orders AS o CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(kind ORDER BY since, id), '{}') AS kinds FROM attention WHERE owner = o.id AND closed_at IS NULL
    ) AS c
    WHERE CASE WHEN $1::text[] IS NULL THEN o.is_busy OR c.kinds <> '{}' ELSE o.phase = ANY ($1) END
      AND o.updated_at <= $2
      AND ($3::bigint IS NULL OR c.kinds <> '{}' OR (o.is_busy AND o.is_our_turn AND o.updated_at <= $3))
    ORDER BY o.updated_at, o.id LIMIT $4`,
};

/** Orders as an operator looks for them: those that have stood still longest come first. */
export function openOrderLines(db: Db) {
  return async ({ phases, unmovedSince, stuckSince, limit }: OrdersAsked): Promise<readonly OrderLine[]> =>
    (await db.query(LIST, [phases ?? null, unmovedSince, stuckSince ?? null, limit])).map(line);
}

const line = (row: Row): OrderLine => ({
  id: row.id as OrderId,
  phase: row.phase as string,
  product: row.product as string,
  createdAt: Number(row.created_at) as Instant,
  updatedAt: Number(row.updated_at) as Instant,
  cases: row.kinds as readonly string[],
});
