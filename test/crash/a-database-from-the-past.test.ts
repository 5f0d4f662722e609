import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { startApi } from '../../src/app/api.ts';
import type { Config } from '../../src/app/config.ts';
import { startEngine } from '../../src/app/engine.ts';
import { openMetrics } from '../../src/app/metrics.ts';
import { runRestore } from '../../src/app/restore.ts';
import type { Running } from '../../src/engine/worker.ts';
import type { RestoreReport } from '../../src/life/recovery/restore.ts';
import { backupLines, fillFromBackup } from '../../src/store/backup.ts';
import { type Db, openDb, type Statement } from '../../src/store/db.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { eventually } from '../run/patience.ts';
import { type Direction, isToMonero, type Order, pay, place, TRIPS } from './customer.ts';
import { type Desk, logInto, openDesk, PACE, TICKETS_LIVE, untilReady } from './desk.ts';
import { Mortal } from './mortal.ts';
import { signedSince, tradesSince } from './sights.ts';
import { openWorld } from './world.ts';

/** Twenty orders in all: these before the backup, these after it. */
const BEFORE: readonly Direction[] = [
  ...['usdc_to_xmr', 'xmr_to_usdc', 'usdc_to_xmr', 'xmr_to_usdc', 'usdc_to_xmr', 'xmr_to_usdc'],
  ...['usdc_to_xmr', 'xmr_to_usdc', 'wbtc_to_eth', 'usdc_to_xmr', 'xmr_to_usdc', 'usdc_to_xmr', 'xmr_to_usdc'],
] as Direction[];
const AFTER: readonly Direction[] = [
  ...['usdc_to_xmr', 'xmr_to_usdc', 'usdc_to_xmr', 'xmr_to_usdc', 'usdc_to_xmr', 'xmr_to_usdc', 'usdc_to_xmr'],
] as Direction[];
/** The last of each are not paid before the database is put back. */
const UNPAID = 2;
/** The backup is taken while this trade is on its way to the venue. */
const TRADE_IN_FLIGHT = 4;
const BLOCK_MS = 50;
/** Slower than elsewhere: twenty orders at once must not look late because the machine is busy. */
const SPEED = 5;
const ALL_WITHIN_MS = 120_000;
const MARGIN = 40;

const PHASES: Statement = { name: 'drill_phases', text: 'SELECT id, phase, is_busy FROM orders' };
const CASES: Statement = {
  name: 'drill_cases',
  text: 'SELECT owner, kind, subject, doc FROM attention WHERE closed_at IS NULL',
};
const FILLS: Statement = { name: 'drill_fills', text: 'SELECT order_id, trade_id, cloid FROM fill' };
const TROUBLED: Statement = {
  name: 'drill_troubled',
  text: 'SELECT owner, trouble FROM effect WHERE trouble IS NOT NULL',
};

let desk: Desk;
let beforeBackup: Order[] = [];
let afterBackup: Order[] = [];
let inBackup: ReadonlyMap<string, string>;
let report: RestoreReport;
let restoredConfig: Config;
let restored: Db;
let engine: Promise<Running>;
let api: Running | undefined;
let journalAtRestore = 0;
const begun = Date.now();
const complaints: string[] = [];
const closing: (() => Promise<unknown>)[] = [];

