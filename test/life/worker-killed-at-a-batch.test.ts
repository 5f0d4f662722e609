import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { openSubmit } from '../../src/engine/submit.ts';
import { type Handlers, startWorker } from '../../src/engine/worker.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import { firstEffects } from '../../src/life/order/create.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { openCases } from '../../src/store/cases.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openOutbox } from '../../src/store/outbox.ts';
import { openPayments } from '../../src/store/payments.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { type Call, type Moment, Mortal } from '../crash/mortal.ts';
import { eventually } from '../run/patience.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { usdc } from './market.ts';
import { buyOrder, final, minute } from './world.ts';

const ORDERS = 8;
const MANY = 50;
const MOMENTS: readonly Moment[] = ['before', 'during', 'after'];
/** By it everything is due; it moves, for a successor looks for what was lost once a second. */
const clock = { now: () => instant(Date.now()) };

let url: string;
let db: Db;
let drop: () => Promise<void>;
before(async () => {
  const place = await testDatabase(async (fresh) => void (await migrate(fresh)));
  [url, drop] = [place.url, place.drop];
  db = openDb(url, 4);
  const addresses = Array.from({ length: ORDERS * MOMENTS.length + MANY }, (_, n) => `deposit ${n}` as Address);
  await openSightings(db, SEAL_KEY).issue('evm', 0, addresses);
});
after(async () => {
  await db.close();
  await drop();
});

let made = 100;
async function order(): Promise<OrderId> {
  made += 1;
  const { depositAddress: _, depositIndex: __, ...draft } = buyOrder();
  const id = `sw_${String(made).padStart(26, 'a')}` as OrderId;
  const owner = { sessionHash: id, integrationId: undefined, keyId: undefined, clientHash: 'c' };
  assert.ok(await openOrders(db).create({ ...draft, id }, owner, 'evm', firstEffects({ ...draft, id })));
  return id;
}

/** A worker for whom every order was paid; `screened` is told whose money comes to be screened. */
async function work(doors: Mortal, id: number, screened: (owner: string) => void) {
  const own = doors.openDb(url);
  const neverAsked = () => Promise.reject(new Error('nobody asks for this'));
  const known: Partial<Handlers> = {
    judge_deadline: async () => ({ fact: final(usdc('100'), minute(10)) }),
    screen_deposit: async ({ owner }) => {
      screened(owner);
      return 'done';
    },
  };
  const session = await own.session();
  const worker = await startWorker({
    ...{ outbox: openOutbox(own), cases: openCases(own, clock), clock, session, id },
    submit: openSubmit(openOrders(own), openPayments(own), RULES, clock),
    handlers: new Proxy(known as Handlers, { get: (all, kind) => Reflect.get(all, kind) ?? neverAsked }),
    log: { info() {}, warn: () => {}, error: () => {} },
    onLost: () => {},
    ...{ caseAfterMs: RULES.caseAfterMs, stockPatienceMs: RULES.stockPatienceMs },
  });
  return {
    async stop() {
      await worker.stop();
      await session.close();
      await own.close();
    },
  };
}

const LEFT = `SELECT o.id, o.version, (SELECT count(*)::int FROM history AS h WHERE h.order_id = o.id) AS facts,
    (SELECT count(*)::int FROM posting AS p WHERE p.owner = o.id) AS postings,
    (SELECT atoms::text FROM balance WHERE account = 'deposit:' || o.id) AS credited,
    (SELECT count(*)::int FROM effect AS e WHERE e.owner = o.id) AS effects
  FROM orders AS o WHERE id = ANY ($1) ORDER BY id`;

for (const [nth, moment] of MOMENTS.entries())
  test(`a worker that dies ${moment} the commit of ${ORDERS} steps is replaced, and each order is credited once`, async () => {
    const ids: OrderId[] = [];
    for (let n = 0; n < ORDERS; n += 1) ids.push(await order());
    const isBatch = ({ label, about }: Call) => label === 'step_commit' && about.length === ORDERS;
    const victim = new Mortal({ dies: (call) => (isBatch(call) ? moment : undefined) });
    await work(victim, 2 * nth + 1, () => assert.fail('it was dead by then'));
    await victim.death;

    const open = new Set<string>(ids);
    let allScreened = () => {};
    const screened = new Promise<void>((resolve) => {
      allScreened = resolve;
    });
    const successor = await work(new Mortal(), 2 * nth + 2, (owner) => {
      assert.ok(open.delete(owner), `${owner} was told twice`);
      if (open.size === 0) allScreened();
    });
    await screened;
    await successor.stop();
    const left = await db.query({ name: 'left', text: LEFT }, [ids]);
    assert.deepEqual(
      left,
      ids.map((id) => ({ id, version: 1, facts: 1, postings: 1, credited: '100000000', effects: 0 })),
    );
  });

const OPEN = 'SELECT 1 FROM effect WHERE owner = ANY ($1)';
const BALANCES = `SELECT account, asset FROM (
    SELECT to_account AS account, asset, atoms FROM posting UNION ALL SELECT from_account, asset, -atoms FROM posting
    UNION ALL SELECT account, asset, -atoms FROM balance) AS moved
  WHERE account <> 'world' GROUP BY account, asset HAVING sum(atoms) <> 0`;

test(`${MANY} orders under workers that die one after the other at a batch: each is credited once, and the books hold`, async () => {
  const ids: OrderId[] = [];
  for (let n = 0; n < MANY; n += 1) ids.push(await order());
  const open = new Set<string>(ids);
  let allScreened = () => {};
  const screened = new Promise<void>((resolve) => {
    allScreened = resolve;
  });
  const hear = (owner: string) => {
    open.delete(owner);
    if (open.size === 0) allScreened();
  };
  const moments = [...MOMENTS, ...MOMENTS];
  for (let id = 100; moments.length > 0 && open.size > 0; id += 1) {
    const isBatch = ({ label, about }: Call) => label === 'step_commit' && about.length > 1;
    const victim = new Mortal({ dies: (call) => (isBatch(call) ? moments.shift() : undefined) });
    await work(victim, id, hear);
    await Promise.race([victim.death, screened]);
    victim.die();
  }
  const last = await work(new Mortal(), 200, hear);
  await screened;
  // What a victim had told of before it died is told of once more.
  await eventually(async () => (await db.query({ name: 'open', text: OPEN }, [ids])).length === 0);
  await last.stop();
  assert.ok(moments.length <= MOMENTS.length, 'it died at each moment');
  const left = await db.query({ name: 'left', text: LEFT }, [ids]);
  assert.deepEqual(
    left,
    ids.map((id) => ({ id, version: 1, facts: 1, postings: 1, credited: '100000000', effects: 0 })),
  );
  assert.deepEqual(await db.query({ name: 'books', text: BALANCES }), []);
});
