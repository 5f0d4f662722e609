import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { amount } from '../../src/kernel/amount.ts';
import { later } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { Phase } from '../../src/life/order/state.ts';
import { reportRow } from '../../src/life/order/view/report.ts';
import { newPayment } from '../../src/life/payment/payment.ts';
import { dayOf, type Figures, TOP_PAIRS } from '../../src/partners/report.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { migrate } from '../../src/store/migrate.ts';
import { type Orders, openOrders } from '../../src/store/orders.ts';
import { openReports } from '../../src/store/reports.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { ORDER_IN } from './order-phases.ts';
import { buyOrder, CREATED, sellOrder } from './world.ts';

const LIVES = 25;
const DAY_MS = 86_400_000;
const FIRST_DAY = dayOf(CREATED);

let db: Db;
let orders: Orders;
let drop: () => Promise<void>;
before(async () => {
  const database = await testDatabase(async (url) => void (await migrate(url)));
  db = openDb(database.url, 6);
  orders = openOrders(db);
  drop = database.drop;
  const addresses = Array.from({ length: 2_000 }, (_, at) => `deposit ${at}` as Address);
  await openSightings(db, SEAL_KEY).issue('evm', 0, addresses);
});
after(async () => {
  await db.close();
  await drop();
});

interface Born {
  readonly company: number;
  readonly day: number;
  readonly sells: boolean;
  readonly feePercent: number;
  readonly endUser: number;
}
type Fee = 'earned' | 'paid' | 'too small' | 'as it is';
type Turn =
  | { readonly does: 'moves'; readonly order: number; readonly phase: Phase; readonly used: bigint; readonly fee: Fee }
  | { readonly does: 'is made'; readonly order: Born }
  | { readonly does: 'is read'; readonly company: number; readonly day: number };

const PHASES = Object.keys(ORDER_IN) as readonly Phase[];
const day = fc.nat({ max: 4 });
const company = fc.nat({ max: 1 });
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({
    does: fc.constant('is made' as const),
    order: fc.record({
      ...{ company, day, sells: fc.boolean(), endUser: fc.nat({ max: 3 }) },
      feePercent: fc.constantFrom(0, 0.5, 1),
    }),
  }),
  fc.record({
    ...{ does: fc.constant('moves' as const), order: fc.nat(), phase: fc.constantFrom(...PHASES) },
    ...{ used: fc.bigInt(0n, 200_000_000n), fee: fc.constantFrom<Fee[]>('earned', 'paid', 'too small', 'as it is') },
  }),
  fc.record({ does: fc.constant('is read' as const), company, day }),
);
/** What happens at the same time, and then the next. */
const script = fc.array(fc.array(turn, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 });

interface Kept {
  order: Order;
  readonly born: Born;
}

let made = 0;
let scripts = 0;
const reports = () => openReports(db);
const nameOf = (one: number) => `int_${scripts}_${one}`;
/** Two days, so that orders come into the window and leave it. */
const windowOf = (last: number): [number, number] => [FIRST_DAY + last - 1, FIRST_DAY + last];

async function make(born: Born): Promise<Kept> {
  made += 1;
  const createdAt = later(CREATED, born.day * DAY_MS);
  const { depositAddress: _, depositIndex: __, ...plain } = born.sells ? sellOrder() : buyOrder();
  const fee = { integrationId: nameOf(born.company), percent: born.feePercent, payoutAddress: '0xfee' as Address };
  const id = `sw_${String(made).padStart(26, 'a')}` as OrderId;
  const draft = { ...plain, id, createdAt, ...(born.feePercent > 0 ? { integratorFee: fee } : {}) };
  const owner = {
    ...{ sessionHash: id, integrationId: fee.integrationId, keyId: 'key', clientHash: 'x' },
    ...(born.endUser > 0 ? { endUserHash: `user ${born.endUser}` } : {}),
  };
  const placed = await orders.create(draft, owner, 'evm', []);
  return { order: placed && 'order' in placed ? placed.order : assert.fail('an address was ready'), born };
}

async function move(kept: Kept, { phase, used, fee }: Extract<Turn, { does: 'moves' }>): Promise<void> {
  const before = kept.order;
  const { state } = ORDER_IN[phase];
  const moved: Order = {
    ...before,
    ...{ version: before.version + 1, state, used: amount(before.from.id, used) },
    ...feeAs(before, fee),
  };
  kept.order = moved;
  const payments = moved.payments.filter((one) => !before.payments.includes(one));
  const nothing = { postings: [], payments, effects: [], cases: [], over: [] };
  const at = before.updatedAt;
  const fact = { fact: 'deadline_passed', at } as const;
  const order = { after: moved, from: before.version, fact };
  assert.equal(
    await orders.commit({ owner: before.id, key: `${moved.version}`, at, order, ...nothing, news: [] }),
    'ok',
  );
}

function feeAs({ integratorFee, payments, id, from }: Order, fee: Fee): Partial<Order> {
  if (!integratorFee || fee === 'as it is' || payments.length > 0) return {};
  const { percent, integrationId, payoutAddress: to } = integratorFee;
  const earned = amount(from.id, 777n);
  if (fee === 'earned') return { feeEarned: earned };
  if (fee === 'too small') return { feeSkipped: { percent, reason: 'too_small' } };
  const purpose = { for: 'integrator_fee', integration: integrationId, number: 0 } as const;
  const source = `owed:${integrationId}` as const;
  const payment = newPayment({ owner: id, purpose, from: 'hot', amount: earned, to, source });
  const state = { state: 'confirmed', txHash: txHash(`0x${id}`), cost: amount(from.id, 0n) } as const;
  return { feeEarned: earned, payments: [{ ...payment, state }] };
}

