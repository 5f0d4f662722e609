import { present } from '../kernel/assert.ts';
import type { Instant } from '../kernel/clock.ts';
import type { Address, OrderId } from '../kernel/ids.ts';
import type { Draft } from '../life/order/create.ts';
import type { Effect } from '../life/order/effect.ts';
import type { Generation, Order } from '../life/order/order.ts';
import { firstNews } from '../life/order/view/news.ts';
import { reportRow } from '../life/order/view/report.ts';
import type { Payment } from '../life/payment/payment.ts';
import { decode, encode } from './codec.ts';
import type { Db, Row, Statement } from './db.ts';
import { encodeEffect } from './outbox.ts';
import { openSteps, type Writer, written } from './steps.ts';
import { type StoredOrder, storedOrder, upgrade } from './stored-order.ts';

/** Who may read and act; hashes only, the credentials themselves are never stored. */
export interface Ownership {
  readonly sessionHash: string;
  readonly integrationId: string | undefined;
  readonly keyId: string | undefined;
  /** Hash of the caller's network (IPv6 by /64), for the open-orders limit. */
  readonly clientHash: string;
  /** Hash of the end user's address, where the partner's server named one. */
  readonly endUserHash?: string;
}

/** An order that is to be made: whose it is, where its deposit comes to, and what it begins with. */
export interface Creation {
  readonly draft: Draft;
  readonly owner: Ownership;
  readonly space: string;
  readonly effects: readonly Effect[];
  readonly limits: readonly OpenLimit[];
}

/** How many orders somebody may have open at once, of those made since then. */
export interface OpenLimit {
  readonly of: 'client' | 'integration';
  /** The hash of the client, or the integration's id. */
  readonly whose: string;
  readonly since: Instant;
  /** At least one: where there is no limit none is given. */
  readonly most: number;
}

/** The limit that had no room for one more. */
export interface Full {
  readonly full: OpenLimit;
}

export interface Placed {
  readonly order: Order;
  readonly owner: Ownership;
}

const COLUMNS = `id, version, updated_at, session_hash, integration_id, key_id, client_hash, deposit_index, deposit_address, doc,
  (SELECT jsonb_agg(p.doc ORDER BY p.seq) FROM payment AS p WHERE p.owner = o.id) AS payments`;

const CREATE: Statement = {
  name: 'orders_create',
  text: 'SELECT place, deposit_index, deposit_address, full_limit FROM place_orders($1::jsonb)',
};
const FIND: Statement = { name: 'order_find', text: `SELECT ${COLUMNS} FROM orders AS o WHERE id = ANY ($1)` };
const BY_SESSION: Statement = {
  name: 'orders_by_session',
  text: `SELECT ${COLUMNS} FROM orders AS o
    WHERE session_hash = ANY ($1) AND generation = $2 AND ($4::bigint IS NULL OR (created_at, id) < ($4, $5))
    ORDER BY created_at DESC, id DESC LIMIT $3`,
};
const BY_IDS: Statement = {
  name: 'orders_by_ids',
  text: `SELECT ${COLUMNS} FROM orders AS o WHERE id = ANY($1) AND integration_id = $2 AND generation = $3`,
};
/** Nobody needs to know by how many a limit is passed. */
const OPEN_COUNT = (column: 'client_hash' | 'integration_id'): Statement => ({
  name: `orders_open_by_${column}`,
  text: `SELECT count(*) AS n FROM (SELECT 1 FROM orders WHERE is_open AND ${column} = $1 AND created_at > $2 LIMIT $3) AS counted`,
});
const OPEN_OF_CLIENT = OPEN_COUNT('client_hash');
const OPEN_OF_INTEGRATION = OPEN_COUNT('integration_id');
/** Walked through in pages, however many wait for something else: nobody is left out because others stand before him. */
const IDLE_PAGE_OF = (name: string, which: string): Statement => ({
  name,
  text: `SELECT id, updated_at, (SELECT true FROM effect WHERE owner = orders.id LIMIT 1) AS has_work FROM orders
    WHERE ${which} AND (updated_at, id) > ($1, $2) ORDER BY updated_at, id LIMIT $3`,
});
const IDLE = IDLE_PAGE_OF('orders_idle', 'is_busy AND version > 0');
/** An order that is as it was made waits for a deposit, and needs nothing before its time is up. */
const OVERDUE = IDLE_PAGE_OF('orders_overdue', 'is_busy AND version = 0 AND updated_at < $4');
/** So many orders are looked at by one statement. */
const IDLE_PAGE = 100;

