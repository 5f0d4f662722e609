import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { present } from '../../src/kernel/assert.ts';
import { type Address, assetId, chainId, type OrderId, type TokenId } from '../../src/kernel/ids.ts';
import type { Statement } from '../../src/store/db.ts';
import { openPayoutPrices } from '../../src/store/payout-prices.ts';
import { USDC, WISHES } from '../e2e/customer.ts';
import { type Bound, patiently } from '../run/patience.ts';
import type { Desk } from './desk.ts';
import { PARTNER, type World } from './world.ts';

const ARBITRUM = 42_161;
const ETH = `0x${'0'.repeat(40)}`;
const WBTC = '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f';
const [BITCOINS, MONEROS] = ['200000', '500000000000'];

/** What customers ask for. Trips with WBTC or ETH go by a provider, all others and both halves of two by the venue. */
export const TRIPS = {
  ...WISHES,
  wbtc_to_eth: { fromChainId: ARBITRUM, fromToken: WBTC, fromAmount: BITCOINS, toChainId: ARBITRUM, toToken: ETH },
  wbtc_to_xmr: { fromChainId: ARBITRUM, fromToken: WBTC, fromAmount: BITCOINS, toChainId: 0, toToken: 'XMR' },
  xmr_to_wbtc: { fromChainId: 0, fromToken: 'XMR', fromAmount: MONEROS, toChainId: ARBITRUM, toToken: WBTC },
} as const;

const FEE_PERCENT = 1n;

export type Direction = keyof typeof TRIPS;
export const DIRECTIONS = Object.keys(TRIPS) as readonly Direction[];

export const isFromMonero = (direction: Direction): boolean => TRIPS[direction].fromChainId === 0;
export const isToMonero = (direction: Direction): boolean => TRIPS[direction].toChainId === 0;
export const usesVenue = (direction: Direction): boolean => isFromMonero(direction) || isToMonero(direction);
/** The two tokens that a provider swaps on the way; undefined where none is asked. */
export function swapOf(direction: Direction): { readonly from: string; readonly to: string } | undefined {
  const { fromToken, toToken } = TRIPS[direction];
  const [from, to] = [isFromMonero(direction) ? USDC : fromToken, isToMonero(direction) ? USDC : toToken];
  return from === to ? undefined : { from, to };
}

export interface Order {
  readonly id: OrderId;
  readonly session: string;
  readonly direction: Direction;
  readonly depositAddress: string;
  readonly deposit: bigint;
  /** Of the deposit, for the partner; nothing by most orders. */
  readonly fee: bigint;
  readonly destination: string;
}

/** Places an order through the API; its destination was never paid before. */
export async function place(desk: Desk, direction: Direction, bearsFee = false): Promise<Order> {
  const destination = isToMonero(direction)
    ? await desk.world.monero.freshDestination()
    : `0x${randomBytes(20).toString('hex')}`;
  const { fromChainId, fromToken, toChainId, toToken } = TRIPS[direction];
  await answerPrice(desk.world, toChainId, toToken, destination);
  if (bearsFee) await answerPrice(desk.world, fromChainId, fromToken, PARTNER);
  const percent = bearsFee ? FEE_PERCENT : 0n;
  const reply = await fetch(`${desk.apiUrl}/v2/swaps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-integrator-key': desk.demo.serverKey },
    body: JSON.stringify({
      ...{ ...TRIPS[direction], toAddress: destination },
      integratorFeePercent: Number(percent),
    }),
  });
  const body = (await reply.json()) as Record<string, string>;
  assert.equal(reply.status, 201, JSON.stringify(body));
  return {
    id: body.orderId as OrderId,
    session: body.sessionId ?? '',
    direction,
    depositAddress: body.depositAddress ?? '',
    deposit: BigInt(body.depositAmount ?? 0),
    fee: (BigInt(body.depositAmount ?? 0) * percent) / 100n,
    destination,
  };
}

/** No engine runs while an order is placed: its answer to what paying somebody costs is there before the API asks, and waits for it. */
async function answerPrice({ db, clock }: World, chain: number, token: string, to: string): Promise<void> {
  const asset = assetId(chainId(chain), token as TokenId);
  const prices = openPayoutPrices(db);
  const usual = present(await prices.find(asset, undefined), `what paying ${asset} costs`);
  await prices.answer(asset, to as Address, usual, clock.now());
}

/** The deposit is on its way: in a block of Arbitrum, or in the pool of Monero. */
export async function pay({ world }: Desk, { direction, depositAddress: to, deposit: atoms }: Order): Promise<void> {
  if (isFromMonero(direction)) {
    await world.monero.pay({ to, atoms });
    return;
  }
  await world.arbitrum.pay({ token: TRIPS[direction].fromToken, to, atoms });
  await world.arbitrum.mine(1);
}

const PHASE: Statement = {
  name: 'crash_phase',
  text: `SELECT phase, is_busy, doc -> 'state' AS state, EXISTS (SELECT FROM payment
    WHERE owner = orders.id AND 'sent' IN (state, doc #>> '{gas,progress,state}')) AS has_sent FROM orders WHERE id = $1`,
};
const ENDS_WITHIN_MS = 30_000;
/** Who waits for somebody else's payment gets the next block this often. */
const BLOCK_MS = 20;

export type Ending = Readonly<Record<string, unknown>>;

/**
 * Follows the order until it has ended and every payment of it is settled, lets blocks come where it waits for them, and
 * gives what the API then says of it.
 */
export const ending = (desk: Desk, order: Order, withinMs = ENDS_WITHIN_MS): Promise<Ending> =>
  patiently(order.id, withinMs, (bound) => followed(desk, order, bound));

async function followed(desk: Desk, order: Order, bound: Bound): Promise<Ending> {
  const { world } = desk;
  let wake = () => {};
  const stop = desk.feed.watch(order.id, () => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const [row] = await world.db.query(PHASE, [order.id]);
      const phase = String(row?.['phase']);
      if (row?.['is_busy'] !== true) return read(desk, order);
      if (bound.isOver()) throw new Error(`${order.id} stands still in ${phase}: ${JSON.stringify(row?.['state'])}`);
      // What we sent gets its own block from the watchman, and is seen in it before it is settled.
      if (row['has_sent'] !== true) for (const chain of awaited(world, order, phase)) await chain.mine(1);
      await Promise.race([changed, pause(BLOCK_MS)]);
    }
  } finally {
    stop();
  }
}

/** Where a payment comes in that others make: the customer's deposit, or what a provider delivers. In the end all must be final. */
function awaited({ arbitrum, monero }: World, { direction }: Order, phase: string) {
  if (phase === 'completed') return [arbitrum, monero];
  if (phase === 'swapping') return [arbitrum];
  if (phase !== 'confirming') return [];
  return isFromMonero(direction) ? [monero] : [arbitrum];
}

async function read(desk: Desk, { id, session }: Order): Promise<Ending> {
  const reply = await fetch(`${desk.apiUrl}/v2/swaps/${id}`, { headers: { 'x-session-id': session } });
  const body = (await reply.json()) as Ending;
  assert.equal(reply.status, 200, JSON.stringify(body));
  return body;
}