before(async () => {
  desk = await openDesk(await openWorld(SPEED));
  const { world } = desk;
  await world.sweeper.place();
  beforeBackup = await placeAll(BEFORE);
  const lines: string[] = [];
  let trades = 0;
  const backingUp: Outbound = async (call) => {
    const isTrade = call.label === 'exchange:order';
    if (isTrade) trades += 1;
    if (isTrade && trades === TRADE_IN_FLIGHT)
      for await (const line of backupLines(world.config.database, world.clock.now())) lines.push(line);
    return desk.wire(call);
  };
  const first = await desk.startEngine(new Mortal(), { outbound: () => backingUp });
  const miner = mineOn();
  for (const order of paidOf(beforeBackup)) await pay(desk, order);
  await eventually(async () => lines.at(-1)?.startsWith('{"end"') === true);
  afterBackup = await placeAll(AFTER);
  for (const order of paidOf(afterBackup)) await pay(desk, order);
  await allEnded(world.db, [...paidOf(beforeBackup), ...paidOf(afterBackup)]);
  await first?.stop();
  await desk.stopApi();

  const database = await testDatabase(async () => {});
  closing.push(() => database.drop());
  await fillFromBackup(database.url, asLines(lines));
  restored = openDb(database.url, 2);
  closing.push(() => restored.close());
  inBackup = new Map((await restored.query(PHASES)).map((row) => [String(row['id']), String(row['phase'])]));
  const config = { ...world.config, database: database.url };
  restoredConfig = config;
  const log = logInto(complaints);
  const { clock } = world;
  const signerOutbound = desk.signerWire;
  engine = startEngine(config, {
    ...{ clock, log, outbound: desk.wire, signerOutbound, pace: PACE, rules: TICKETS_LIVE },
    worker: randomInt(1, 2 ** 31 - 1),
    onLost: () => {},
  });
  api = await startApi(config, { clock, log, metrics: openMetrics('api'), outbound: httpOutbound, signerOutbound });
  closing.push(async () => miner.stop());
});

after(async () => {
  await (await engine)?.stop();
  await api?.stop();
  for (const close of closing.reverse()) await close();
  await desk?.close();
});

test('a backup from the middle of 20 orders holds several phases, both directions and a trade in flight', () => {
  const phases = new Set(inBackup.values());
  assert.ok(phases.size >= 4, `phases: ${[...phases]}`);
  assert.ok([...inBackup.values()].includes('trading'));
  assert.ok(inBackup.size >= BEFORE.length && inBackup.size < BEFORE.length + AFTER.length);
});

test('an old database is recognised without the command: no signature, not ready, no order, a case', async () => {
  await eventually(async () => (await caseKinds()).has('database_behind'));
  journalAtRestore = statSync(desk.world.config.signer.journal).size;
  await pause(500);
  assert.equal(statSync(desk.world.config.signer.journal).size, journalAtRestore, 'nothing was signed');
  assert.equal((await fetch(`${desk.apiUrl}/readyz`)).status, 503);
  await assert.rejects(place(desk, 'usdc_to_xmr'), /switched off|503/);
});

test('restore takes up what was signed, burns addresses with a margin, and reports', async () => {
  const { clock } = desk.world;
  report = await runRestore(restoredConfig, {
    clock,
    log: logInto(complaints),
    outbound: desk.wire,
    signerOutbound: desk.signerWire,
    margin: MARGIN,
  });
  const forgotten = report.forgottenOrders.map(({ order }) => order).sort();
  assert.deepEqual(
    forgotten,
    paidOf(afterBackup)
      .map(({ id }) => id)
      .sort(),
  );
  assert.ok(report.lines.attempt > 0 && report.lines.house_payment > 0);
  for (const { family, nextIndex } of report.addresses) assert.ok(nextIndex >= MARGIN, `${family}: ${nextIndex}`);
  await engine;
  await untilReady(desk.apiUrl);
  assert.ok(!(await caseKinds()).has('database_behind'));
});

test('nobody is paid twice, nobody is lost, what needs a person is a case, and nothing is signed anew', async () => {
  const known = paidOf(beforeBackup);
  await allEnded(restored, known);
  const cases = await openCases();
  for (const order of [...known, ...paidOf(afterBackup)]) {
    const transfers = await receivedBy(order);
    assert.equal(transfers.length, 1, `${order.id} (${order.direction}) was to be paid once: ${transfers}`);
  }
  const phases = new Map((await restored.query(PHASES)).map((row) => [String(row['id']), String(row['phase'])]));
  for (const { id } of known)
    assert.ok(
      phases.get(id) === 'completed' || cases.includes(id),
      `${id} stands in ${phases.get(id)}: ${await trouble()}`,
    );
  for (const { id } of paidOf(afterBackup)) assert.ok(cases.includes(id), `${id} is forgotten, and nobody was told`);
  const paid = [...known, ...paidOf(afterBackup)];
  const anew = signedSince(desk.world, journalAtRestore).filter(({ name }) =>
    paid.some(({ id }) => name.startsWith(id)),
  );
  assert.deepEqual(anew, [], 'signed for orders that were paid');
});

