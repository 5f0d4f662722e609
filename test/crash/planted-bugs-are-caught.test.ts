import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Auditor } from './audit.ts';
import { type Direction, ending, type Order, pay, place } from './customer.ts';
import { type Desk, openDesk, type Plant } from './desk.ts';
import { live } from './lives.ts';
import { Mortal } from './mortal.ts';
import { openWorld } from './world.ts';
import {
  creditsTwice,
  laggingNode,
  paysAnewWhenUnknown,
  sendsBeforeSaving,
  sharesDeliveries,
  takesItsWord,
  takesTheNodesNonce,
  tradesAgainUnderAnotherName,
} from './zoo.ts';

/** The checks prove themselves: each of these bugs has been somebody's, and each must be found out. */

let desk: Desk;
let auditor: Auditor;

before(async () => {
  desk = await openDesk(await openWorld());
});
beforeEach(async () => {
  // What these bugs cost together would stop the desk by itself.
  await desk.forgetLosses();
  auditor = await Auditor.begin(desk);
});
after(() => desk?.close());

const ENOUGH_MS = 30_000;

const found = (direction: Direction, plant: Plant, by: RegExp) =>
  assert.rejects(() => live(desk, auditor, direction, { plant }), by);

test('a node that lags behind does not make a sound engine pay again', async () => {
  await live(desk, auditor, 'xmr_to_usdc', { plant: laggingNode(desk) });
});

test('an engine that takes an unknown payout for a failed one and signs it anew is caught', () =>
  found('xmr_to_usdc', paysAnewWhenUnknown(desk, 'payout'), /was to be paid/));

test('an engine that funds its provider anew when it cannot find the payment is caught', () =>
  // The second transfer costs coins that no payment accounts for, which the books may show first.
  found(
    'wbtc_to_eth',
    paysAnewWhenUnknown(desk, 'fund'),
    /was to be funded with \d+ once|the ledger and the world disagree/,
  ));

test('an engine that takes the word of a provider for its money is caught', () =>
  found('wbtc_to_eth', takesItsWord(desk), /was to settle its deal/));

test('an engine that sends signed bytes before it has saved them is caught', () =>
  found('usdc_to_xmr', sendsBeforeSaving(desk), /left before they were saved/));

test('an engine that credits a deposit twice is caught', () =>
  // The surplus is owed back at once, so that gas for its refund may be under way when the books are looked at.
  found('usdc_to_xmr', creditsTwice, /was to be credited once|the ledger and the world disagree/));

test('an engine that trades again under another name when the answer is lost is caught', () =>
  found('usdc_to_xmr', tradesAgainUnderAnotherName(desk), /trades on the venue/));

test('an engine that settles two orders with one delivery is caught', async () =>
  foundAmong(['wbtc_to_eth', 'wbtc_to_eth'], await sharesDeliveries(desk), ENOUGH_MS, /was to settle its deal/));

test('engines that take their nonces from the node alone are caught', async () =>
  foundAmong(
    ['xmr_to_usdc', 'xmr_to_usdc', 'xmr_to_usdc'],
    await takesTheNodesNonce(desk),
    3_000,
    /stands still|somebody was called/,
  ));

/** Some bugs need several orders at once. */
async function foundAmong(directions: readonly Direction[], plant: Plant, withinMs: number, by: RegExp): Promise<void> {
  const orders: Order[] = [];
  for (const direction of directions) orders.push(await place(desk, direction));
  for (const order of orders) await pay(desk, order);
  const doors = new Mortal(plant);
  await desk.startEngine(doors, plant);
  const endings = orders.map(async (order) => ({ order, ending: await ending(desk, order, withinMs) }));
  await assert.rejects(async () => auditor.check(await Promise.all(endings)), by);
  await Promise.allSettled(endings);
  doors.die();
}
