import assert from 'node:assert/strict';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { commitsInTurns } from '../../src/engine/commits.ts';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import {
  type Address,
  type AssetId,
  assetId,
  chainId,
  type OrderId,
  type TokenId,
  txHash,
} from '../../src/kernel/ids.ts';
import { firstEffects } from '../../src/life/order/create.ts';
import type { Order } from '../../src/life/order/order.ts';
import { newPayment } from '../../src/life/payment/payment.ts';
import type { LedgerAccount, Posting } from '../../src/life/payment/posting.ts';
import { type Db, openDb, type Statement } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { type Orders, openOrders } from '../../src/store/orders.ts';
import { openSightings } from '../../src/store/sightings.ts';
import type { Commit } from '../../src/store/steps.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { buyOrder, minute, place } from './world.ts';

export const AT = minute(10);
export const X = assetId(chainId(1), 'x' as TokenId);
export const Y = assetId(chainId(1), 'y' as TokenId);
const STOCK = 1_000n;
/** No batch takes all that is there of it together, and none finds so much. */
const [LITTLE, MORE_THAN_THERE_IS] = [1n, 10_000n];

export const TROUBLES = [
  'none',
  'none',
  'none',
  'treasury short',
  'own account short',
  'stale order',
  'stale payment',
  'told before',
  'other payee',
  'posting of nothing',
  'token of another',
] as const;

export interface Plan {
  readonly order: number;
  readonly trouble: (typeof TROUBLES)[number];
  readonly takes: boolean;
  readonly gives: boolean;
  readonly pays: boolean;
  readonly effects: number;
  readonly raises: boolean;
}

export const QUIET: Plan = {
  order: 0,
  trouble: 'none',
  takes: false,
  gives: false,
  pays: false,
  effects: 0,
  raises: false,
};

/** What becomes of the statement that commits a batch: its answer is lost, before it was heard or after it took effect. */
export type Loss = 'none' | 'before' | 'after';

export interface Room {
  readonly db: Db;
  readonly said: string[];
  loss: Loss;
  /** A second process over the same database. */
  readonly other: Orders['commit'];
  readonly commit: Orders['commit'];
  /** In one statement, whoever they are of. */
  readonly commitAll: Orders['commitAll'];
  make(nth: number): Promise<Order>;
  close(): Promise<void>;
}

export async function openRoom(): Promise<Room> {
  const place = await testDatabase(async (url) => void (await migrate(url)));
  const db = openDb(place.url, 6);
  const said: string[] = [];
  const heard: Db = {
    ...db,
    query: (statement, values) => {
      const steps = statement.name === 'step_commit' ? (JSON.parse(String(values?.[0])) as unknown[]).length : 0;
      said.push(steps > 1 ? 'together' : statement.name);
      return steps > 1 ? lost(room.loss, () => db.query(statement, values)) : db.query(statement, values);
    },
  };
  const orders = openOrders(heard);
  const givenUp = (count: number) => void said.push(`${count} alone`);
  let addresses = 0;
  const room: Room = {
    ...{
      db,
      said,
      loss: 'none',
      commit: commitsInTurns(orders, givenUp),
      other: commitsInTurns(openOrders(heard), givenUp),
    },
    commitAll: orders.commitAll,
    async make(nth) {
      addresses += 1;
      await openSightings(db, SEAL_KEY).issue('evm', addresses, [`deposit ${addresses}` as Address]);
      const { depositAddress: _, depositIndex: __, ...draft } = buyOrder();
      const id = `sw_${String(nth).padStart(26, 'a')}` as OrderId;
      const integrationId = nth % 2 === 0 ? 'int_told' : undefined;
      const owner = { sessionHash: id, integrationId, keyId: undefined, clientHash: 'c' };
      const made = await orders.create({ ...draft, id }, owner, 'evm', firstEffects({ ...draft, id }));
      return made && 'order' in made ? made.order : assert.fail('an address was ready');
    },
    async close() {
      await db.close();
      await place.drop();
    },
  };
  const partner = `INSERT INTO integration (id, name, fee_percent, fee_address, created_at, updated_at) VALUES ('int_told', 'Told', 0, '0x', 1, 1)`;
  await db.query({ name: 'partner', text: partner });
  const listens = `INSERT INTO webhook (id, integration_id, url, status, created_at) VALUES ('wh', 'int_told', 'https://x', 'active', 1)`;
  await db.query({ name: 'listens', text: listens });
  await room.commit({
    ...NOTHING,
    owner: 'treasury',
    key: 'stock',
    postings: [posting('world', 'treasury', X, STOCK)],
  });
  return room;
}

async function lost<T>(loss: Loss, ask: () => Promise<T>): Promise<T> {
  if (loss === 'none') return ask();
  if (loss === 'after') await ask();
  throw new Fault('ambiguous', 'database', 'the answer was lost');
}

