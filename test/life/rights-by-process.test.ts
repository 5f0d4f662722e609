import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import { scanner } from '../../src/app/scanners.ts';
import { openSubmit } from '../../src/engine/submit.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import { type Draft, firstEffects } from '../../src/life/order/create.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { openCases } from '../../src/store/cases.ts';
import { type Db, openDb, type Statement } from '../../src/store/db.ts';
import { openBreakers } from '../../src/store/gates.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openOutbox } from '../../src/store/outbox.ts';
import { openPayments } from '../../src/store/payments.ts';
import { openQuota } from '../../src/store/quota.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { FORGED_BIRTHS, FORGED_PARTS, feesTaken } from './forged-orders.ts';
import { ENDS, usdc } from './market.ts';
import { scriptedChain, transfer } from './scripted-chain.ts';
import { buyOrder } from './world.ts';

const MAY_NOT = { code: '42501' };
const NOT_TO_AN_ORDER = { code: 'WH004' };
const SPACE = 'stories';
const LOGINS = ['owner', 'api', 'engine'] as const;
type Login = (typeof LOGINS)[number];

let place: Awaited<ReturnType<typeof testDatabase>>;
let admin: pg.Client;
let url: Record<Login, string>;
let dbs: Record<Login, Db>;

const prepare = async (fresh: string) => void (await migrate(fresh));
const as = (user: string, at = place.url) => Object.assign(new URL(at), { username: user, password: 'x' }).href;

before(async () => {
  place = await testDatabase(prepare);
  admin = new pg.Client({ connectionString: place.url });
  await admin.connect();
  for (const role of ['api', 'engine'])
    await admin.query(`CREATE ROLE the_${role} LOGIN PASSWORD 'x' IN ROLE wherry_${role}`);
  url = { owner: place.url, api: as('the_api'), engine: as('the_engine') };
  dbs = { owner: openDb(url.owner, 2), api: openDb(url.api, 2), engine: openDb(url.engine, 2) };
});
after(async () => {
  for (const login of LOGINS) await dbs[login].close();
  await admin.end();
  await place.drop();
});

let asked = 0;
const run = (login: Login, text: string, values: readonly unknown[] = []): Promise<unknown> => {
  asked += 1;
  const statement: Statement = { name: `rights_${asked}`, text };
  return dbs[login].query(statement, values);
};

const clock = { now: () => instant(1_000) };
const rules = RULES;

/** As the API makes an order, at an address that the engine has laid ready. */
async function order(): Promise<OrderId> {
  asked += 1;
  const { sightings } = openEngineBooks(dbs.engine, clock, SEAL_KEY);
  await sightings.issue(SPACE, asked, [`deposit ${asked}` as Address]);
  const id = `sw_${String(asked).padStart(26, 'a')}` as OrderId;
  const made = draft(id);
  assert.ok(await openOrders(dbs.api, 'api').create(made, CUSTOMER, SPACE, firstEffects(made)));
  return id;
}

const CUSTOMER = { sessionHash: 's', integrationId: undefined, keyId: undefined, clientHash: 'c' };
function draft(id: OrderId): Draft {
  const { depositAddress: _, depositIndex: __, ...made } = buyOrder();
  return { ...made, id, deposits: 'top_up' };
}

