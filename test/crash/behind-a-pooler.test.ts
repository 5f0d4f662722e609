import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../run/patience.ts';
import { Auditor } from './audit.ts';
import { DIRECTIONS, ending, type Order, pay, place } from './customer.ts';
import { openDesk } from './desk.ts';
import { Mortal } from './mortal.ts';
import { leftOut, startPooler } from './pooler.ts';
import { openWorld } from './world.ts';

const ORDERS = 20;
const ENDS_WITHIN_MS = 60_000;
const UNDER_WAY = { name: 'pooler_under_way', text: 'SELECT count(*) FROM payment' };

test(`a whole desk works behind a pooler of transactions: ${ORDERS} orders under two engines, of which one is killed, are paid once each`, {
  skip: leftOut,
}, async () => {
  const world = await openWorld();
  const { database } = world.config;
  const pooler = await startPooler(database, 4);
  const desk = await openDesk({
    ...world,
    config: { ...world.config, database: pooler.url, databaseSession: database },
  });
  try {
    const auditor = await Auditor.begin(desk);
    const doomed = new Mortal();
    const engines = [await desk.startEngine(doomed), await desk.startEngine(new Mortal())];
    const orders: Order[] = [];
    for (let i = 0; i < ORDERS; i += 1)
      orders.push(await place(desk, DIRECTIONS[i % DIRECTIONS.length] ?? 'usdc_to_xmr'));
    for (const order of orders) await pay(desk, order);
    await eventually(async () => Number((await world.db.query(UNDER_WAY))[0]?.['count']) > ORDERS / 2);
    doomed.die();
    const ended = await Promise.all(
      orders.map(async (order) => ({ order, ending: await ending(desk, order, ENDS_WITHIN_MS) })),
    );
    await engines[1]?.stop();
    await auditor.check(ended);
    assert.ok((await pooler.transactions()) > 10 * ORDERS, 'all of it went through the pooler');
  } finally {
    await desk.close();
    await pooler.stop();
  }
});
