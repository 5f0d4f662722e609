import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { freshAddresses } from '../../sandbox/fresh-addresses.ts';
import { patiently } from '../run/patience.ts';
import { astrayIn, type BooksLine } from './books.ts';
import type { Box, Reply } from './box.ts';

export interface RouteEnd {
  readonly name: string;
  readonly chainId: number;
  readonly token: string;
}

/** What can be swapped for what: every ordered pair of these is a route. */
export const ENDS: readonly RouteEnd[] = [
  { name: 'XMR', chainId: 0, token: 'XMR' },
  { name: 'BTC', chainId: 20_000_000_000_001, token: 'BTC' },
  { name: 'ETH', chainId: 1, token: `0x${'0'.repeat(40)}` },
  { name: 'USDC Arbitrum', chainId: 42_161, token: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' },
  { name: 'USDT Tron', chainId: 728_126_428, token: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
  { name: 'TRX', chainId: 728_126_428, token: 'TRX' },
  { name: 'SOL', chainId: 1_151_111_081_099_710, token: 'SOL' },
  { name: 'USDC Solana', chainId: 1_151_111_081_099_710, token: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
  { name: 'ZEC', chainId: 20_000_000_000_133, token: 'ZEC' },
];

export interface Route {
  readonly from: RouteEnd;
  readonly to: RouteEnd;
}

export const ROUTES: readonly Route[] = ENDS.flatMap((from) =>
  ENDS.filter((to) => to !== from).map((to) => ({ from, to })),
);

/** How one route went. `problem` is absent where the chain shows exactly what the order says. */
export interface Trip extends Route {
  readonly deposit: string;
  readonly output: string;
  readonly seconds: number;
  readonly problem?: string;
}

const WORTH_USD = 120;

/** How much of something is worth so many dollars. */
export async function openPrices(box: Box): Promise<(of: RouteEnd, usd?: number) => string> {
  const { body } = await box.api('GET', '/v2/swaps/assets/tokens', undefined, keyOf(box));
  const tokens = body.tokens as { chainId: number; token: string; decimals: number; priceUsd?: string }[];
  return ({ chainId, token }, usd = WORTH_USD) => {
    const known = tokens.find((one) => one.chainId === chainId && one.token.toLowerCase() === token.toLowerCase());
    assert.ok(known?.priceUsd, `${token} on ${chainId} has no price`);
    return BigInt(Math.round((usd / Number(known.priceUsd)) * 10 ** known.decimals)).toString();
  };
}

const MONERO = 0;

/** Addresses that nobody ever paid. Monero's are made by the customer's own wallet: the chain itself does not show who was paid. */
export function openDestinations(box: Box): (chainId: number) => Promise<string> {
  let wallets: ReturnType<typeof walletsOf> | undefined;
  return async (chainId) => {
    if (chainId === MONERO || !wallets) wallets = walletsOf(box);
    const mine = (await wallets).get(chainId);
    const address = chainId === MONERO ? mine?.at(-1) : freshAddresses(() => mine?.[0])(chainId);
    assert.ok(address);
    return address;
  };
}

/** A traveller knows the prices, and has an address for every order that nobody ever paid. */
export async function openTraveller(box: Box, withinMs: number) {
  const amountOf = await openPrices(box);
  const destination = openDestinations(box);

  return async (route: Route): Promise<Trip> => {
    const startedAt = performance.now();
    const amount = amountOf(route.from);
    const toAddress = await destination(route.to.chainId);
    const order = await placeInTime(box, route, amount, toAddress, withinMs);
    await payTo(box, route.from, order.depositAddress, amount);
    const end = await ending(box, order, withinMs);
    const seconds = (performance.now() - startedAt) / 1000;
    const output = String(end.actualOutput ?? '');
    const trip = { ...route, deposit: amount, output, seconds };
    if (end.status !== 'completed') return { ...trip, problem: `${end.status}: ${await whyOf(box, order)}` };
    const { total: got } = await received(box, route.to, toAddress);
    return got === output ? trip : { ...trip, problem: `the chain shows ${got}` };
  };
}

const keyOf = (box: Box) => ({ 'x-integrator-key': box.info.demo.serverKey });

async function walletsOf(box: Box): Promise<ReadonlyMap<number, readonly string[]>> {
  const { status, body } = await box.control('GET', '/sandbox/wallets');
  assert.equal(status, 200, JSON.stringify(body));
  const wallets = body.wallets as { chainId: number; addresses: string[] }[];
  return new Map(wallets.map(({ chainId, addresses }) => [chainId, addresses]));
}

export interface PlacedRoute {
  readonly orderId: string;
  readonly sessionId: string;
  readonly depositAddress: string;
}

export async function placeRoute(box: Box, route: Route, fromAmount: string, toAddress: string): Promise<PlacedRoute> {
  const { status, body } = await askFor(box, route, fromAmount, toAddress);
  assert.equal(status, 201, `${route.from.name} to ${route.to.name}: ${JSON.stringify(body)}`);
  return body as unknown as PlacedRoute;
}

const SHORTLY_MS = 2_000;

/** Providers are asked for so many prices a minute; beyond that customers are told to come again shortly, and do. */
async function placeInTime(
  box: Box,
  route: Route,
  fromAmount: string,
  toAddress: string,
  withinMs: number,
): Promise<PlacedRoute> {
  return patiently('a price', withinMs, async (bound) => {
    while (!bound.isOver()) {
      const { status, body } = await askFor(box, route, fromAmount, toAddress);
      if (status === 201) return body as unknown as PlacedRoute;
      assert.equal(status, 503, JSON.stringify(body));
      await pause(SHORTLY_MS);
    }
    throw new Error('nobody had a price in time');
  });
}

function askFor(box: Box, { from, to }: Route, fromAmount: string, toAddress: string): Promise<Reply> {
  const wish = {
    ...{ fromChainId: from.chainId, fromToken: from.token, toChainId: to.chainId, toToken: to.token },
    ...{ fromAmount, toAddress },
  };
  return box.api('POST', '/v2/swaps', wish, keyOf(box));
}

export async function payTo(box: Box, { chainId, token }: RouteEnd, to: string, amount: string): Promise<void> {
  const { status, body } = await box.control('POST', '/sandbox/pay', { chainId, token, to, amount });
  assert.equal(status, 200, JSON.stringify(body));
}

const ASK_EVERY_MS = 500;

/** Asked rather than followed: one network may not have so many sockets open. */
async function ending(box: Box, order: PlacedRoute, withinMs: number): Promise<Record<string, unknown>> {
  const headers = { 'x-session-id': order.sessionId, ...keyOf(box) };
  return patiently(order.orderId, withinMs, async (bound) => {
    for (;;) {
      const { body } = await box.api('GET', `/v2/swaps/${order.orderId}`, undefined, headers);
      const isOver = body.status !== 'awaiting_deposit' && body.status !== 'processing';
      if (isOver || bound.isOver()) return body;
      await pause(ASK_EVERY_MS);
    }
  });
}

/** In the operator's words. */
async function whyOf(box: Box, { orderId }: PlacedRoute): Promise<string> {
  const { body } = await box.operator('GET', `/operator/orders/${orderId}`);
  return `${orderId} ${body.why}`;
}

export interface Received {
  readonly total: string;
  readonly transfers: readonly { readonly txHash: string; readonly amount: string }[];
}

/** What the chain itself says that the address got. */
export async function received(box: Box, { chainId, token }: RouteEnd, address: string): Promise<Received> {
  const query = new URLSearchParams({ chainId: String(chainId), token, address });
  const { status, body } = await box.control('GET', `/sandbox/received?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Received;
}

const SETTLED_WITHIN_MS = 30_000;
const READ_EVERY_MS = 500;

/** The accounts of the house are read every few seconds: in the end all of them hold what the ledger says. */
export function assertBalanced(box: Box): Promise<void> {
  return patiently('balanced books', SETTLED_WITHIN_MS, async (bound) => {
    for (;;) {
      const { body } = await box.operator('GET', '/operator/ledger');
      const astray = astrayIn(body.assets as readonly BooksLine[]);
      if (astray.length === 0 || bound.isOver()) return assert.deepEqual(astray, []);
      await pause(READ_EVERY_MS);
    }
  });
}

/** Several at a time, in the order given. */
export async function travelAll(
  routes: readonly Route[],
  travel: (route: Route) => Promise<Trip>,
  atOnce: number,
  onTrip: (trip: Trip) => void,
): Promise<readonly Trip[]> {
  const trips: Trip[] = [];
  const waiting = [...routes];
  const walk = async () => {
    for (let route = waiting.shift(); route; route = waiting.shift()) {
      const trip = await travel(route).catch((error: Error): Trip => failed(route as Route, error));
      trips.push(trip);
      onTrip(trip);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, walk));
  return trips;
}

const failed = (route: Route, error: Error): Trip => ({
  ...route,
  ...{ deposit: '', output: '', seconds: 0, problem: error.message },
});