describe('with logins of their own', () => {
  test('the engine scans, credits and instructs, and the API makes orders and carries customers’ words, as ever', async () => {
    const id = await order();
    const books = openEngineBooks(dbs.engine, clock, SEAL_KEY);
    const submit = openSubmit(books.orders, books.payments, rules, clock);
    const script = scriptedChain({ ...ENDS.buy.chain, family: SPACE });
    const idle = { worth: async () => undefined, onLeft: async () => {}, keepOwn: async () => {} };
    const parts = { ...idle, books, submit, rules, clock, everyMs: 1, venueChain: ENDS.bridge_out.chain.id };
    const round = scanner({ chain: script.chain, scanFrom: undefined, outputPool: undefined }, parts);
    await round();
    const placed = await books.orders.find(id);
    script.mine(1, transfer('part', placed?.order.depositAddress as Address, usdc('60')));
    for (let n = 0; n < 6; n += 1) {
      script.mine(1);
      await round();
    }
    const paid = (await books.orders.find(id))?.order;
    assert.deepEqual([paid?.state.phase, paid?.funds.confirmed], ['awaiting_deposit', usdc('60')]);
    // As the version before had stored it: an order that waits for its customer is written by nobody else meanwhile.
    await run('owner', `UPDATE orders SET doc = jsonb_set(doc, '{shape}', '1') WHERE id = $1`, [id]);
    const api = openSubmit(openOrders(dbs.api, 'api'), openPayments(dbs.api), rules, clock);
    assert.equal(await api.submit(id, 'close', { fact: 'wait_closed', at: clock.now() }), 'taken');
    assert.equal((await books.orders.find(id))?.order.state.phase, 'screening');
    assert.ok((await books.payments.attempts(`${id}:payout:0` as never)).length === 0);
    assert.equal(await openBreakers(dbs.api, clock).isOpen('payouts'), undefined);
    assert.ok('left' in (await openQuota(dbs.api).take([{ name: 'x', limit: 5 }], clock.now())));
    const asked = { buckets: [{ name: 'x', limit: 5 }], now: clock.now() };
    assert.equal((await openQuota(dbs.api).takeAll([asked, asked])).length, 2);
    await assert.rejects(run('api', `SELECT * FROM place_orders('[{}]')`), NOT_TO_AN_ORDER);
    await assert.rejects(run('engine', `SELECT * FROM place_orders('[{}]')`), MAY_NOT);
    await openCases(dbs.engine, clock).raise('treasury', { case: 'round_failed', round: 'x', reason: 'y' });
    assert.equal((await openCases(dbs.api, clock).list()).length, 1);
    assert.equal(await openOutbox(dbs.api).wakeTroubledOf(id, clock.now()), 0);
    const take = (n: number) => books.payments.takeNonce(`${id}:payout:${n}` as never, ENDS.buy.chain.id, 'hot', 3);
    assert.deepEqual([await take(0), await take(1)], [3, 4]);
    await books.payments.returnNonce(`${id}:payout:0` as never);
    await books.journal.keepNonce(ENDS.buy.chain.id, 'hot', 3);
    assert.equal(await take(2), 3, 'what came back is taken up');
    await books.journal.hold({ seq: 0, hash: '0'.repeat(64) }, 'a word');
    await books.journal.release();
  });

  const FORGED = `INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, height, block_hash, first_seen_at, state, credited)
    VALUES (42161, 'forged', '${SPACE}', 'deposit 1', 'x', 1, '0x', 1, '0x', 1, 'final', 1)`;

  test('the API can neither forge a deposit, nor touch the ledger, payments, orders or what the signer knows', async () => {
    const id = await order();
    for (const text of [
      FORGED,
      `UPDATE sighting SET state = 'final', credited = 10`,
      `UPDATE balance SET atoms = atoms + 1`,
      `INSERT INTO balance (account, asset, atoms) VALUES ('order:${id}', 'x', 1)`,
      `INSERT INTO posting (owner, from_account, to_account, asset, atoms, at) VALUES ('${id}', 'world', 'order:${id}', 'x', 1, 1)`,
      `SELECT post_steps(ARRAY['{"owner": "${id}", "at": 1, "postings": [{"from": "world", "to": "order:${id}", "asset": "x", "atoms": "1"}]}']::jsonb[])`,
      `UPDATE payment SET to_address = 'mallory'`,
      `SELECT save_step_payments(ARRAY['{"at": 1, "payments": [{"version": 1, "id": "x"}]}']::jsonb[])`,
      `UPDATE orders SET doc = '{}' WHERE id = '${id}'`,
      `DELETE FROM orders`,
      `UPDATE deposit_address SET order_id = '${id}'`,
      `INSERT INTO orders (id) VALUES ('x')`,
      `SELECT commit_reported_step('{"owner": "${id}", "order": {"from": 0}}')`,
      `SELECT commit_steps('[{"owner": "${id}", "order": {"from": 0}}]')`,
      `UPDATE attempt SET dead_proof = 'I say so'`,
      `INSERT INTO delivery (chain_id, key, deal) VALUES (1, 'x', 'y')`,
      `UPDATE journal_mark SET held = NULL`,
      `SELECT begin_journal('0', 1, true)`,
      `UPDATE account_nonce SET next = 0`,
      `DELETE FROM effect`,
      `UPDATE migration SET digest = 'x'`,
      `UPDATE order_guard SET changes = '{funds}'`,
      `SELECT grant_rights()`,
      `CREATE TABLE mine (x int)`,
      `SET ROLE wherry_engine`,
    ])
      await assert.rejects(run('api', text), MAY_NOT, text);
    // Whoever has the owner's login writes it: this is what one login for all processes gives away.
    await run('owner', FORGED);
    await run('owner', `DELETE FROM sighting WHERE key = 'forged'`);
  });

  test('what the API may have written for an order is checked by the database: no payment, no credit, no money from elsewhere', async () => {
    const id = await order();
    const stored = await run('owner', 'SELECT doc FROM orders WHERE id = $1', [id]);
    const [{ doc }] = stored as readonly [{ readonly doc: object }];
    const command = (change: object = {}, after: object = {}) => ({
      ...{ owner: id, key: `hostile ${asked}`, at: 1, postings: [], payments: [], effects: [], cases: [], over: [] },
      ...{ fact: { fact: 'wait_closed' }, order: { ...ORDER_COLUMNS, doc: { ...doc, ...after } } },
      ...change,
    });
    const tell = (body: object) => run('api', 'SELECT commit_command($1::jsonb)', [JSON.stringify(body)]);
    const posting = (from: string, to: string) => ({ postings: [{ from, to, asset: 'x', atoms: '1' }] });
    const { order: _, ...nobody } = command();
    for (const body of [
      nobody,
      command({ attempt: {} }),
      command({ completes: 'x' }),
      command({ payments: [{ id: `${id}:payout:0`, version: 0 }] }),
      command(posting('world', `order:${id}`)),
      command(posting('treasury', `order:${id}`)),
      command(posting('fees', 'order:another')),
      command(posting('fees', `order:${id}`)),
      command({ fact: { fact: 'deposit_observed' } }),
      command({ fact: {} }),
      command({}, { funds: { confirmed: { asset: 'x', atoms: { $n: '9' } } } }),
    ])
      await assert.rejects(tell(body), NOT_TO_AN_ORDER, JSON.stringify(body).slice(0, 200));
    for (const [part, value] of Object.entries(FORGED_PARTS))
      await assert.rejects(tell(command({}, { [part]: value })), NOT_TO_AN_ORDER, part);
    // What was taken of it may go back, and no more.
    await run('owner', 'SELECT post_steps($1::jsonb[])', [feesTaken(id, '3')]);
    const back = (atoms: string) => command({ postings: [{ from: 'fees', to: `order:${id}`, asset: 'x', atoms }] });
    await assert.rejects(tell(back('4')), NOT_TO_AN_ORDER);
    assert.deepEqual(await tell(back('3')), [{ commit_command: 'ok' }]);
    const moved = command({ key: 'another' }, { route: 'as it was before the order moved' });
    assert.deepEqual(await tell(moved), [{ commit_command: 'stale' }]);
  });

  test('what the API makes is a new order, of which nothing has come and nothing become', async () => {
    const changed = 'SELECT place_orders(jsonb_build_array(jsonb_set($1::jsonb -> 0, $2, $3)))';
    const place = (path: string, value: unknown) => run('api', changed, [fresh, path, JSON.stringify(value)]);
    let fresh = '';
    const listening = async (_: Statement, [body]: readonly unknown[] = []) => {
      fresh = body as string;
      return [];
    };
    const made = draft(`sw_${'f'.repeat(26)}` as OrderId);
    const api = openOrders({ ...dbs.api, query: listening as never }, 'api');
    await api.create(made, CUSTOMER, SPACE, firstEffects(made));
    for (const [path, value] of FORGED_BIRTHS) await assert.rejects(place(path, value), NOT_TO_AN_ORDER, path);
    // The same without a change, at an address that is ready.
    asked += 1;
    await openEngineBooks(dbs.engine, clock, SEAL_KEY).sightings.issue(SPACE, asked, [`deposit ${asked}` as Address]);
    assert.equal(((await place('{phase}', 'awaiting_deposit')) as unknown[]).length, 1);
  });

  test('the engine reads nothing of partners’ keys and sessions, and makes no orders', async () => {
    for (const text of [
      'SELECT * FROM integration_key',
      'SELECT * FROM partner_session',
      `UPDATE integration SET name = 'x'`,
      'DELETE FROM switch',
      `INSERT INTO orders (id) VALUES ('x')`,
      `SELECT place_orders('[{}]')`,
      'DELETE FROM posting',
      'DELETE FROM attempt',
      'UPDATE history SET at = 1',
      'DELETE FROM sighting',
      'CREATE TABLE mine (x int)',
      'SET ROLE wherry_api',
    ])
      await assert.rejects(run('engine', text), MAY_NOT, text);
  });

  test('every table is decided on: whoever adds one says who reads and writes it', async () => {
    const rows = (await run(
      'owner',
      `SELECT relname, has_table_privilege('wherry_api', oid, 'SELECT') AS decided FROM pg_class
        WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
    )) as readonly { readonly relname: string; readonly decided: boolean }[];
    assert.ok(rows.length > 40);
    assert.deepEqual(
      rows.filter(({ decided }) => !decided).map(({ relname }) => relname),
      [],
    );
  });

  test('a process that may not change tables starts where nothing is missing, and says what to do where something is', async () => {
    assert.deepEqual(await migrate(url.api), []);
    // The code has another word for a part of an order than the one that the database was told.
    const old = `UPDATE migration SET digest = 'of another version' WHERE name = 'order_guard'`;
    await run('owner', `UPDATE order_guard SET changes = '{}'`);
    await run('owner', old);
    await assert.rejects(migrate(url.api), /order_guard: permission denied .* run `wherry migrate` with the login/);
    assert.deepEqual(await migrate(url.owner), ['order_guard']);
    assert.deepEqual(await run('owner', `SELECT 1 AS told FROM order_guard WHERE 'state' = ANY (changes)`), [
      { told: 1 },
    ]);
    const empty = await testDatabase(async () => {});
    await assert.rejects(
      migrate(as('the_engine', empty.url)),
      /permission denied .* run `wherry migrate` with the login that owns them first/,
    );
    await empty.drop();
  });
});

/** Nothing of the order changes but its version. */
const ORDER_COLUMNS = {
  ...{ from: 0, version: 1, phase: 'awaiting_deposit', isOpen: true, isBusy: true, isOurTurn: false },
  ...{ updatedAt: 1, observed: '0' },
  ...{ actual: null, replacement: null, refundTo: null, shortOf: null, shortAtoms: null, expects: [], untraded: null },
};

test('an owner who may not make roles is told in words, works as before, and gives the rights once somebody has made them', async () => {
  await admin.query(`CREATE ROLE plain_owner LOGIN PASSWORD 'x'`);
  const bare = await testDatabase(async () => {});
  const name = new URL(bare.url).pathname.slice(1);
  await admin.query(`ALTER DATABASE ${name} OWNER TO plain_owner`);
  for (const role of ['api', 'engine']) await admin.query(`ALTER ROLE wherry_${role} RENAME TO away_${role}`);
  const warnings: string[] = [];
  try {
    const applied = await migrate(as('plain_owner', bare.url), { onWarning: (words) => warnings.push(words) });
    assert.ok(applied.length > 10);
  } finally {
    for (const role of ['api', 'engine']) await admin.query(`ALTER ROLE away_${role} RENAME TO wherry_${role}`);
  }
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^plain_owner may not create the role wherry_api: .* SELECT grant_rights\(\)$/);
  const owner = new pg.Client({ connectionString: as('plain_owner', bare.url) });
  await owner.connect();
  const can = async () =>
    (await owner.query(`SELECT has_table_privilege('wherry_api', 'orders', 'SELECT') AS can`)).rows[0]?.can;
  assert.equal(await can(), false);
  assert.equal((await owner.query('SELECT grant_rights() AS told')).rows[0]?.told, null);
  assert.equal(await can(), true);
  await owner.end();
  await bare.drop();
});
