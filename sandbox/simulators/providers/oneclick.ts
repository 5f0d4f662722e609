import { createHash, randomUUID } from 'node:crypto';
import { formatUnits, parseAtoms } from '../../../src/kernel/amount.ts';
import { present } from '../../../src/kernel/assert.ts';
import type { PlaceToken } from '../../place.ts';
import { type Desk, openDesk } from './desk.ts';
import { faultBox } from './faults.ts';
import { type Leg, type Order, type Phase, refundedIn } from './orders.ts';
import { type ProviderOptions, type ProviderSimulator, type Reply, type Request, startServer } from './server.ts';

const CHAINS: Readonly<Record<number, { readonly blockchain: string; readonly coin: string }>> = {
  1: { blockchain: 'eth', coin: 'nep141:eth.omft.near' },
  42161: { blockchain: 'arb', coin: 'nep141:arb.omft.near' },
  10: { blockchain: 'op', coin: 'nep245:v2_1.omni.hot.tg:10_11111111111111111111' },
  56: { blockchain: 'bsc', coin: 'nep245:v2_1.omni.hot.tg:56_11111111111111111111' },
  137: { blockchain: 'pol', coin: 'nep245:v2_1.omni.hot.tg:137_11111111111111111111' },
  8453: { blockchain: 'base', coin: 'nep141:base.omft.near' },
  728126428: { blockchain: 'tron', coin: 'nep141:tron.omft.near' },
  1151111081099710: { blockchain: 'sol', coin: 'nep141:sol.omft.near' },
  20000000000001: { blockchain: 'btc', coin: 'nep141:btc.omft.near' },
  20000000000133: { blockchain: 'zec', coin: 'nep141:zec.omft.near' },
};
const COINS: ReadonlySet<string> = new Set([`0x${'0'.repeat(40)}`, 'BTC', 'SOL', 'TRX', 'ZEC']);

const STATUS: Readonly<Record<Phase, string>> = {
  waiting: 'PENDING_DEPOSIT',
  short: 'INCOMPLETE_DEPOSIT',
  processing: 'PROCESSING',
  success: 'SUCCESS',
  refunded: 'REFUNDED',
};

const SECONDS = 40;
const FEE_BPS = 20;

