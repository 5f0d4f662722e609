import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openExposureBound } from '../../src/app/exposure.ts';
import { boundExposure } from '../../src/app/gates.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { OrderId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { usdPrice } from '../../src/kernel/usd.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import type { MarketView } from '../../src/life/quote/market-view.ts';
import type { Quote } from '../../src/life/quote/quote.ts';
import type { Quotes } from '../../src/life/quote/quotes.ts';
import { openExposure } from '../../src/store/exposure.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { collected, funded } from './case-stories.ts';
import { ETH, ETHER, USDC, usdc, XMR, xmr, xmr1 } from './market.ts';
import { AT, filled, news } from './order-phases.ts';
import { buyOrder, final, sellOrder, swapOrder } from './world.ts';

const [LEG] = buyOrder().route.legs;
assert.ok(LEG?.leg === 'venue');
const VENUE_USDC = LEG.spend;
let room: CaseRoom;
before(async () => {
  room = await openCaseRoom();
  room.wait(AT - room.clock.now() + 60_000);
  await room.stock(USDC.id, XMR.id, ETH.id, ETHER.id, xmr1('1').asset, VENUE_USDC);
});
after(() => room.close());

/** A dollar for a whole coin, of eight decimals on the venue and of six elsewhere, so that 100 USDC are 100 dollars. */
const view = {
  market: { base: xmr1('1').asset, quote: VENUE_USDC },
  price: ({ id }: { id: string }) => usdPrice(ratio(1n, 1n), id === VENUE_USDC ? 8 : 6),
} as unknown as MarketView;
let isVenueAway = false;
const bound = (most: number) =>
  openExposureBound({
    ...{ most, book: openExposure(room.db), stands: { base: XMR.id }, clock: room.clock },
    market: async () => {
      if (isVenueAway) throw new Fault('transient', 'venue', 'no answer');
      return view;
    },
    catalog: { chain: () => ({ facts: { assets: [USDC, XMR, ETHER, { id: VENUE_USDC }] } }) as never },
  });
const answer = async (order: { readonly route: Quote['route'] }, most: number) => {
  const quotes = { quote: async () => ({ route: order.route }) as Quote } as unknown as Quotes;
  const quote = await boundExposure(quotes, bound(most)).quote({} as never);
  return isRefusal(quote) ? quote.refusal : 'quoted';
};

test('what nobody has paid yet, or is not traded on the book, does not count', async () => {
  await room.keep(buyOrder());
  const swap = await room.keep(swapOrder({ collects: false }));
  await room.tell(swap, final({ ...usdc('0'), asset: ETHER.id, atoms: (10n ** 17n) as never }, AT));
  assert.equal(await bound(1).isFull('buy'), false);
  assert.equal(await answer(buyOrder(), 1), 'quoted');
});

let waiting: OrderId;
test('closes its direction when as much waits as may, and opens it when some of it is traded', async () => {
  waiting = await room.keep(buyOrder());
  await room.tell(waiting, ...funded);
  assert.equal(await answer(buyOrder(), 101), 'quoted');
  assert.equal(await answer(buyOrder(), 100), 'unavailable');
  assert.equal(await answer(sellOrder(), 100), 'quoted', 'the other direction is open');
  assert.equal(await answer(swapOrder(), 1), 'quoted', 'and so is whatever the book has no part in');
});

test('counts an order once on its whole way to the trade, and not after it', async () => {
  const id = await room.keep(buyOrder());
  const steps = [...collected, { fact: 'stock_reserved', at: AT } as const];
  for (const one of steps) {
    await room.tell(id, one);
    assert.equal(await bound(201).isFull('buy'), false);
  }
  assert.equal(await bound(190).isFull('buy'), true, 'both of them');
  await room.tell(id, filled);
  assert.equal(await bound(101).isFull('buy'), false, 'what was traded waits no more');
});

test('counts an order whose collection failed and is made anew', async () => {
  const id = await room.keep(buyOrder());
  await room.tell(id, ...funded);
  const goesOn = async (step: string, fact: (order: Order) => Fact) => {
    await room.tell(id, fact);
    assert.equal(await bound(190).isFull('buy'), true, `${step}: this and the one that waits`);
  };
  await goesOn('priced', (order) => news(order, 'collection').priced(0n));
  await goesOn('signed', (order) => news(order, 'collection').signed);
  await goesOn('failed', (order) => news(order, 'collection').failed);
  await goesOn('priced anew', (order) => news(order, 'collection').priced(0n));
});

test('sells are counted in the coin that is sold', async () => {
  const id = await room.keep(sellOrder());
  await room.tell(id, final(xmr('1'), AT));
  assert.equal(await bound(1).isFull('sell'), true);
  assert.equal(await answer(sellOrder(), 1), 'unavailable');
});

test('where nobody can say what it is worth, nothing is added to it', async () => {
  isVenueAway = true;
  assert.equal(await answer(buyOrder(), 1_000_000), 'unavailable');
  isVenueAway = false;
});
