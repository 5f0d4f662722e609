import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import { reconcile } from '../../src/engine/reconcile.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { IS_FINAL } from '../../src/life/order/state.ts';
import type { Statement } from '../../src/store/db.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { ETH, USDC, usdc, XMR, xmr } from './market.ts';
import { AT, filled, news, screened } from './order-phases.ts';
import { buyOrder, final, minute, sellOrder } from './world.ts';

let room: CaseRoom;
let books: ReturnType<typeof openEngineBooks>;
before(async () => {
  room = await openCaseRoom();
  books = openEngineBooks(room.db, room.clock, SEAL_KEY);
  const legs = buyOrder().route.legs.flatMap((leg) => (leg.leg === 'venue' ? [leg.spend, leg.receive] : []));
  await room.stock(USDC.id, XMR.id, ETH.id, ...legs);
});
after(() => room.close());

const ask = (name: string, text: string): Statement => ({ name: `kept_sums_${name}`, text });
const KEPT = ask('kept', 'SELECT what, name, n::text FROM tallied WHERE n <> 0 ORDER BY what, name');
const COUNT = ask('count', 'SELECT count_tally()');
const ACCOUNTS = ask('accounts', 'SELECT account FROM balance WHERE strpos(account, $1) > 0');
const EMPTY = ask('empty', "SELECT account FROM balance WHERE atoms = 0 AND strpos(account, ':') > 0");
const RESULTS = ask('results', 'SELECT asset, sum(atoms)::text AS atoms FROM result GROUP BY asset ORDER BY asset');
const CHANGES = ask('changes', 'SELECT count(*)::integer AS n FROM tally_change');

/** As they are kept; counting anew must not change them. */
async function sumsAreARecount(): Promise<void> {
  assert.deepEqual(await room.db.query(EMPTY), [], 'no empty account of an order is kept');
  const [kept, results] = [await room.db.query(KEPT), await room.db.query(RESULTS)];
  await room.db.query(COUNT);
  assert.deepEqual(kept, await room.db.query(KEPT));
  assert.deepEqual(results, await room.db.query(RESULTS));
}

const told: readonly (Fact | ((order: Order) => Fact))[] = [
  final(usdc('100'), AT),
  screened(true),
  (order) => news(order, 'collection').priced(0n),
  ...(['signed', 'sent', 'confirmed'] as const).map((step) => (order: Order) => news(order, 'collection')[step]),
  { fact: 'stock_reserved', at: AT },
  filled,
  { fact: 'payout_reserved', at: AT },
  ...(['signed', 'sent', 'confirmed', 'settled'] as const).map((step) => (order: Order) => news(order, 'payout')[step]),
];

test('sums of the ledger and of open orders are what counting anew gives, at every step of an order and of one that gives back', async () => {
  const [id, other, third] = [await room.keep(buyOrder()), await room.keep(buyOrder()), await room.keep(sellOrder())];
  for (const [at, fact] of told.entries()) {
    await room.tell(id, fact);
    if (at === 4) await room.tell(other, final(usdc('100'), AT), screened(false));
    if (at === 5) await room.tell(third, final(xmr('0.05'), AT));
    if (at === 6) await room.tell(third, { fact: 'deadline_passed', at: minute(61) });
    await sumsAreARecount();
  }
  assert.equal((await room.find(id)).state.phase, 'completed');
  assert.deepEqual(await room.db.query(ACCOUNTS, [id]), [], 'no empty account of it is kept');
  assert.ok(IS_FINAL[(await room.find(third)).state.phase], 'done with, and its money is not given back yet');
  for (const owed of [other, third])
    assert.ok((await room.db.query(ACCOUNTS, [owed])).length > 0, 'what is owed is kept');
});

test('what changed is added up once, and asking in between gives the same', async () => {
  await room.tell(await room.keep(buyOrder()), final(usdc('100'), AT));
  const before = await room.db.query(KEPT);
  assert.notEqual((await room.db.query(CHANGES))[0]?.n, 0);
  await Promise.all([books.ledger.foldSums(), books.ledger.foldSums(), books.ledger.foldSums()]);
  assert.deepEqual(await room.db.query(KEPT), before);
  assert.equal((await room.db.query(CHANGES))[0]?.n, 0);
});

const LOSE = ask(
  'lose',
  "INSERT INTO posting (owner, from_account, to_account, asset, atoms, at) VALUES ('lost', 'treasury', 'world', $3, $1, $2)",
);

