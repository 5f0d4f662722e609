import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { OrderId } from '../../src/kernel/ids.ts';
import type { Statement } from '../../src/store/db.ts';
import { type Direction, WISHES } from '../e2e/customer.ts';
import type { Desk } from './desk.ts';

export type { Direction };

export interface Order {
  readonly id: OrderId;
  readonly session: string;
  readonly direction: Direction;
  readonly depositAddress: string;
  readonly deposit: bigint;
  readonly destination: string;
}

/** Places an order through the API; its destination was never paid before. */
export async function place(desk: Desk, direction: Direction): Promise<Order> {
  const destination =
    direction === 'usdc_to_xmr' ? await desk.world.monero.freshDestination() : `0x${randomBytes(20).toString('hex')}`;
  const reply = await fetch(`${desk.apiUrl}/v2/swaps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-integrator-key': desk.demo.serverKey },
    body: JSON.stringify({ ...WISHES[direction], toAddress: destination }),
  });
  const body = (await reply.json()) as Record<string, string>;
  assert.equal(reply.status, 201, JSON.stringify(body));
  return {
    id: body.orderId as OrderId,
    session: body.sessionId ?? '',
    direction,
    depositAddress: body.depositAddress ?? '',
    deposit: BigInt(body.depositAmount ?? 0),
    destination,
  };
}

/** The deposit is on its way: in a block of Arbitrum, or in the pool of Monero. */
export async function pay({ world }: Desk, { direction, depositAddress: to, deposit: atoms }: Order): Promise<void> {
  if (direction === 'xmr_to_usdc') {
    await world.monero.pay({ to, atoms });
    return;
  }
  await world.arbitrum.pay({ token: WISHES.usdc_to_xmr.fromToken, to, atoms });
  await world.arbitrum.mine(1);
}

const PHASE: Statement = { name: 'crash_phase', text: 'SELECT phase, is_open FROM orders WHERE id = $1' };
const ENDS_WITHIN_MS = 30_000;
/** Deposits get their next block this often while they wait for it. */
const BLOCK_MS = 20;

export type Ending = Readonly<Record<string, unknown>>;

/** Follows the order to its end, lets blocks come where it waits for them, and gives what the API then says of it. */
export async function ending(desk: Desk, order: Order, withinMs = ENDS_WITHIN_MS): Promise<Ending> {
  const { world } = desk;
  const source = order.direction === 'usdc_to_xmr' ? world.arbitrum : world.monero;
  const deadline = performance.now() + withinMs;
  let wake = () => {};
  const stop = desk.feed.watch(order.id, () => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const [row] = await world.db.query(PHASE, [order.id]);
      const phase = String(row?.['phase']);
      if (row?.['is_open'] !== true) return read(desk, order);
      if (performance.now() > deadline) throw new Error(`${order.id} stands still in ${phase}`);
      if (phase === 'confirming') await source.mine(1);
      await Promise.race([changed, pause(BLOCK_MS)]);
    }
  } finally {
    stop();
  }
}

async function read(desk: Desk, { id, session }: Order): Promise<Ending> {
  const reply = await fetch(`${desk.apiUrl}/v2/swaps/${id}`, { headers: { 'x-session-id': session } });
  const body = (await reply.json()) as Ending;
  assert.equal(reply.status, 200, JSON.stringify(body));
  return body;
}