export function openOrders(db: Db, writer: Writer = 'engine') {
  async function createAll(all: readonly Creation[]): Promise<readonly (Placed | Full | undefined)[]> {
    const rows = await db.query(CREATE, [`[${all.map(encodeDraft).join(',')}]`]);
    const byPlace = new Map(rows.map((row) => [Number(row.place), row]));
    return all.map((one, at) => {
      const row = byPlace.get(at + 1);
      return row && created(one, row);
    });
  }

  return {
    /** undefined: no deposit address is ready. Limits are exact over all processes: the count and the order are one transaction. */
    async create(
      draft: Draft,
      owner: Ownership,
      space: string,
      effects: readonly Effect[],
      limits: readonly OpenLimit[] = [],
    ): Promise<Placed | Full | undefined> {
      const [made] = await createAll([{ draft, owner, space, effects, limits }]);
      return made;
    },

    /** The same for several, in one transaction. */
    createAll,

    async find(id: OrderId): Promise<Placed | undefined> {
      const [row] = await db.query(FIND, [[id]]);
      return row && placed(row);
    },

    /** Those that there are, in no order. */
    async findAll(ids: readonly OrderId[]): Promise<readonly Placed[]> {
      return (await db.query(FIND, [ids])).map(placed);
    },

    async bySession(
      sessionHashes: readonly string[],
      generation: Generation,
      limit: number,
      before?: { readonly createdAt: Instant; readonly id: OrderId },
    ): Promise<readonly Placed[]> {
      const rows = await db.query(BY_SESSION, [
        sessionHashes,
        generation,
        limit,
        before?.createdAt ?? null,
        before?.id ?? null,
      ]);
      return rows.map(placed);
    },

    async byIds(ids: readonly OrderId[], integrationId: string, generation: Generation): Promise<readonly Placed[]> {
      return (await db.query(BY_IDS, [ids, integrationId, generation])).map(placed);
    },

    /** As many as `most` of them, at the most. */
    async countOpen(
      of: { readonly clientHash: string } | { readonly integrationId: string },
      since: Instant,
      most: number | undefined,
    ): Promise<number> {
      const [statement, whose] =
        'clientHash' in of ? [OPEN_OF_CLIENT, of.clientHash] : [OPEN_OF_INTEGRATION, of.integrationId];
      const [row] = await db.query(statement, [whose, since, most ?? null]);
      return Number(row?.n ?? 0);
    },

    /**
     * Orders that nothing works on although something must happen: a queue lost them, or they wait for the chain or the customer. Those
     * that wait for a deposit are among them when no fact has moved them since then.
     */
    async *idle(unpaidSince: Instant): AsyncGenerator<Order> {
      for (const [statement, ...more] of [[IDLE], [OVERDUE, unpaidSince]] as const) {
        let after: readonly [number, string] | undefined = [0, ''];
        while (after) {
          const rows: readonly Row[] = await db.query(statement, [...after, IDLE_PAGE, ...more]);
          const idle = rows.filter((row) => row.has_work === null).map((row) => row.id as OrderId);
          if (idle.length > 0) yield* (await db.query(FIND, [idle])).map((row) => placed(row).order);
          const last = rows.length < IDLE_PAGE ? undefined : rows.at(-1);
          after = last && [Number(last.updated_at), last.id as string];
        }
      }
    },

    ...openSteps(db, writer),
  };
}

export type Orders = ReturnType<typeof openOrders>;

function placed(row: Row): Placed {
  const order: Order = {
    ...upgrade(decode<StoredOrder>(row.doc)),
    version: Number(row.version),
    updatedAt: Number(row.updated_at) as Instant,
    depositIndex: Number(row.deposit_index),
    depositAddress: row.deposit_address as Address,
    payments: decode<readonly Payment[] | null>(row.payments) ?? [],
  };
  return {
    order,
    owner: {
      sessionHash: row.session_hash as string,
      integrationId: (row.integration_id as string | null) ?? undefined,
      keyId: (row.key_id as string | null) ?? undefined,
      clientHash: row.client_hash as string,
    },
  };
}

function created({ draft, owner, limits }: Creation, row: Row): Placed | Full {
  if (row.full_limit !== null) return { full: present(limits[Number(row.full_limit)], 'a limit of this order') };
  const order: Order = {
    ...draft,
    depositIndex: Number(row.deposit_index),
    depositAddress: row.deposit_address as Address,
  };
  return { order, owner };
}

function encodeDraft({ draft, owner, space, effects, limits }: Creation): string {
  const head = {
    id: draft.id,
    generation: draft.generation,
    product: draft.product,
    phase: draft.state.phase,
    ...owner,
    createdAt: draft.createdAt,
    expiresAt: draft.expiresAt,
    space,
    limits,
    asked: draft.asked.atoms.toString(),
    expected: draft.expected.atoms.toString(),
    destination: draft.destination.address,
    refundTo: written(draft.refundTo),
    fromAsset: draft.from.id,
    fromCoin: draft.from.native,
    effects: effects.map((effect, index) => encodeEffect({ key: `${draft.id}:0:${index}`, effect }, draft.createdAt)),
  };
  return encode({ ...head, doc: storedOrder(draft), report: reportRow(draft), news: firstNews(draft) });
}
