import { randomBytes } from 'node:crypto';
import { parseUnits, rescale } from '../../../src/kernel/amount.ts';
import { present } from '../../../src/kernel/assert.ts';
import type { Place, PlaceToken } from '../../place.ts';
import { type Desk, openDesk } from './desk.ts';
import { faultBox } from './faults.ts';
import type { Market } from './market.ts';
import { type Leg, type Order, type Phase, refundedIn } from './orders.ts';
import { type ProviderOptions, type ProviderSimulator, type Reply, type Request, startServer } from './server.ts';

/** One coin in both forms, and what its bridge takes; in whole coins. */
interface Pair {
  readonly name: string;
  readonly native: Leg & PlaceToken;
  readonly wrapped: Leg & PlaceToken;
  readonly minimum: string;
  readonly flat: string;
}

const KEPT: Readonly<Record<string, { readonly minimum: string; readonly flat: string }>> = {
  xmr: { minimum: '0.05', flat: '0.001' },
  trx: { minimum: '50', flat: '2' },
  zec: { minimum: '0.05', flat: '0.001' },
};
/** A thousandth of what comes, in both directions. */
const FEE_BPS = 10n;
const BPS = 10_000n;
const ORDER_MS = 60 * 60_000;

const STATUS: Readonly<Record<Phase, string>> = {
  waiting: 'awaiting_deposit',
  short: 'awaiting_deposit',
  processing: 'processing',
  success: 'completed',
  refunded: 'refunded',
};

export interface BridgeOptions extends Omit<ProviderOptions, 'market' | 'freshAddress'> {
  /** Where wrapped forms are; `places` has it, too. */
  readonly venueId: number;
  readonly freshAddress: (chainId: number) => Promise<string>;
}

/** Another desk that bridges coins and their wrapped forms, by the calls that this desk has for its own customers. */
export function startBridge(options: BridgeOptions): Promise<ProviderSimulator> {
  const now = options.now ?? Date.now;
  const pairs = pairsOf(options.places, options.venueId);
  const faults = faultBox();
  const market: Market = { setPrice: () => {}, convert: (atoms, from, to) => bridged(pairs, atoms, from, to) };
  const desk = openDesk({
    ...options,
    market,
    now,
    faults,
    feeBps: 0,
    fillMs: options.fillMs ?? 0,
    shortDeposit: 'waits',
  });
  const answer = async ({ method, path, query, body }: Request): Promise<Reply> => {
    const [, , , id = ''] = path.split('/');
    if (method === 'GET' && path === '/v2/bridges/terms') return { status: 200, body: terms(pairs) };
    if (method === 'POST' && path === '/v2/bridges') return create({ ...options, now }, desk, pairs, body);
    if (method === 'GET' && path.startsWith('/v2/bridges/')) return read(desk, id, query.get('verify'));
    return { status: 404, body: { code: 'not_found', message: `Route ${method} ${path} not found` } };
  };
  const refusal = { status: 503, body: { code: 'unavailable', message: 'This bridge is switched off at the moment.' } };
  return startServer(options, desk, faults, { answer, refusal });
}

function pairsOf(places: readonly Place[], venueId: number): readonly Pair[] {
  const venue = places.find(({ chainId }) => chainId === venueId);
  return places.flatMap(({ chainId, tokens }) =>
    tokens.flatMap((token) => {
      const name = token.symbol.toLowerCase();
      const wrapped = venue?.tokens.find(({ symbol }) => symbol === `${token.symbol}1`);
      const kept = KEPT[name];
      if (!wrapped || !kept || chainId === venueId) return [];
      return [{ name, native: { ...token, chainId }, wrapped: { ...wrapped, chainId: venueId }, ...kept }];
    }),
  );
}

