import type { Instant } from '../kernel/clock.ts';
import type { OrderId } from '../kernel/ids.ts';
import type { Db, Row, Statement } from './db.ts';

/** Which orders are listed: every condition that is given must hold. */
export interface OrdersAsked {
  /** Without phases: every order that is not done with yet. */
  readonly phases: readonly string[] | undefined;
  /** No fact has moved it since then. */
  readonly unmovedSince: Instant;
  /** Where given: it has an open case, or is in one of these phases and no fact has moved it since then. */
  readonly stuck: { readonly phases: readonly string[]; readonly unmovedSince: Instant } | undefined;
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

/** An order that gives money back waits for its customer until there is an address to send it to. */
const IS_OUR_TURN = `(o.phase <> 'refunding' OR jsonb_path_exists(o.doc, '$.claims[*] ? (@.stage == "pricing" || @.stage == "paying")'))`;

const LIST: Statement = {
  name: 'order_lines',
  text: `SELECT o.id, o.phase, o.product, o.created_at, o.updated_at, c.kinds
    FROM orders AS o CROSS JOIN LATERAL (
      SELECT coalesce(array_agg(kind ORDER BY since, id), '{}') AS kinds FROM attention WHERE owner = o.id AND closed_at IS NULL
    ) AS c
    WHERE CASE WHEN $1::text[] IS NULL THEN o.is_busy OR c.kinds <> '{}' ELSE o.phase = ANY ($1) END
      AND o.updated_at <= $2
      AND ($3::text[] IS NULL OR c.kinds <> '{}' OR (o.is_busy AND o.phase = ANY ($3) AND o.updated_at <= $4 AND ${IS_OUR_TURN}))
    ORDER BY o.updated_at, o.id LIMIT $5`,
};

/** Orders as an operator looks for them: those that have stood still longest come first. */
export function openOrderLines(db: Db) {
  return async ({ phases, unmovedSince, stuck, limit }: OrdersAsked): Promise<readonly OrderLine[]> => {
    const values = [phases ?? null, unmovedSince, stuck?.phases ?? null, stuck?.unmovedSince ?? null, limit];
    return (await db.query(LIST, values)).map(line);
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