/** Two turns of one order cannot happen at once. */
async function carryOut(turns: readonly Turn[], kept: Kept[]): Promise<void> {
  const busy = new Set<Kept>();
  const work = turns.map(async (one): Promise<void> => {
    if (one.does === 'is made') kept.push(await make(one.order));
    if (one.does === 'is read') await reports().figures(nameOf(one.company), ...windowOf(one.day));
    const moved = one.does === 'moves' ? kept[one.order % kept.length] : undefined;
    if (one.does !== 'moves' || !moved || busy.has(moved)) return;
    busy.add(moved);
    await move(moved, one);
  });
  await Promise.all(work);
}

/** The figures of these days, counted anew from the orders. */
function recount(all: readonly Kept[], [first, last]: readonly [number, number]): Figures {
  const lastSeen = new Map<number, number>();
  for (const { endUser, day } of all.map(({ born }) => born))
    if (endUser > 0) lastSeen.set(endUser, Math.max(FIRST_DAY + day, lastSeen.get(endUser) ?? 0));
  const rows = all.map(({ order, born }) => ({ ...reportRow(order), day: FIRST_DAY + born.day, born }));
  const inside = rows.filter((row) => row.day >= first && row.day <= last);
  type Counted = (typeof inside)[number];
  const usd = (some: readonly Counted[], of: (row: Counted) => string) =>
    some.reduce((sum, row) => sum + BigInt(of(row)), 0n) as Figures['days'][number]['volumeUsd'];
  const grouped = <K extends string | number>(some: readonly Counted[], by: (row: Counted) => K) => {
    const groups = new Map<K, Counted[]>();
    for (const row of some) groups.set(by(row), [...(groups.get(by(row)) ?? []), row]);
    return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  };
  const times: number[] = inside.some(({ timeBucket }) => timeBucket !== null) ? Array(256).fill(0) : [];
  for (const { timeBucket } of inside) if (timeBucket !== null) times[timeBucket] = (times[timeBucket] ?? 0) + 1;
  return {
    days: grouped(inside, (row) => row.day).map(([day, its]) => ({
      day,
      orders: its.length,
      completed: its.filter(({ status }) => status === 'completed').length,
      refunded: its.filter(({ status }) => status === 'refunded').length,
      failed: its.filter(({ status }) => status === 'failed').length,
      expired: its.filter(({ status }) => status === 'expired').length,
      attributed: its.filter(({ born }) => born.endUser > 0).length,
      volumeUsd: usd(its, (row) => row.volumeUsd),
      projectedUsd: usd(its, (row) => (row.feeStatus === 'projected' ? row.feeUsd : '0')),
      paidUsd: usd(its, (row) => (row.feeStatus === 'paid' ? row.feeUsd : '0')),
      skippedUsd: usd(its, (row) => (row.feeStatus === 'skipped' ? row.feeUsd : '0')),
    })),
    pairs: grouped(inside, (row) => `${row.fromSymbol} ${row.toSymbol}`)
      .map(([pair, its]) => {
        const [fromSymbol = '', toSymbol = ''] = pair.split(' ');
        return { fromSymbol, toSymbol, orders: its.length, volumeUsd: usd(its, (row) => row.volumeUsd) };
      })
      .sort((a, b) => b.orders - a.orders)
      .slice(0, TOP_PAIRS),
    fees: grouped(inside, (row) => row.feeAsset ?? '')
      .map(([asset, its]) => ({
        asset: asset as AssetId,
        projected: usd(its, (row) => (row.feeStatus === 'projected' ? row.feeAtoms : '0')) as bigint,
        paid: usd(its, (row) => (row.feeStatus === 'paid' ? row.feeAtoms : '0')) as bigint,
      }))
      .filter(({ projected, paid }) => projected > 0n || paid > 0n),
    times,
    distinctClients: [...lastSeen.values()].filter((day) => day >= first && day <= last).length,
  };
}

test('whatever orders do, at once and in whatever turn, the figures that are kept are what a recount of them gives', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (rounds) => {
      scripts += 1;
      const kept: Kept[] = [];
      for (const turns of rounds) await carryOut(turns, kept);
      for (const one of [0, 1])
        for (const last of [1, 4, 2]) {
          const window = windowOf(last);
          const its = kept.filter(({ born }) => born.company === one);
          const told = await reports().figures(nameOf(one), ...window);
          assert.deepEqual(told, recount(its, window), `${nameOf(one)}, days ${window.join(' to ')}`);
        }
    }),
    { numRuns: LIVES },
  );
});

test('a round counts what is queued for everybody, and changes no figure by it', async () => {
  scripts += 1;
  const born = { company: 0, day: 1, sells: false, feePercent: 1, endUser: 1 };
  const kept = [await make(born), await make({ ...born, company: 1 })];
  await reports().count(...windowOf(1));
  const waiting = await db.query({ name: 'recount_waiting', text: 'SELECT count(*)::int AS n FROM integrator_change' });
  assert.deepEqual(waiting, [{ n: 0 }]);
  for (const one of [0, 1]) {
    const its = kept.filter((each) => each.born.company === one);
    assert.deepEqual(await reports().figures(nameOf(one), ...windowOf(1)), recount(its, windowOf(1)));
  }
});
