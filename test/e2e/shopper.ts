import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { patiently } from '../run/patience.ts';
import type { Box, Reply } from './box.ts';
import { ENDS, openDestinations, type RouteEnd } from './routes.ts';

export type View = Record<string, unknown>;

export interface Bought {
  readonly generation: 'v1' | 'v2';
  readonly orderId: string;
  readonly sessionId: string;
  readonly depositAddress: string;
  readonly depositAmount: string;
  readonly expectedOutput: string;
  readonly expiresAt: string;
  readonly toAddress: string;
  readonly from: RouteEnd;
  readonly to: RouteEnd;
}

/** Something that can be swapped, by the name that the routes have for it. */
export function end(name: string): RouteEnd {
  const found = ENDS.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
}

export const XMR = end('XMR');
export const ZEC = end('ZEC');
export const USDC = end('USDC Arbitrum');

/** The same words in both generations. */
const ENDS_OF_ALL: ReadonlySet<string> = new Set(['completed', 'refunded', 'expired', 'failed']);
const ASK_EVERY_MS = 150;
const WITHIN_MS = 100_000;
const OFFERED_WITHIN_MS = 15_000;

export const stateOf = (order: View) => order.customerState as Record<string, string>;
export const recoveryOf = (order: View) => order.refundRecovery as Record<string, string>;

export interface Received {
  readonly total: string;
  readonly transfers: readonly { readonly txHash: string; readonly amount: string }[];
}

/** It came back in one piece: what was owed without what the network took, which is a third of it at most (D80). */
export function assertGivenBack(order: View, { total, transfers }: Received, owed: bigint): void {
  assert.deepEqual([total, transfers.length], [recoveryOf(order).amount, 1]);
  assertAlmostAll(total, owed);
}

export function assertAlmostAll(total: string, owed: bigint): void {
  const lost = owed - BigInt(total);
  assert.ok(lost >= 0n && 3n * lost <= owed, `${total} of ${owed} came back`);
}
export const isDone = (order: View): boolean => order.status === 'completed';

