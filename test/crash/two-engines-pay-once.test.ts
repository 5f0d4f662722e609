import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { scannerSeat } from '../../src/app/seats.ts';
import type { Running } from '../../src/engine/worker.ts';
import { chainId } from '../../src/kernel/ids.ts';
import { eventually } from '../run/patience.ts';
import { Auditor } from './audit.ts';
import { DIRECTIONS, type Direction, ending, type Order, pay, place, swapOf } from './customer.ts';
import { type Desk, HOUSE_SEATS, openDesk } from './desk.ts';
import { Life, nameOf, type Point, record } from './lives.ts';
import { type Call, Mortal } from './mortal.ts';
import { openWorld } from './world.ts';

const ORDERS = 20;
const FEWER = 10;
/** All that could do harm if it came late. */
const DEEDS = new Set([
  ...['step_commit', 'scan_save', 'nonce_take', 'ticket_save', 'ticket_sign'],
  ...[
    'quote',
    'delivery_take',
    '/transfer',
    '/trade',
    'eth_sendRawTransaction',
    'send_raw_transaction',
    'exchange:order',
  ],
]);
/** Once it has looked for work so often, it has long finished what it held. */
const LOOKS_AFTERWARDS = 10;

let desk: Desk;
let auditor: Auditor;

before(async () => {
  desk = await openDesk(await openWorld());
  auditor = await Auditor.begin(desk);
});
after(() => desk?.close());

test(`${ORDERS} orders at once under two engines on one database: each is paid once`, async () => {
  const engines = [await desk.startEngine(new Mortal()), await desk.startEngine(new Mortal())];
  const ended = await whileRunning(engines, async () => {
    const orders: Order[] = [];
    for (let i = 0; i < ORDERS; i += 1) orders.push(await place(desk, directionOf(i)));
    return paid(orders);
  });
  await auditor.check(ended);
});

test(`${FEWER} orders at once, made through four APIs, under four engines on one database: each is paid once, and all four say so`, async () => {
  const engines = await Promise.all([1, 2, 3, 4].map(() => desk.startEngine(new Mortal())));
  const apis = await Promise.all([1, 2, 3].map(() => desk.startApi()));
  const urls = [desk.apiUrl, ...apis.map(({ url }) => url)];
  await whileRunning(apis, async () => {
    const ended = await whileRunning(engines, async () =>
      paid(
        await Promise.all(
          Array.from({ length: FEWER }, (_, i) =>
            place({ ...desk, apiUrl: urls[i % urls.length] ?? '' }, directionOf(i)),
          ),
        ),
      ),
    );
    for (const { order, ending: told } of ended)
      for (const apiUrl of urls) assert.deepEqual(await ending({ ...desk, apiUrl }, order), told);
    await auditor.check(ended);
  });
});

const directionOf = (i: number): Direction => DIRECTIONS[i % DIRECTIONS.length] ?? 'usdc_to_xmr';

async function paid(orders: readonly Order[]) {
  for (const order of orders) await pay(desk, order);
  return Promise.all(orders.map(async (order) => ({ order, ending: await ending(desk, order, 60_000) })));
}

/** A story that fails leaves nobody for the next one to meet. */
async function whileRunning<T>(processes: readonly (Running | undefined)[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await Promise.all(processes.map((one) => one?.stop()));
  }
}

/** What several directions have in common is tried in the first of them. */
const tried = new Set<string>();
/** Some calls come by the clock (bytes are sent again where a block is late): it may take several orders to meet one. */
const ORDERS_PER_POINT = 6;

for (const direction of ['usdc_to_xmr', 'xmr_to_usdc', 'wbtc_to_eth'] as const) {
  test(`${direction}: an engine that stands still, is replaced and goes on changes nothing`, async (t) => {
    const points = await record(desk, auditor, { direction });
    const otherChain = scannerSeat(chainId(direction === 'xmr_to_usdc' ? 42161 : 0));
    const seats = await desk.takeSeats([...HOUSE_SEATS, otherChain]);
    for (const point of points) {
      const name = nameOf(point);
      const isDeed = point.who === 'engine' && DEEDS.has(point.label) && !/^scan/.test(point.stage);
      const isOfChain = !swapOf(direction) && /scanning|payout/.test(name);
      if (!isDeed || (tried.has(name) && !isOfChain)) continue;
      tried.add(name);
      const sentence = `${point.label} (${point.stage}) comes late, and the order is paid once`;
      await t.test(sentence, async () => {
        for (let nth = 1; !(await comesLate(direction, point)); nth += 1)
          assert.ok(nth < ORDERS_PER_POINT, `did not come again in ${nth} orders`);
      });
    }
    await seats.close();
  });
}

/**
 * The stale engine is deaf, too: it never hears that its connection was lost, and works on beside its successor.
 * False if the order came to its end without this call.
 */
async function comesLate(direction: Direction, point: Point): Promise<boolean> {
  const order = await place(desk, direction);
  await pay(desk, order);
  const end = ending(desk, order);
  end.catch(() => undefined);
  const life = new Life(order, [{ point, moment: 'before' }]);
  let hold: { thaw(): void } | undefined;
  let stand: (hasCome: true) => void = () => {};
  const stands = new Promise<true>((resolve) => {
    stand = resolve;
  });
  let looks = 0;
  const dies = (call: Call) => {
    if (call.label === 'effect_claim') looks += 1;
    if (life.engine.dies?.(call)) {
      hold = stale.freeze();
      stand(true);
    }
    return undefined;
  };
  const stale = new Mortal({ ...life.engine, dies, isDeaf: true });
  await desk.startEngine(stale);
  const hasCome = Promise.race([stands, end.then(() => false)]);
  await replaced(stale, hasCome, async () => {
    await end;
    looks = 0;
    hold?.thaw();
    await eventually(async () => looks > LOOKS_AFTERWARDS);
  });
  await auditor.check([{ order, ending: await end }]);
  return hasCome;
}

/** Once it stands still another engine takes over, until all that is of interest was seen. Neither outlives this. */
async function replaced(stale: Mortal, standsStill: Promise<unknown>, seen: () => Promise<void>): Promise<void> {
  let successor: { stop(): Promise<void> } | undefined;
  try {
    await standsStill;
    stale.loseSessions();
    successor = await desk.startEngine(new Mortal());
    await seen();
  } finally {
    stale.die();
    await successor?.stop();
  }
}