function bridged(pairs: readonly Pair[], atoms: bigint, from: PlaceToken, to: PlaceToken): bigint | undefined {
  const pair = pairs.find(({ native, wrapped }) =>
    [native.token, wrapped.token].every((token) => token === from.token || token === to.token),
  );
  if (!pair) return undefined;
  const there = rescale(atoms - (atoms * FEE_BPS) / BPS, from.decimals, to.decimals, 'down');
  const flat = to.token === pair.native.token ? present(parseUnits(pair.flat, to.decimals), pair.flat) : 0n;
  return there > flat ? there - flat : 0n;
}

const terms = (pairs: readonly Pair[]) => ({
  fees: {
    depositFeeRate: 0.001,
    withdrawalFeeRate: 0.001,
    withdrawalFlat: Object.fromEntries(pairs.map(({ name, flat }) => [name, Number(flat)])),
  },
  minimums: Object.fromEntries(pairs.map(({ name, minimum }) => [name, Number(minimum)])),
  assets: pairs.map(({ name: asset, native, wrapped }) => ({
    ...{ asset, native: native.symbol, wrapped: wrapped.symbol, deposit: true, withdraw: true },
    requiredConfirmations: 20,
  })),
});

const refuse = (code: string, message: string): Reply => ({ status: 400, body: { code, message } });

async function create(
  { freshAddress, now }: Pick<BridgeOptions, 'freshAddress'> & { readonly now: () => number },
  desk: Desk,
  pairs: readonly Pair[],
  request: Request['body'],
): Promise<Reply> {
  const { asset, direction, toAddress, refundAddress } = request;
  const pair = pairs.find(({ name }) => name === asset);
  if (!pair || (direction !== 'deposit' && direction !== 'withdraw'))
    return refuse('invalid_request', 'no such bridge');
  const [input, output] = direction === 'deposit' ? [pair.native, pair.wrapped] : [pair.wrapped, pair.native];
  const recipient = desk.place(output.chainId)?.parseAddress(String(toAddress));
  const refundTo = desk.place(input.chainId)?.parseAddress(String(refundAddress));
  if (!recipient || !refundTo) return refuse('invalid_address', 'not an address of this chain');
  const least = rescale(
    present(parseUnits(pair.minimum, pair.native.decimals), pair.minimum),
    pair.native.decimals,
    input.decimals,
    'up',
  );
  const order = desk.open({
    id: `${direction === 'deposit' ? 'dep' : 'wd'}_${randomBytes(16).toString('hex')}`,
    depositAddress: await freshAddress(input.chainId),
    ...{ input, output, recipient, refundTo, request, amountIn: least, takesAll: true },
    ...{ amountOut: 0n, least: 0n, deadline: now() + ORDER_MS },
  });
  return { status: 201, body: { ...shown(order), sessionId: randomBytes(16).toString('hex') } };
}

async function read(desk: Desk, id: string, verify: string | null): Promise<Reply> {
  const order = desk.find(id);
  if (!order || order.recipient !== verify)
    return { status: 404, body: { code: 'not_found', message: 'No such order.' } };
  await desk.look(order);
  return { status: 200, body: shown(order) };
}

function shown(order: Order) {
  const { input, output, delivered, refunds } = order;
  const refunded = refundedIn(order);
  const recovery = { kind: 'source', amount: `${refunded}`, phase: 'completed' };
  const isOther = delivered && delivered.token !== output.token;
  return {
    ...{ orderId: order.id, product: 'bridge', status: STATUS[order.phase], depositAddress: order.depositAddress },
    ...{ fromChainId: input.chainId, fromToken: input.token, toChainId: output.chainId, toToken: output.token },
    ...{ toAddress: order.recipient, refundAddress: order.refundTo, expiresAt: new Date(order.deadline).toISOString() },
    ...{ payoutTxHash: delivered?.txHash ?? null, refundTxHash: refunds.at(-1)?.txHash ?? null },
    ...(order.seen > 0n ? { observedDepositAmount: `${order.seen}` } : {}),
    ...(delivered ? { actualOutput: `${delivered.atoms}` } : {}),
    ...(isOther ? { deliveredToken: { chainId: delivered.chainId, token: delivered.token } } : {}),
    ...(refunded > 0n ? { refundRecovery: recovery } : {}),
  };
}
