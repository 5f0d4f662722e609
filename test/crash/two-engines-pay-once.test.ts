import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { scannerSeat } from '../../src/app/seats.ts';
import { chainId } from '../../src/kernel/ids.ts';
import { Auditor } from './audit.ts';
import { DIRECTIONS, type Direction, ending, pay, place, swapOf } from './customer.ts';
import { type Desk, eventually, openDesk } from './desk.ts';
import { Life, nameOf, type Point, record } from './lives.ts';
import { type Call, Mortal } from './mortal.ts';
import { openWorld } from './world.ts';

const ORDERS = 20;
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
  const orders = [];
  for (let i = 0; i < ORDERS; i += 1)
    orders.push(await place(desk, DIRECTIONS[i % DIRECTIONS.length] ?? 'usdc_to_xmr'));
  for (const order of orders) await pay(desk, order);
  const ended = await Promise.all(orders.map(async (order) => ({ order, ending: await ending(desk, order, 60_000) })));
  await Promise.all(engines.map((engine) => engine?.stop()));
  await auditor.check(ended);
});

/** What several directions have in common is tried in the first of them. */
const tried = new Set<string>();
/** A payment that is found at once is not sent again; whether it is may differ between lives. */
const MISSED_PER_CENT = 8;
const missed: string[] = [];

for (const direction of ['usdc_to_xmr', 'xmr_to_usdc', 'wbtc_to_eth'] as const) {
  test(`${direction}: an engine that stands still, is replaced and goes on changes nothing`, async (t) => {
    const points = await record(desk, auditor, { direction });
    const otherChain = scannerSeat(chainId(direction === 'xmr_to_usdc' ? 42161 : 0));
    const seats = await desk.takeSeats(['treasury', 'readings', 'outputs', otherChain]);
    for (const point of points) {
      const name = nameOf(point);
      const isDeed = point.who === 'engine' && DEEDS.has(point.label) && !/^scan/.test(point.stage);
      const isOfChain = !swapOf(direction) && /scanning|payout/.test(name);
      if (!isDeed || (tried.has(name) && !isOfChain)) continue;
      tried.add(name);
      const sentence = `${point.label} (${point.stage}) comes late, and the order is paid once`;
      await t.test(sentence, () => comesLate(direction, point));
    }
    await seats.close();
  });
}

test('nearly every call that was seen in two lives came late once', (t) => {
  for (const name of missed) t.diagnostic(`did not come again: ${name}`);
  assert.ok(missed.length * 100 <= tried.size * MISSED_PER_CENT, `${tried.size} tried, missed:\n${missed.join('\n')}`);
});

/** The stale engine is deaf, too: it never hears that its connection was lost, and works on beside its successor. */
async function comesLate(direction: Direction, point: Point): Promise<void> {
  const order = await place(desk, direction);
  await pay(desk, order);
  const end = ending(desk, order);
  end.catch(() => undefined);
  const life = new Life(order, [{ point, moment: 'before' }]);
  let hold: { thaw(): void } | undefined;
  let stand = () => {};
  const stands = new Promise<void>((resolve) => {
    stand = resolve;
  });
  let looks = 0;
  const dies = (call: Call) => {
    if (call.label === 'effect_claim') looks += 1;
    if (life.engine.dies?.(call)) {
      hold = stale.freeze();
      stand();
    }
    return undefined;
  };
  const stale = new Mortal({ ...life.engine, dies, isDeaf: true });
  await desk.startEngine(stale);
  await Promise.race([stands, end]);
  if (!hold) missed.push(nameOf(point));
  stale.loseSessions();

  const engine = await desk.startEngine(new Mortal());
  const told = await end;
  looks = 0;
  hold?.thaw();
  await eventually(async () => looks > LOOKS_AFTERWARDS);
  stale.die();
  await engine?.stop();
  await auditor.check([{ order, ending: told }]);
}
