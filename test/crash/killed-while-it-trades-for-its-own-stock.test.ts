import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { VENUE_USDC, XMR1 } from '../../sandbox/venue-tokens.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Statement } from '../../src/store/db.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { openHyperliquid } from '../../src/world/venues/hyperliquid/hyperliquid.ts';
import { eventually } from '../run/patience.ts';
import { type Desk, openDesk } from './desk.ts';
import { type Moment, Mortal } from './mortal.ts';
import { openWorld } from './world.ts';

const COIN = 10n ** 8n;
/** The world has 5,000 coins on the venue. A move of 20,000 dollars is some sixty of them, so that there are many. */
const WANTED = 6_000n;
const FILL = { from: 'USDC@1337', mostCostPercent: '1', usdPerDay: '1000000', usdAtOnce: '20000' };
const STOCK = {
  XMR1: { low: `${WANTED - 10n}`, target: `${WANTED}`, fill: FILL },
  'USDC@1337': { low: '1', target: '1000' },
};
const DEATHS: readonly (readonly [string, Moment])[] = [
  ['stock_trade_note', 'before'],
  ['stock_trade_note', 'during'],
  ['stock_trade_note', 'after'],
  ['/trade', 'before'],
  ['/trade', 'during'],
  ['/trade', 'after'],
  ['stock_trade_sign', 'before'],
  ['stock_trade_sign', 'after'],
  ['exchange:order', 'before'],
  ['exchange:order', 'during'],
  ['exchange:order', 'after'],
  ['stock_trade_close', 'before'],
  ['stock_trade_close', 'during'],
];
const TRADES: Statement = { name: 'story_trades', text: 'SELECT cloid, state, size FROM stock_trade ORDER BY number' };
const HELD: Statement = {
  name: 'story_held',
  text: `SELECT coalesce(sum(atoms), 0) AS atoms FROM balance WHERE asset LIKE '%' || $1 AND (account = 'treasury' OR account LIKE 'payment:treasury:%')`,
};

let desk: Desk;
before(async () => {
  const world = await openWorld();
  const { config } = world;
  desk = await openDesk({ ...world, config: { ...config, treasury: { ...config.treasury, stock: STOCK } } });
});
after(() => desk?.close());

const trades = async () =>
  (await desk.world.db.query(TRADES)) as readonly { cloid: string; state: string; size: string }[];
const booked = async (token: string): Promise<bigint> =>
  BigInt((await desk.world.db.query(HELD, [token]))[0]?.atoms as string);

/** What the venue itself says. */
async function onVenue() {
  const { venue: at, hot, clock, arbitrum } = desk.world;
  const [{ id: asset, chainId } = assert.fail('no asset')] = arbitrum.network.facts.assets;
  const funding = { chainId, asset, address: hot.evm };
  const venue = await openHyperliquid({ url: at.url, account: hot.evm, funding }, httpOutbound, clock);
  const fills = await venue.fills(instant(0));
  const held = new Map((await venue.balances()).map(({ asset: one, atoms }) => [one.split(':')[1], atoms]));
  await venue.close();
  return { fills, held };
}

test('an engine that dies at any call of a trade for stock is followed by one that ends it, and nothing is traded twice', async () => {
  for (const [label, moment] of DEATHS) {
    const doomed = new Mortal({ dies: (call) => (call.label === label ? moment : undefined) });
    await desk.startEngine(doomed);
    await doomed.death;
  }
  const last = await desk.startEngine(new Mortal());
  await eventually(async () => (await booked(XMR1)) >= (WANTED - 10n) * COIN, 60_000);
  await eventually(async () => (await trades()).every(({ state }) => state !== 'open'));
  await last?.stop();

  const { fills, held } = await onVenue();
  const all = await trades();
  assert.ok(all.filter(({ state }) => state === 'done').length >= 10, JSON.stringify(all));
  for (const { cloid, state, size } of all) {
    const filled = fills.filter((fill) => fill.clientId === cloid).reduce((sum, fill) => sum + fill.size, 0n);
    assert.equal(filled, state === 'done' ? BigInt(size) : 0n, cloid);
  }
  assert.deepEqual(
    new Set(fills.map(({ clientId }) => clientId)).size,
    all.filter((one) => one.state === 'done').length,
  );
  for (const token of [XMR1, VENUE_USDC]) assert.equal(await booked(token), held.get(token), token);
  assert.ok((await booked(XMR1)) <= WANTED * COIN + COIN);
});