test('a finished trade is found by its client id and not done again', async () => {
  const { world } = desk;
  const trades = (await tradesSince(world, begun as never)).map(({ id }) => id);
  const recorded = (await restored.query(FILLS)).map((row) => String(row['trade_id']));
  assert.ok(recorded.length > 0 && recorded.every((id) => trades.includes(id)));
  assert.equal(recorded.length + report.fillsPosted, trades.length, 'every trade is in the books once');
});

test('an order after the restore gets an address that nobody had; money to a forgotten address is a case, and no credit', async () => {
  const [late] = afterBackup.slice(-UNPAID);
  assert.ok(late);
  const used = new Set([...beforeBackup, ...afterBackup].map(({ depositAddress }) => depositAddress));
  const fresh = [await place(desk, 'usdc_to_xmr'), await place(desk, 'xmr_to_usdc')];
  for (const { depositAddress } of fresh) assert.ok(!used.has(depositAddress), `${depositAddress} was used before`);
  const lateKnown = beforeBackup.slice(-UNPAID);
  for (const order of [...fresh, ...lateKnown, late]) await pay(desk, order);
  await allEnded(restored, [...fresh, ...lateKnown]);
  for (const order of [...fresh, ...lateKnown]) assert.equal((await receivedBy(order)).length, 1);
  await eventually(async () => (await openCases()).includes(late.depositAddress));
  assert.equal((await receivedBy(late)).length, 0);
});

async function placeAll(directions: readonly Direction[]): Promise<Order[]> {
  const orders: Order[] = [];
  for (const direction of directions) orders.push(await place(desk, direction));
  return orders;
}

const paidOf = (orders: readonly Order[]): readonly Order[] => orders.slice(0, -UNPAID);

async function* asLines(lines: readonly string[]): AsyncGenerator<string> {
  for (const line of lines) yield line.trimEnd();
}

/** Blocks come by themselves on both chains, until it is stopped. */
function mineOn() {
  let isOver = false;
  const { arbitrum, monero } = desk.world;
  const mining = (async () => {
    while (!isOver) {
      await Promise.all([arbitrum.mine(1), monero.mine(1)]);
      await pause(BLOCK_MS);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await mining;
    },
  };
}

/** Nothing works on them any more, or only a person can. */
async function allEnded(db: Db, orders: readonly Order[]): Promise<void> {
  const ids = new Set<string>(orders.map(({ id }) => id));
  await eventually(async () => {
    const cases = JSON.stringify(await db.query(CASES));
    const busy = (await db.query(PHASES)).filter((row) => ids.has(String(row['id'])) && row['is_busy'] === true);
    return busy.every((row) => cases.includes(String(row['id'])));
  }, ALL_WITHIN_MS);
}

const openCases = async (): Promise<string> => JSON.stringify(await restored.query(CASES));
const caseKinds = async (): Promise<ReadonlySet<string>> =>
  new Set((await restored.query(CASES)).map((row) => String(row['kind'])));
const trouble = async (): Promise<string> => JSON.stringify(await restored.query(TROUBLED));

async function receivedBy({ direction, destination }: Order): Promise<readonly string[]> {
  const { monero, arbitrum } = desk.world;
  const { transfers } = isToMonero(direction)
    ? await monero.received(destination)
    : await arbitrum.received(TRIPS[direction].toToken, destination);
  return transfers.map(({ amount }) => String(amount));
}
