import assert from 'node:assert/strict';
import { on } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import WebSocket from 'ws';
import { TOKENS } from '../../sandbox/simulators/hyperliquid/state.ts';
import { patiently } from '../run/patience.ts';
import type { Box, Reply } from './box.ts';
import type { RouteEnd } from './routes.ts';
import { assertGivenBack, end, openShopper, type View, XMR, ZEC } from './shopper.ts';

export type Direction = 'deposit' | 'withdraw';

const VENUE = 1337;
const ARBITRUM = 42_161;
export const onVenue = (name: keyof typeof TOKENS): RouteEnd => ({
  ...{ name, chainId: VENUE, token: TOKENS[name].tokenId },
});

/** A coin, its wrapped form, and what the sandbox's configuration says of bridging it, in atoms of what is sent. */
export interface Pair {
  readonly name: 'xmr' | 'trx' | 'zec';
  readonly native: RouteEnd;
  readonly wrapped: RouteEnd;
  readonly decimals: number;
  readonly minimum: Readonly<Record<Direction, bigint>>;
  /** Kept of every withdrawal, in the coin. */
  readonly flat: bigint;
}
const WRAPPED_DECIMALS = 8;
const FEE_PER_MILLE = 1n;

const rescaled = (value: bigint, from: number, to: number): bigint => (value * 10n ** BigInt(to)) / 10n ** BigInt(from);

function pair(name: Pair['name'], native: RouteEnd, decimals: number, minimum: bigint, flat: bigint): Pair {
  const wrapped = onVenue(`${name.toUpperCase()}1` as keyof typeof TOKENS);
  const minimums = { deposit: minimum, withdraw: rescaled(minimum, decimals, WRAPPED_DECIMALS) };
  return { name, native, wrapped, decimals, minimum: minimums, flat };
}
export const PAIRS: readonly Pair[] = [
  pair('xmr', XMR, 12, 50_000_000_000n, 1_000_000_000n),
  pair('trx', end('TRX'), 6, 50_000_000n, 2_000_000n),
  pair('zec', ZEC, 8, 5_000_000n, 100_000n),
];

/** What a gross amount becomes: a thousandth stays, then the decimals change, then the flat fee of a withdrawal stays. */
export function bridged({ decimals, flat }: Pair, direction: Direction, gross: bigint): bigint {
  const net = gross - (gross * FEE_PER_MILLE) / 1_000n;
  return direction === 'deposit'
    ? rescaled(net, decimals, WRAPPED_DECIMALS)
    : rescaled(net, WRAPPED_DECIMALS, decimals) - flat;
}

/** What an order pays for opening the account of its destination, where the chain asks for that (D79). */
export function activationOf({ fees }: View): bigint {
  const lines = fees as readonly { readonly type: string; readonly amount: string }[];
  return BigInt(lines.find(({ type }) => type === 'activation')?.amount ?? 0);
}

export interface Bridging {
  readonly pair: Pair;
  readonly direction: Direction;
  readonly from: RouteEnd;
  readonly to: RouteEnd;
  readonly orderId: string;
  readonly sessionId: string;
  readonly depositAddress: string;
  readonly toAddress: string;
  /** As it was answered. */
  readonly created: View;
}

const AWAITED: Readonly<Record<Pair['name'], string>> = {
  ...{ xmr: 'awaiting_xmr1', trx: 'awaiting_trx1', zec: 'awaiting_deposit' },
};

export function assertCreated({ created, ...order }: Bridging): void {
  const { pair: coin, direction, from, to, depositAddress, toAddress } = order;
  assert.deepEqual([created.product, created.asset, created.direction], ['bridge', coin.name, direction]);
  assert.deepEqual([created.fromChainId, created.fromToken], [from.chainId, from.token]);
  assert.deepEqual([created.toChainId, created.toToken], [to.chainId, to.token]);
  assert.deepEqual([created.destination, created.toAddress], [toAddress, toAddress]);
  assert.equal(created.minimumDepositAmount, `${coin.minimum[direction]}`);
  assert.equal(created.status, direction === 'withdraw' ? AWAITED[coin.name] : 'awaiting_deposit');
  for (const { name } of PAIRS) {
    const isNamed = direction === 'withdraw' && name === coin.name;
    assert.equal(created[`${name}1DepositAddress`], isNamed ? depositAddress : undefined);
  }
  const forms = created.depositAddressForms as Record<string, string> | undefined;
  assert.equal(forms !== undefined, coin.name === 'zec' && direction === 'deposit');
  if (forms) assert.deepEqual([forms.unified, forms.transparent?.slice(0, 2)], [depositAddress, 't1']);
}

/** What went in is what came out and what was kept, in the coin that came out. */
export function assertSettled({ pair: coin, direction }: Bridging, seen: View, gross: bigint): void {
  const { input, output, fee } = seen.bridgeSettlement as Record<string, { amount: string; decimals: number }>;
  const [from, to] = direction === 'deposit' ? [coin.decimals, WRAPPED_DECIMALS] : [WRAPPED_DECIMALS, coin.decimals];
  assert.deepEqual([input?.decimals, output?.decimals, fee?.decimals], [from, to, to]);
  assert.deepEqual([input?.amount, output?.amount], [`${gross}`, seen.actualOutput]);
  assert.equal(BigInt(output?.amount ?? 0) + BigInt(fee?.amount ?? 0), rescaled(gross, from, to));
}

