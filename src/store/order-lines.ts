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

/** Spelled as in the index over them: an order that gives money back waits for its customer until it has an address. */
const IS_OUR_TURN = `is_busy AND (phase <> 'refunding'
      OR jsonb_path_exists(doc, '$.claims[*] ? (@.stage == "pricing" || @.stage == "paying")'))`;

const CASES = `SELECT owner FROM attention WHERE closed_at IS NULL`;
/** The longest unmoved of each set, from its own index; what is in several of them is listed once. */
const OLDEST = (set: string): string =>
  `SELECT id, updated_at FROM orders WHERE ${set} AND updated_at <= $1 ORDER BY updated_at, id LIMIT $2`;
const OF_PHASES = (phases: string, set: string): string =>
  `SELECT one.* FROM unnest(${phases}::text[]) AS p (name) CROSS JOIN LATERAL (${OLDEST(`phase = p.name AND ${set}`)}) AS one`;

const listed = (name: string, ...sets: readonly string[]): Statement => ({
  name,
  text: `WITH found AS (
      SELECT id FROM (${sets.map((set) => `(${set})`).join(' UNION ')}) AS all_sets ORDER BY updated_at, id LIMIT $2)
    SELECT o.id, o.phase, o.product, o.created_at, o.updated_at,
      (SELECT coalesce(array_agg(kind ORDER BY since, id), '{}') FROM attention WHERE owner = o.id AND closed_at IS NULL) AS kinds
    FROM orders AS o WHERE o.id IN (SELECT id FROM found) ORDER BY o.updated_at, o.id`,
});

const WITH_CASES = OLDEST(`id IN (${CASES})`);
const UNFINISHED = listed(
  'order_lines',
  OLDEST("is_busy AND phase <> 'awaiting_deposit'"),
  OLDEST("phase = 'awaiting_deposit'"),
  WITH_CASES,
);
const BY_PHASE = listed('order_lines_by_phase', OF_PHASES('$3', 'true'));
const STUCK = listed('order_lines_stuck', WITH_CASES, OF_PHASES('$3', `updated_at <= $4 AND ${IS_OUR_TURN}`));
const STUCK_BY_PHASE = listed(
  'order_lines_stuck_by_phase',
  OLDEST(`id IN (${CASES}) AND phase = ANY ($3)`),
  OF_PHASES(
    'ARRAY(SELECT unnest($3::text[]) INTERSECT SELECT unnest($4::text[]))',
    `updated_at <= $5 AND ${IS_OUR_TURN}`,
  ),
);

/** Orders as an operator looks for them: those that have stood still longest come first. */
export function openOrderLines(db: Db) {
  return async ({ phases, unmovedSince, stuck, limit }: OrdersAsked): Promise<readonly OrderLine[]> => {
    const ask = async (statement: Statement, ...more: readonly unknown[]) =>
      (await db.query(statement, [unmovedSince, limit, ...more])).map(line);
    if (!stuck) return phases ? ask(BY_PHASE, phases) : ask(UNFINISHED);
    const { phases: ours, unmovedSince: since } = stuck;
    return phases ? ask(STUCK_BY_PHASE, phases, ours, since) : ask(STUCK, ours, since);
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