/** All that a step can leave behind, without what the database numbers or makes up by itself. */
const LEFT: readonly Statement[] = [
  ['orders', 'id, version, phase, is_open, is_busy, observed, refund_to, doc'],
  ['history', 'order_id, version, key, phase, fact, at'],
  ['posting', 'owner, from_account, to_account, asset, atoms, at'],
  ['balance', 'account, asset, atoms'],
  ['payment', 'id, owner, version, asset, atoms, to_address, state, doc'],
  ['attempt', 'chain_id, tx_hash, intent, payment, raw, consumes, cost'],
  ['exclusivity', 'token, intent'],
  ['effect', 'key, owner, kind, lane, turn, body, due_at, claimed_by'],
  ['attention', 'owner, kind, subject, doc, since, closed_at'],
  ['integrator_order', 'order_id, status, last_seq, volume_usd'],
  ['integrator_change', 'integration_id, day, sign, status'],
  ['webhook_message', 'integration_id, type, at, order_id, seq, order_version, order_doc'],
  ['webhook_delivery', 'webhook_id, line, seq, state, created_at'],
].map(([table, columns]) => ({
  name: `left_${table}`,
  text: `SELECT '${table}' AS t, ${columns} FROM ${table} ORDER BY ${columns}`,
}));
export const left = async ({ db }: Room) => Promise.all(LEFT.map((one) => db.query(one)));

const SOUND: Readonly<Record<string, string>> = {
  balances: `SELECT account, asset FROM (
      SELECT to_account AS account, asset, atoms FROM posting UNION ALL SELECT from_account, asset, -atoms FROM posting
      UNION ALL SELECT account, asset, -atoms FROM balance) AS moved
    WHERE account <> 'world' GROUP BY account, asset HAVING sum(atoms) <> 0`,
  versions: `SELECT o.id FROM orders AS o
    WHERE o.version <> (SELECT count(*) FROM history AS h WHERE h.order_id = o.id)
       OR o.version <> (SELECT coalesce(max(h.version), 0) FROM history AS h WHERE h.order_id = o.id)`,
};
/** Whatever it is compared with: postings make the balances, and each order has taken as many steps as it was told facts. */
export async function isSound({ db }: Room): Promise<void> {
  for (const [what, text] of Object.entries(SOUND))
    assert.deepEqual(await db.query({ name: `sound_${what}`, text }), [], what);
}

/** A function of the database with another text. */
export async function replant({ db }: Room, name: string, change: (text: string) => string): Promise<void> {
  const [row] = await db.query({ name: 'text_of', text: 'SELECT pg_get_functiondef($1::regproc) AS text' }, [name]);
  const [before, after] = [String(row?.text), change(String(row?.text))];
  assert.notEqual(after, before, `${name} has another text`);
  await db.query({ name: 'replant', text: after });
}

export const NOTHING = { at: AT, postings: [], payments: [], effects: [], cases: [], over: [] } as const;
export const posting = (from: LedgerAccount, to: LedgerAccount, asset: AssetId, sum: bigint): Posting => ({
  from,
  to,
  amount: amount(asset, sum),
});

/** A step of an order, with everything that the plan wants to be true together with it. */
export function stepOf(order: Order, { trouble, ...wants }: Plan, earlier: string): Commit {
  const { id, version } = order;
  const own: LedgerAccount = `order:${id}`;
  const purpose = { for: 'payout', number: version } as const;
  const payment = newPayment({
    owner: id,
    purpose,
    from: 'hot',
    amount: amount(X, 5n),
    to: 'customer' as Address,
    source: own,
  });
  const isStalePayment = trouble === 'stale payment';
  const payments = wants.pays || isStalePayment ? [isStalePayment ? { ...payment, version: 7 } : payment] : [];
  const token = trouble === 'token of another' ? 'nonce 0' : `nonce of ${payment.id}`;
  const signed = { intent: payment.id, chainId: chainId(1), txHash: txHash(`0x${payment.id}`), raw: '0x1' };
  const attempt = { ...signed, consumes: [token], cost: atoms(1n), payment: payment.id };
  const after: Order = {
    ...order,
    ...{ version: version + 1, updatedAt: AT, waitClosed: true },
    refundTo: trouble === 'other payee' ? place(X, `mallory ${version}`) : place(X, 'home'),
    payments: [...order.payments, ...payments],
  };
  return {
    ...{ ...NOTHING, owner: id, key: trouble === 'told before' ? earlier : `${id}:${version}`, completes: `${id}:0:0` },
    order: {
      ...{ after, fact: { fact: 'deadline_passed', at: AT } },
      from: trouble === 'stale order' ? version - 1 : version,
    },
    news: ['order.notice'],
    postings: [
      ...(wants.takes ? [posting('treasury', own, X, LITTLE)] : []),
      ...(wants.gives ? [posting('world', 'fees', Y, 3n), posting('world', own, Y, 2n)] : []),
      ...(trouble === 'treasury short' ? [posting('treasury', own, X, MORE_THAN_THERE_IS)] : []),
      ...(trouble === 'own account short' ? [posting(own, 'world', X, STOCK)] : []),
      ...(trouble === 'posting of nothing' ? [posting('world', own, X, 0n)] : []),
    ],
    payments,
    ...(payments.length > 0 || trouble === 'token of another' ? { attempt } : {}),
    effects: Array.from({ length: wants.effects }, (_, n) => ({
      key: `${id}:${version + 1}:${n}`,
      effect: { effect: 'reserve_payout' },
    })),
    cases: wants.raises ? [{ case: 'inventory_short', asset: X }] : [],
    over: wants.raises ? [] : [{ case: 'inventory_short' }],
  };
}