test('what was lost since a moment is added up by the minute, and apart on both sides of a breaker that a person closed', async () => {
  const close = ask(
    'close',
    "INSERT INTO breaker (scope, open, reason, changed_at) VALUES ('refunds-only', false, 'seen', $1)",
  );
  const lost = async (at: number) =>
    (await books.results.since(instant(at), minute(600))).find(({ asset }) => asset === 'coin')?.atoms;
  const begun = Math.ceil(minute(600) / 60_000) * 60_000;
  for (const [n, after] of [0, 10_000, 20_000, 30_000, 70_000, 130_000].entries())
    await room.db.query(LOSE, [2 ** n, begun + after, 'coin']);
  await room.db.query(close, [begun + 20_000]);
  const asked = async () => [await lost(begun - 1), await lost(begun + 20_000), await lost(begun + 60_000)];
  assert.deepEqual(await asked(), [-63n, -56n, -48n]);
  await books.ledger.foldSums();
  assert.deepEqual(await asked(), [-63n, -56n, -48n], 'nothing from before it was closed counts afterwards');
  const rows = ask('rows', "SELECT count(*)::integer AS n FROM result WHERE asset = 'coin'");
  assert.deepEqual(await room.db.query(rows), [{ n: 4 }], 'two of the first minute, and one of each other');
  await room.db.query(ask('opened_again', "DELETE FROM breaker WHERE scope = 'refunds-only'"));
});

test('a loss that is dated in the future hides no other, counts at once, and no longer than others do', async () => {
  const [now, day] = [minute(900), 24 * 60 * 60_000];
  const lost = async (at: number) =>
    (await books.results.since(instant(at - day), instant(at))).find(({ asset }) => asset === 'dated')?.atoms;
  const lose = async (atoms: number, at: number) => {
    await room.db.query(LOSE, [atoms, at, 'dated']);
    await books.ledger.foldSums();
    await books.ledger.foldSums();
  };
  await lose(1, now - 5_000);
  await lose(2, now + 30 * day);
  assert.equal(await lost(now), -3n, 'what was lost before is still known');
  await lose(4, now);
  await lose(8, now + 90_000);
  assert.equal(await lost(now + 90_000), -15n);
  assert.equal(await lost(now + 90_000 + day - 1), -10n, 'what is dated right gets old by its date');
  await room.db.query(
    ask('noted', "UPDATE result SET noted_at = noted_at - interval '25 hours' WHERE asset = 'dated'"),
  );
  assert.equal(await lost(now + 30 * day), undefined, 'what was dated in the future is not lost again then');

  await room.db.query(COUNT);
  assert.equal(await lost(now + 90_000), -15n, 'counting anew is not led astray either');
  await room.db.query(ask('undated', "DELETE FROM posting WHERE asset = 'dated'"));
});

/** The database makes the others by itself. */
const COPIED_COLUMNS = `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
  WHERE attrelid = 'orders'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`;

test('what lost its work is taken up again, however many that wait for their customers stood still longer', async () => {
  const waiting = await room.keep(buyOrder());
  await room.tell(waiting, final(usdc('100'), AT), screened(false));
  const columns = (await room.db.query(ask('columns', COPIED_COLUMNS)))[0]?.columns as string;
  const more = ask(
    'more',
    `INSERT INTO orders (${columns}) SELECT ${columns} FROM (
       SELECT (jsonb_populate_record(o, jsonb_build_object('id', 'sw_' || lpad(n::text, 26, 'w'), 'deposit_index', 10000 + n,
         'deposit_address', 'copy ' || n, 'updated_at', 1, 'doc', replace(o.doc::text, o.id, 'sw_' || lpad(n::text, 26, 'w'))::jsonb))).*
       FROM orders AS o, generate_series(1, 1200) AS n WHERE o.id = $1) AS copy`,
  );
  await room.db.query(more, [waiting]);
  const screening = await room.keep(buyOrder());
  await room.tell(screening, final(usdc('100'), AT));
  const late = await room.keep(buyOrder());
  await room.db.query(ask('no_work', 'DELETE FROM effect'));
  const work = async (id: OrderId) =>
    (await room.db.query(ask('work', 'SELECT kind FROM effect WHERE owner = $1'), [id])).map(({ kind }) => kind);

  room.wait(minute(59) - room.clock.now());
  await reconcile(books, RULES, room.clock);
  assert.deepEqual(await work(screening), ['screen_deposit']);
  assert.deepEqual(await work(late), [], 'its time is not up');
  room.wait(2 * 60_000);
  await reconcile(books, RULES, room.clock);
  assert.deepEqual(await work(late), ['judge_deadline']);
  assert.deepEqual(await work(screening), ['screen_deposit'], 'it has work already');
});