const ENDS: ReadonlySet<unknown> = new Set(['completed', 'refunded', 'expired', 'failed']);
const ASK_EVERY_MS = 150;
const WITHIN_MS = 60_000;

/** A customer of the bridges in either generation, who judges the money by what the chains say. */
export function openBridger(box: Box) {
  const shopper = openShopper(box);
  const { send, received } = shopper;
  const key = { 'x-integrator-key': box.info.demo.serverKey };

  /** The venue's accounts are those of EVM chains. */
  const addressOn = ({ chainId }: RouteEnd): Promise<string> =>
    shopper.addressOn(chainId === VENUE ? ARBITRUM : chainId);

  const ask = (body: View): Promise<Reply> => box.api('POST', '/v2/bridges', body, key);

  async function open(coin: Pair, direction: Direction, more: View = {}): Promise<Bridging> {
    const [from, to] = direction === 'deposit' ? [coin.native, coin.wrapped] : [coin.wrapped, coin.native];
    const toAddress = String(more.toAddress ?? (await addressOn(to)));
    const { status, body } = await ask({ asset: coin.name, direction, ...more, toAddress });
    assert.equal(status, 201, JSON.stringify(body));
    const { orderId, sessionId, depositAddress } = body as unknown as Bridging;
    return { pair: coin, direction, from, to, orderId, sessionId, depositAddress, toAddress, created: body };
  }

  const pay = ({ from, depositAddress }: Bridging, amount: bigint) => send(from, depositAddress, amount);

  async function read({ orderId, sessionId }: Bridging): Promise<View> {
    const reply = await box.api('GET', `/v2/bridges/${orderId}`, undefined, { ...key, 'x-session-id': sessionId });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  }

  /** Asks until this is true of what `look` sees. */
  async function until(look: () => Promise<View>, isTrue: (seen: View) => boolean): Promise<View> {
    return patiently('a bridge', WITHIN_MS, async (bound) => {
      for (;;) {
        const seen = await look();
        if (isTrue(seen)) return seen;
        assert.ok(!bound.isOver(), `it stays ${JSON.stringify(seen)}`);
        await pause(ASK_EVERY_MS);
      }
    });
  }
  const untilOrder = (order: Bridging, isTrue: (seen: View) => boolean) => until(() => read(order), isTrue);

  /** The order ends well: its destination got one transfer, of what the fees leave of what came. */
  async function completed(order: Bridging, gross: bigint): Promise<View> {
    const seen = await untilOrder(order, ({ status }) => ENDS.has(status));
    assert.equal(seen.status, 'completed', JSON.stringify(seen));
    const { total, transfers } = await received(order.to, order.toAddress);
    assert.deepEqual([total, transfers.length], [seen.actualOutput, 1]);
    const net = bridged(order.pair, order.direction, gross) - activationOf(seen);
    assert.equal(seen.actualOutput, `${net}`, order.pair.name);
    assert.equal(seen.observedDepositAmount, `${gross}`);
    return seen;
  }

  const giveRefundAddress = ({ orderId, sessionId }: Bridging, refundAddress: string): Promise<Reply> =>
    box.api('PUT', `/v2/orders/${orderId}/refund-address`, { refundAddress }, { ...key, 'x-session-id': sessionId });

  /** Everything that is owed arrives in one piece at a fresh address of that place. */
  async function refunded(order: Bridging, place: RouteEnd, amount: bigint): Promise<View> {
    const address = await addressOn(place);
    const given = await giveRefundAddress(order, address);
    assert.equal(given.status, 200, JSON.stringify(given.body));
    const seen = await untilOrder(order, ({ refundRecovery }) => (refundRecovery as View).phase === 'completed');
    assertGivenBack(seen, await received(place, address), amount);
    return seen;
  }

  /** The types of the order's events, from now to the last. */
  async function events({ orderId, sessionId }: Bridging): Promise<readonly string[]> {
    const url = `${box.info.apiUrl.replace('http', 'ws')}/v2/bridges/${orderId}/events`;
    const socket = new WebSocket(url, { headers: { ...key, 'x-session-id': sessionId } });
    return patiently(`the events of ${orderId}`, 2 * WITHIN_MS, async ({ signal }) => {
      const types: string[] = [];
      for await (const [data] of on(socket, 'message', { signal, close: ['close'] })) {
        types.push((JSON.parse(String(data)) as { type: string }).type);
      }
      return types;
    });
  }

  const { control, rhythm, passTime, fault } = shopper;
  const mine = ({ chainId }: RouteEnd, blocks: number) => control('POST', '/sandbox/mine', { chainId, blocks });
  const kill = (role: 'engine' | 'signer') => control('POST', '/sandbox/kill', { role, signal: 'SIGKILL' });
  return {
    ...{ key, addressOn, ask, open, pay, send, read, until, untilOrder, received, completed },
    ...{ giveRefundAddress, refunded, events, control, rhythm, mine, passTime, fault, kill },
  };
}

export type Bridger = ReturnType<typeof openBridger>;