/** A customer who may do all that customers do, by either generation, and judges the money by what the chains say. */
export function openShopper(box: Box, withinMs = WITHIN_MS, askEveryMs = ASK_EVERY_MS) {
  const key = { 'x-integrator-key': box.info.demo.serverKey };
  const addressOn = openDestinations(box);

  async function control(method: string, path: string, body?: unknown): Promise<View> {
    const reply = await box.control(method, path, body);
    assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  async function buy(from: RouteEnd, to: RouteEnd, fromAmount: string, more: View = {}): Promise<Bought> {
    const { generation = 'v2', ...rest } = more;
    const isV1 = generation === 'v1';
    const toAddress = await addressOn(to.chainId);
    const wish = {
      ...{ fromChainId: from.chainId, fromToken: from.token, toChainId: to.chainId, toToken: to.token },
      ...{ fromAmount, toAddress, ...rest },
    };
    const { status, body } = await patiently('an offer', OFFERED_WITHIN_MS, async (bound) => {
      for (;;) {
        const reply = await box.api('POST', isV1 ? '/v1/order' : '/v2/swaps', wish, key);
        const { missing } = (reply.body.details ?? {}) as View;
        // Whoever is told to try again shortly does: on a busy machine a provider may not answer in time. Nothing else is asked twice.
        if (reply.status !== 503 || missing !== 'offers' || bound.isOver()) return reply;
        await pause(askEveryMs);
      }
    });
    assert.equal(status, isV1 ? 200 : 201, JSON.stringify(body));
    return { ...(body as unknown as Bought), generation: isV1 ? 'v1' : 'v2', toAddress, from, to };
  }

  /** From the customer, unless another of the sandbox's senders is named. */
  async function send({ chainId, token }: RouteEnd, to: string, amount: bigint | string, from?: string): Promise<View> {
    return control('POST', '/sandbox/pay', { chainId, token, to, amount: `${amount}`, ...(from ? { from } : {}) });
  }
  async function sendersOn(chainId: number): Promise<readonly string[]> {
    const { wallets } = await control('GET', '/sandbox/wallets');
    const place = (wallets as { chainId: number; senders: string[] }[]).find((one) => one.chainId === chainId);
    return place?.senders ?? assert.fail(`nobody can pay on ${chainId}`);
  }
  const pay = (order: Bought, amount: bigint | string = order.depositAmount) =>
    send(order.from, order.depositAddress, amount);

  async function read({ generation, orderId, sessionId, toAddress }: Bought): Promise<View> {
    const reply =
      generation === 'v1'
        ? await box.api('GET', `/v1/order/${orderId}?verify=${toAddress}`, undefined, key)
        : await box.api('GET', `/v2/swaps/${orderId}`, undefined, { ...key, 'x-session-id': sessionId });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  }

  /** Asks until this is true of the order, and looks at everything on the way. */
  async function until(order: Bought, isTrue: (seen: View) => boolean, onLook = (_: View) => {}): Promise<View> {
    return patiently(order.orderId, withinMs, async (bound) => {
      for (;;) {
        const seen = await read(order);
        onLook(seen);
        if (isTrue(seen)) return seen;
        assert.ok(!bound.isOver(), `${order.orderId} stays ${JSON.stringify(seen)}`);
        await pause(askEveryMs);
      }
    });
  }

  async function received({ chainId, token }: RouteEnd, address: string): Promise<Received> {
    const query = new URLSearchParams({ chainId: `${chainId}`, token, address });
    const { total, transfers } = await control('GET', `/sandbox/received?${query}`);
    return { total: String(total), transfers: transfers as Received['transfers'] };
  }

  /** The order ends well, and its destination got exactly one transfer of exactly what it says. */
  async function completed(order: Bought, toAddress = order.toAddress): Promise<View> {
    const seen = await until(order, ({ status }) => ENDS_OF_ALL.has(String(status)));
    assert.equal(seen.status, 'completed', JSON.stringify(seen));
    const { total, transfers } = await received(order.to, toAddress);
    assert.deepEqual([total, transfers.length], [seen.actualOutput, 1]);
    return seen;
  }

  const session = ({ sessionId }: Bought) => ({ 'x-session-id': sessionId });
  const close = (order: Bought, headers: Record<string, string> = session(order)): Promise<Reply> =>
    box.api('POST', `/v2/orders/${order.orderId}/deposit-wait/close`, undefined, headers);
  const giveRefundAddress = (order: Bought, refundAddress: string, headers = session(order)): Promise<Reply> =>
    box.api('PUT', `/v2/orders/${order.orderId}/refund-address`, { refundAddress }, headers);
  const givePayoutAddress = (
    order: Bought,
    payoutAddress: string,
    headers: Record<string, string> = session(order),
  ): Promise<Reply> => box.api('PUT', `/v2/orders/${order.orderId}/payout-address`, { payoutAddress }, headers);

  /** Names a fresh address of that place, and everything that is owed arrives there in one piece. */
  async function refunded(order: Bought, place: RouteEnd, amount: string): Promise<View> {
    const address = await addressOn(place.chainId);
    const given = await giveRefundAddress(order, address);
    assert.equal(given.status, 200, JSON.stringify(given.body));
    const seen = await until(order, (now) => recoveryOf(now)?.phase === 'completed');
    assertGivenBack(seen, await received(place, address), BigInt(amount));
    return seen;
  }

  const fault = (target: string, mode: string, count?: number) =>
    control('POST', '/sandbox/fault', { target, mode, ...(count ? { count } : {}) });
  const passTime = (advanceMs: number) => control('POST', '/sandbox/clock', { advanceMs });
  const rhythm = (chainId: number, intervalMs: number) => control('POST', '/sandbox/automine', { chainId, intervalMs });

  return {
    ...{ control, addressOn, buy, send, sendersOn, pay, read, until, received, completed, refunded },
    ...{ close, giveRefundAddress, givePayoutAddress, fault, passTime, rhythm },
  };
}

export type Shopper = ReturnType<typeof openShopper>;
