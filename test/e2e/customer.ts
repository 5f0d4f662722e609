import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { on } from 'node:events';
import WebSocket from 'ws';
import { patiently } from '../run/patience.ts';
import type { Box } from './box.ts';

export const USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';

export type Direction = 'usdc_to_xmr' | 'xmr_to_usdc';

/** What a customer asks for in one of the two directions, without the address to be paid at. */
export const WISHES = {
  usdc_to_xmr: { fromChainId: 42161, fromToken: USDC, fromAmount: '100000000', toChainId: 0, toToken: 'XMR' },
  xmr_to_usdc: { fromChainId: 0, fromToken: 'XMR', fromAmount: '500000000000', toChainId: 42161, toToken: USDC },
} as const;

export interface Placed {
  readonly orderId: string;
  readonly sessionId: string;
  readonly depositAddress: string;
  readonly depositAmount: string;
  readonly toAddress: string;
  readonly direction: Direction;
}

/** An address that nobody ever paid: what arrives there is this order's and nothing else. */
export async function freshAddress(box: Box, direction: Direction): Promise<string> {
  if (direction === 'xmr_to_usdc') return `0x${randomBytes(20).toString('hex')}`;
  const { body } = await box.control('GET', '/sandbox/wallets');
  const wallets = body.wallets as { chainId: number; addresses: string[] }[];
  const address = wallets.find(({ chainId }) => chainId === 0)?.addresses.at(-1);
  assert.ok(address);
  return address;
}

export async function placeV2(box: Box, direction: Direction): Promise<Placed> {
  const toAddress = await freshAddress(box, direction);
  const wish = { ...WISHES[direction], toAddress };
  const { status, body } = await box.api('POST', '/v2/swaps', wish, { 'x-integrator-key': box.info.demo.serverKey });
  assert.equal(status, 201, JSON.stringify(body));
  return { ...(body as unknown as Placed), toAddress, direction };
}

export async function pay(box: Box, { direction, depositAddress, depositAmount }: Placed): Promise<void> {
  const { fromChainId, fromToken } = WISHES[direction];
  const payment = { chainId: fromChainId, token: fromToken, to: depositAddress, amount: depositAmount };
  const { status, body } = await box.control('POST', '/sandbox/pay', payment);
  assert.equal(status, 200, JSON.stringify(body));
}

export type Followed = Pick<Placed, 'orderId' | 'sessionId'>;
export type OrderView = Record<string, unknown>;

/** Follows the order by its events until this is true of it. */
export async function until(
  box: Box,
  { orderId, sessionId }: Followed,
  withinMs: number,
  isTrue: (order: OrderView, type: string) => boolean,
): Promise<OrderView> {
  const url = `${box.info.apiUrl.replace('http', 'ws')}/v2/swaps/${orderId}/events`;
  // With a key, since all stories come from one network and would use up its allowance.
  const headers = { 'x-session-id': sessionId, 'x-integrator-key': box.info.demo.serverKey };
  const socket = new WebSocket(url, { headers });
  let last: unknown;
  try {
    return await patiently(orderId, withinMs, async ({ signal }) => {
      for await (const [data] of on(socket, 'message', { signal, close: ['close'] })) {
        const { type, order } = JSON.parse(String(data)) as { type: string; order: OrderView };
        if (isTrue(order, type)) return order;
        last = order;
      }
      throw new Error('no more events');
    });
  } catch (cause) {
    throw new Error(`waiting for ${orderId}, last seen as ${JSON.stringify(last)}`, { cause });
  } finally {
    socket.close();
  }
}

export const ending = (box: Box, placed: Followed, withinMs: number): Promise<OrderView> =>
  until(box, placed, withinMs, (_, type) => type === 'final');

/** The destination got exactly one transfer of exactly what the order says. */
export async function assertPaidOnce(box: Box, { direction, toAddress }: Placed, actualOutput: unknown): Promise<void> {
  const { toChainId, toToken } = WISHES[direction];
  const query = new URLSearchParams({ chainId: `${toChainId}`, token: toToken, address: toAddress });
  const { status, body } = await box.control('GET', `/sandbox/received?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.total, actualOutput);
  assert.equal((body.transfers as unknown[]).length, 1);
}
