import { after, before, test } from 'node:test';
import type { Statement } from '../../src/store/db.ts';
import { eventually } from '../run/patience.ts';
import { Auditor, type Ended } from './audit.ts';
import { DIRECTIONS, ending, type Order, pay, place } from './customer.ts';
import { type Desk, openDesk } from './desk.ts';
import { Mortal } from './mortal.ts';
import { startTwoServers, type TwoServers } from './two-servers.ts';
import { openWorld } from './world.ts';

const ORDERS = 50;
/** No order may run out of time while the replica is promoted. */
const SPEED = 10;
/** So many have ended when the first server goes: others are before, in and behind every step. */
const ENDED_BEFORE = 10;
const ENDS_WITHIN_MS = 240_000;
const COMPLETED: Statement = {
  name: 'failover_completed',
  text: `SELECT count(*) FROM orders WHERE phase = 'completed'`,
};

let servers: TwoServers;
let desk: Desk;
let auditor: Auditor;

before(async () => {
  servers = await startTwoServers();
  desk = await openDesk(await openWorld(SPEED, async () => servers));
  auditor = await Auditor.begin(desk);
});
after(() => desk?.close());

test(`the database server is lost in the middle of ${ORDERS} orders, and its replica takes over: each is paid once`, async () => {
  const doomed = [new Mortal(), new Mortal()];
  await Promise.all(doomed.map((doors) => desk.startEngine(doors)));
  const orders: Order[] = [];
  for (let i = 0; i < ORDERS; i += 1) {
    const order = await place(desk, DIRECTIONS[i % DIRECTIONS.length] ?? 'usdc_to_xmr');
    await pay(desk, order);
    orders.push(order);
  }
  const { db, arbitrum, monero } = desk.world;
  await eventually(async () => {
    await Promise.all([arbitrum.mine(1), monero.mine(1)]);
    const [row] = await db.query(COMPLETED);
    return Number(row?.['count']) >= ENDED_BEFORE;
  }, ENDS_WITHIN_MS);
  await servers.failOver();
  await Promise.all(doomed.map(({ death }) => death));
  const successors = await Promise.all([desk.startEngine(new Mortal()), desk.startEngine(new Mortal())]);
  const ended = await Promise.all(
    orders.map(async (order): Promise<Ended> => ({ order, ending: await ending(desk, order, ENDS_WITHIN_MS) })),
  );
  await Promise.all(successors.map((engine) => engine?.stop()));
  await auditor.check(ended);
});