interface Listed extends Leg {
  readonly assetId: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** NEAR Intents 1Click on the coins of the box: the HTTP interface of its version 0. */
export function startOneClick(options: ProviderOptions): Promise<ProviderSimulator> {
  const now = options.now ?? Date.now;
  const faults = faultBox();
  const desk = openDesk({
    ...options,
    now,
    faults,
    feeBps: options.feeBps ?? FEE_BPS,
    fillMs: options.fillMs ?? 0,
    shortDeposit: 'waits',
  });
  const listed = options.places.flatMap((place) => place.tokens.flatMap((token) => list(place.chainId, token)));
  const seller = { ...options, now, desk, listed };
  const answer = async (request: Request): Promise<Reply> => {
    const route = `${request.method} ${request.path}`;
    if (route === 'GET /v0/tokens') return { status: 200, body: listed.map(({ row }) => row) };
    if (route === 'POST /v0/quote') return quote(seller, request.body);
    if (route === 'POST /v0/deposit/submit') return tell(desk, listed, request.body.depositAddress, 201);
    if (route === 'GET /v0/status') return tell(desk, listed, request.query.get('depositAddress'), 200);
    return refuse(404, `Cannot ${route}`);
  };
  return startServer(options, desk, faults, { answer, refusal: refuse(400, 'No liquidity available') });
}

function list(chainId: number, { token, symbol, decimals }: PlaceToken): readonly Listed[] {
  const chain = CHAINS[chainId];
  if (!chain) return [];
  const contract = COINS.has(token) ? undefined : token.startsWith('0x') ? token.toLowerCase() : token;
  const assetId = contract ? `nep141:${chain.blockchain}-${contract.toLowerCase()}.omft.near` : chain.coin;
  const row = { assetId, decimals, blockchain: chain.blockchain, symbol, price: 0, priceUpdatedAt: new Date(0) };
  return [{ chainId, token, assetId, row: contract ? { ...row, contractAddress: contract } : row }];
}

const refuse = (status: number, message: string): Reply => ({ status, body: { message, correlationId: randomUUID() } });

interface Seller extends ProviderOptions {
  readonly now: () => number;
  readonly desk: Desk;
  readonly listed: readonly Listed[];
}

interface Asked {
  readonly input: Listed;
  readonly output: Listed;
  readonly amountIn: bigint;
  readonly recipient: string;
  readonly refundTo: string;
  readonly slippageBps: bigint;
  readonly deadline: number;
}

/** The request, or the complaint about it. */
function read({ listed, desk, now }: Seller, body: Request['body']): Asked | string {
  const input = listed.find(({ assetId }) => assetId === body.originAsset);
  const output = listed.find(({ assetId }) => assetId === body.destinationAsset);
  if (!input || !output) return 'tokenIn or tokenOut is not valid';
  const fixed = { swapType: 'EXACT_INPUT', depositType: 'ORIGIN_CHAIN', refundType: 'ORIGIN_CHAIN' };
  for (const [name, value] of Object.entries({ ...fixed, recipientType: 'DESTINATION_CHAIN' }))
    if (body[name] !== value) return `${name} must be ${value} here`;
  const amountIn = parseAtoms(body.amount);
  if (!amountIn) return 'amount must be a positive integer string';
  const recipient = desk.place(output.chainId)?.parseAddress(String(body.recipient));
  const refundTo = desk.place(input.chainId)?.parseAddress(String(body.refundTo));
  if (!recipient || !refundTo) return 'recipient or refundTo is not valid';
  const { slippageTolerance: slippage } = body;
  if (typeof slippage !== 'number' || !Number.isInteger(slippage) || slippage < 0 || slippage > 10_000)
    return 'slippageTolerance must be basis points';
  const deadline = Date.parse(String(body.deadline));
  if (!(deadline > now())) return 'deadline must be in the future';
  return { input, output, amountIn, recipient, refundTo, slippageBps: BigInt(slippage), deadline };
}

function quote(seller: Seller, body: Request['body']): Reply {
  const { desk } = seller;
  const asked = read(seller, body);
  if (typeof asked === 'string') return refuse(400, asked);
  const { input, output, amountIn, slippageBps } = asked;
  const amountOut = desk.price(amountIn, input, output);
  if (amountOut === undefined) return refuse(400, 'No liquidity available');
  const least = (amountOut * (10_000n - slippageBps)) / 10_000n;
  if (least === 0n) return refuse(400, 'Amount is too low for bridge');
  const offer = offered(desk, asked, amountOut, least);
  if (body.dry === true) return { status: 201, body: response(body, offer, seller.now()) };
  const depositAddress = seller.freshAddress(input.chainId);
  const legs = { input: legOf(input), output: legOf(output) };
  desk.open({ ...asked, ...legs, id: depositAddress, depositAddress, amountOut, least, request: body });
  const deadline = new Date(asked.deadline).toISOString();
  return { status: 201, body: response(body, { ...offer, depositAddress, deadline }, seller.now()) };
}

const legOf = ({ chainId, token }: Leg): Leg => ({ chainId, token });

function offered(desk: Desk, { input, output, amountIn }: Asked, amountOut: bigint, least: bigint) {
  const decimals = (leg: Leg): number => present(desk.token(leg), 'token').decimals;
  return {
    amountIn: String(amountIn),
    amountInFormatted: formatUnits(amountIn, decimals(input)),
    amountInUsd: '0',
    minAmountIn: String(amountIn),
    amountOut: String(amountOut),
    amountOutFormatted: formatUnits(amountOut, decimals(output)),
    amountOutUsd: '0',
    minAmountOut: String(least),
    timeEstimate: SECONDS,
  };
}

const response = (request: object, quoted: object, at: number) => ({
  correlationId: randomUUID(),
  timestamp: new Date(at).toISOString(),
  signature: `ed25519:${createHash('sha256').update(JSON.stringify(quoted)).digest('base64url')}`,
  quoteRequest: request,
  quote: quoted,
});

async function tell(desk: Desk, listed: readonly Listed[], id: unknown, status: number): Promise<Reply> {
  const order = desk.find(String(id));
  if (!order) return refuse(404, 'Deposit address not found');
  await desk.look(order);
  return { status, body: told(order, listed) };
}

function told(order: Order, listed: readonly Listed[]) {
  const { delivered } = order;
  const paid = delivered && listed.find((one) => one.chainId === delivered.chainId && one.token === delivered.token);
  const request = paid ? { ...order.request, destinationAsset: paid.assetId } : order.request;
  const hashes = (all: readonly string[]) => all.map((hash) => ({ hash, explorerUrl: '' }));
  const refunded = refundedIn(order);
  return {
    correlationId: randomUUID(),
    quoteResponse: response(request, { depositAddress: order.depositAddress }, order.openedAt),
    status: STATUS[order.phase],
    updatedAt: new Date(order.updatedAt).toISOString(),
    swapDetails: {
      intentHashes: [],
      nearTxHashes: [],
      originChainTxHashes: hashes([...order.depositHashes, ...order.refunds.map(({ txHash }) => txHash)]),
      destinationChainTxHashes: hashes(delivered ? [delivered.txHash] : []),
      ...(order.seen > 0n ? { depositedAmount: String(order.seen) } : {}),
      ...(delivered ? { amountIn: String(order.amountIn), amountOut: String(delivered.atoms) } : {}),
      ...(refunded > 0n ? { refundedAmount: String(refunded), refundReason: order.reason } : {}),
    },
  };
}
