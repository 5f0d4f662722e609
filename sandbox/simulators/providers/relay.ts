import { randomBytes } from 'node:crypto';
import { formatUnits, parseAtoms } from '../../../src/kernel/amount.ts';
import { present } from '../../../src/kernel/assert.ts';
import type { PlaceToken } from '../../place.ts';
import { type Desk, openDesk } from './desk.ts';
import { faultBox } from './faults.ts';
import { type Leg, type Order, type Phase, refundedIn } from './orders.ts';
import { type ProviderOptions, type ProviderSimulator, type Reply, type Request, startServer } from './server.ts';

interface Known {
  readonly id: number;
  readonly vmType: string;
  /** The chain's own coin: as the places name it, and as a currency address. */
  readonly coin: readonly [string, string];
}

const ZERO = `0x${'0'.repeat(40)}`;
const evm = (id: number): Known => ({ id, vmType: 'evm', coin: [ZERO, ZERO] });
const CHAINS: Readonly<Record<number, Known>> = {
  1: evm(1),
  10: evm(10),
  56: evm(56),
  137: evm(137),
  8453: evm(8453),
  42161: evm(42161),
  728126428: { id: 728126428, vmType: 'tvm', coin: ['TRX', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'] },
  1151111081099710: { id: 792703809, vmType: 'svm', coin: ['SOL', '1'.repeat(32)] },
  20000000000001: { id: 8253038, vmType: 'bvm', coin: ['BTC', 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8'] },
};

const STATUS: Readonly<Record<Phase, string>> = {
  waiting: 'waiting',
  short: 'waiting',
  processing: 'pending',
  success: 'success',
  refunded: 'refund',
};

const SECONDS = 8;
const FEE_BPS = 15;
/** An order takes its deposit this long. */
const ORDER_MS = 60 * 60_000;

interface Listed extends Leg {
  readonly currency: {
    readonly chainId: number;
    readonly address: string;
    readonly symbol: string;
    readonly name: string;
    readonly decimals: number;
  };
}

interface Seller extends ProviderOptions {
  readonly now: () => number;
  readonly desk: Desk;
  readonly listed: readonly Listed[];
}

/** Relay on the coins of the box: strict deposit addresses, the only ones that the service asks for. */
export function startRelay(options: ProviderOptions): Promise<ProviderSimulator> {
  const now = options.now ?? Date.now;
  const faults = faultBox();
  const desk = openDesk({
    ...options,
    now,
    faults,
    feeBps: options.feeBps ?? FEE_BPS,
    fillMs: options.fillMs ?? 0,
    shortDeposit: 'goes_back',
  });
  const listed = options.places.flatMap((place) => place.tokens.flatMap((token) => list(place.chainId, token)));
  const seller = { ...options, now, desk, listed };
  const answer = async (request: Request): Promise<Reply> => {
    const route = `${request.method} ${request.path}`;
    if (route === 'GET /chains') return { status: 200, body: { chains: chains(seller) } };
    if (route === 'POST /quote/v2') return quote(seller, request.body);
    if (route === 'GET /intents/status/v3') return status(desk, request.query.get('requestId'));
    if (route === 'GET /requests/v2') return requests(seller, request.query.get('id'));
    if (route === 'POST /transactions/index') return index(desk, request.body.requestId);
    return { status: 404, body: { message: `Route ${route} not found` } };
  };
  return startServer(options, desk, faults, { answer, refusal: refuse('NO_QUOTES', 'No quotes available') });
}

const refuse = (errorCode: string, message: string): Reply => ({ status: 400, body: { message, errorCode } });

function list(chainId: number, { token, symbol, decimals }: PlaceToken): readonly Listed[] {
  const chain = CHAINS[chainId];
  if (!chain) return [];
  const address = token === chain.coin[0] ? chain.coin[1] : token.startsWith('0x') ? token.toLowerCase() : token;
  return [{ chainId, token, currency: { chainId: chain.id, address, symbol, name: symbol, decimals } }];
}

function chains({ places, listed }: Seller) {
  return places.flatMap(({ chainId, name }) => {
    const chain = CHAINS[chainId];
    if (!chain) return [];
    const solverCurrencies = listed.filter((one) => one.chainId === chainId).map(({ currency }) => currency);
    const { id, vmType, coin } = chain;
    const currency = solverCurrencies.find(({ address }) => address === coin[1]) ?? { address: coin[1] };
    return [{ id, vmType, name, depositEnabled: true, disabled: false, currency, solverCurrencies }];
  });
}

interface Asked {
  readonly input: Listed;
  readonly output: Listed;
  readonly amountIn: bigint;
  readonly slippageBps: bigint;
  readonly recipient: string;
  readonly refundTo: string;
}

/** The request, or the complaint about it. */
function read({ desk, listed }: Seller, body: Request['body']): Asked | Reply {
  const named = (chainId: unknown, address: unknown): Listed | undefined =>
    listed.find(({ currency: one }) => one.chainId === chainId && one.address === lower(address));
  const input = named(body.originChainId, body.originCurrency);
  const output = named(body.destinationChainId, body.destinationCurrency);
  if (!input) return refuse('INVALID_INPUT_CURRENCY', 'Invalid input or output currency');
  if (!output) return refuse('INVALID_OUTPUT_CURRENCY', 'Invalid input or output currency');
  if (body.useDepositAddress !== true || body.strict !== true || body.tradeType !== 'EXACT_INPUT')
    return refuse('UNSUPPORTED_EXECUTION_TYPE', 'Only strict deposit addresses with EXACT_INPUT here');
  const amountIn = parseAtoms(body.amount);
  if (!amountIn) return refuse('AMOUNT_TOO_LOW', 'The amount is too low');
  const slippageBps = parseAtoms(body.slippageTolerance);
  if (slippageBps === undefined || slippageBps > 10_000n)
    return refuse('INVALID_SLIPPAGE_TOLERANCE', 'Not basis points');
  const recipient = desk.place(output.chainId)?.parseAddress(String(body.recipient));
  const refundTo = desk.place(input.chainId)?.parseAddress(String(body.refundTo));
  if (!recipient || !refundTo) return refuse('INVALID_ADDRESS', 'Invalid address');
  return { input, output, amountIn, slippageBps, recipient, refundTo };
}

function quote(seller: Seller, body: Request['body']): Reply {
  const { desk, now } = seller;
  const asked = read(seller, body);
  if ('status' in asked) return asked;
  const { input, output, amountIn, slippageBps, recipient, refundTo } = asked;
  const amountOut = desk.price(amountIn, input, output);
  if (amountOut === undefined) return refuse('NO_SWAP_ROUTES_FOUND', 'No routes found');
  const least = (amountOut * (10_000n - slippageBps) + 9_999n) / 10_000n;
  if (least === 0n) return refuse('AMOUNT_TOO_LOW', 'The amount is too low');
  const order = desk.open({
    id: `0x${randomBytes(32).toString('hex')}`,
    depositAddress: seller.freshAddress(input.chainId),
    input: { chainId: input.chainId, token: input.token },
    output: { chainId: output.chainId, token: output.token },
    ...{ amountIn, amountOut, least, recipient, refundTo, deadline: wholeSecond(now() + ORDER_MS), request: {} },
  });
  return { status: 200, body: quoted(order, input, output) };
}

/** The order tells its deadline in whole seconds. */
const wholeSecond = (at: number): number => Math.floor(at / 1000) * 1000;

const lower = (address: unknown): string => {
  const text = String(address);
  return text.startsWith('0x') ? text.toLowerCase() : text;
};

const money = ({ currency }: Listed, atoms: bigint, minimum = atoms) => ({
  currency,
  amount: String(atoms),
  amountFormatted: formatUnits(atoms, currency.decimals),
  amountUsd: '0',
  minimumAmount: String(minimum),
});

function quoted(order: Order, input: Listed, output: Listed) {
  const check = { endpoint: `/intents/status/v3?requestId=${order.id}`, method: 'GET' };
  const step = {
    id: 'deposit',
    action: 'Confirm transaction in your wallet',
    description: 'Depositing funds to the relayer',
    kind: 'transaction',
    items: [{ status: 'incomplete', data: { to: order.depositAddress }, check }],
    requestId: order.id,
    depositAddress: order.depositAddress,
  };
  const deadline = Math.floor(order.deadline / 1000);
  return {
    steps: [step],
    fees: { relayer: money(input, 0n) },
    details: {
      recipient: order.recipient,
      currencyIn: money(input, order.amountIn),
      currencyOut: money(output, order.amountOut, order.least),
      timeEstimate: SECONDS,
    },
    protocol: { v2: { orderId: order.id, orderData: { version: 'v1', output: { deadline } } } },
  };
}

async function status(desk: Desk, id: string | null): Promise<Reply> {
  const order = desk.find(id ?? '');
  if (!order) return { status: 200, body: { status: 'unknown' } };
  await desk.look(order);
  const details = order.phase === 'refunded' ? { details: order.reason } : {};
  return {
    status: 200,
    body: {
      status: STATUS[order.phase],
      ...details,
      inTxHashes: order.depositHashes,
      txHashes: outgoing(order),
      updatedAt: order.updatedAt,
    },
  };
}

const outgoing = ({ delivered, refunds }: Order): readonly string[] =>
  [delivered, ...refunds].flatMap((sum) => (sum ? [sum.txHash] : []));

function requests({ desk, listed }: Seller, id: string | null): Reply {
  const order = desk.find(id ?? '');
  if (!order) return { status: 200, body: { requests: [] } };
  const of = (leg: Leg): Listed =>
    present(
      listed.find((one) => one.chainId === leg.chainId && one.token === leg.token),
      'a listed token',
    );
  const { delivered } = order;
  const out = delivered ? money(of(delivered), delivered.atoms) : money(of(order.output), order.amountOut, order.least);
  const refunded = refundedIn(order);
  const data = {
    failReason: order.phase === 'refunded' ? order.reason : 'N/A',
    outTxs: outgoing(order).map((hash) => ({ hash, type: 'onchain', status: 'success' })),
    metadata: { recipient: order.recipient, currencyIn: money(of(order.input), order.amountIn), currencyOut: out },
    ...(refunded > 0n ? { refundCurrencyData: money(of(order.input), refunded) } : {}),
  };
  return { status: 200, body: { requests: [{ id: order.id, status: STATUS[order.phase], data }] } };
}

async function index(desk: Desk, id: unknown): Promise<Reply> {
  const order = desk.find(String(id));
  if (order) await desk.look(order);
  return { status: 200, body: { message: 'Transaction indexed' } };
}
