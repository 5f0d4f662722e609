import { available, held, knows, perpBalance } from './accounts.ts';
import { midPrice, orderWire, resting } from './book.ts';
import {
  COIN,
  decimalText,
  MARKET,
  type Order,
  PRICE_DECIMALS,
  SIZE_DECIMALS,
  type Simulation,
  TOKEN_DECIMALS,
  TOKEN_NAMES,
  TOKENS,
} from './state.ts';

type Fields = Readonly<Record<string, unknown>>;
type Answer = (sim: Simulation, request: Fields) => unknown;

const BOOK_LEVELS = 20;
const FILLS_PER_PAGE = 2000;
const UPDATES_PER_PAGE = 500;

/** Perpetual mids for display; Monero's follows the book. */
const MIDS = {
  BTC: '104250.5',
  ETH: '3512.4',
  SOL: '176.85',
  TRX: '0.28145',
  ZEC: '412.3',
  BNB: '690.15',
  POL: '0.4512',
};

/** undefined for what cannot be deserialized. */
export function info(sim: Simulation, body: unknown): unknown {
  const request = (body ?? {}) as Fields;
  const type = String(request.type);
  if (!Object.hasOwn(ANSWERS, type)) return undefined;
  if (!NEEDS_NO_USER.has(type) && !/^0x[0-9a-fA-F]{40}$/.test(String(request.user))) return undefined;
  return ANSWERS[type]?.(sim, request);
}

const NEEDS_NO_USER = new Set(['spotMeta', 'l2Book', 'allMids']);

const ANSWERS: Readonly<Record<string, Answer>> = {
  spotMeta: () => ({
    universe: [{ tokens: [TOKENS.XMR1.index, TOKENS.USDC.index], name: COIN, index: MARKET, isCanonical: false }],
    tokens: Object.entries(TOKENS).map(([name, token]) => ({
      name,
      ...token,
      weiDecimals: TOKEN_DECIMALS,
      isCanonical: name === 'USDC',
      evmContract: null,
      fullName: null,
      deployerTradingFeeShare: '0.0',
    })),
  }),
  l2Book: (sim, { coin }) => (coin === COIN ? bookWire(sim) : null),
  allMids: (sim) => {
    const mid = decimalText(midPrice(sim.state.shape), PRICE_DECIMALS);
    return { ...MIDS, XMR: mid, [COIN]: mid };
  },
  spotClearinghouseState: (sim, request) => ({ balances: balancesWire(sim, userIn(request)) }),
  clearinghouseState: (sim, request) => {
    const value = decimalText(perpBalance(sim, userIn(request)), 6);
    const summary = { accountValue: value, totalNtlPos: '0.0', totalRawUsd: value, totalMarginUsed: '0.0' };
    return {
      marginSummary: summary,
      crossMarginSummary: summary,
      crossMaintenanceMarginUsed: '0.0',
      withdrawable: value,
      assetPositions: [],
      time: sim.now(),
    };
  },
  preTransferCheck: (sim, request) => {
    const userExists = knows(sim, userIn(request));
    return { fee: userExists ? '0.0' : '1.0', isSanctioned: false, userExists, userHasSentTx: userExists };
  },
  openOrders: (sim, request) =>
    sim.state.orders.filter((order) => order.user === userIn(request) && order.status === 'open').map(orderWire),
  orderStatus: (sim, { oid, ...request }) => {
    const found = sim.state.orders.find(
      (order) => order.user === userIn(request) && (order.oid === oid || order.cloid === oid),
    );
    return found ? { status: 'order', order: statusWire(found) } : { status: 'unknownOid' };
  },
  userFills: (sim, request) => userFills(sim, userIn(request)).slice(-FILLS_PER_PAGE).reverse(),
  userFillsByTime: (sim, request) => userFills(sim, userIn(request)).filter(within(request)).slice(0, FILLS_PER_PAGE),
  userNonFundingLedgerUpdates: (sim, request) =>
    userUpdates(sim, userIn(request)).filter(within(request)).slice(0, UPDATES_PER_PAGE),
};

const userIn = (request: Fields): string => String(request.user).toLowerCase();

const within =
  ({ startTime, endTime }: Fields) =>
  ({ time }: { readonly time: number }): boolean =>
    time >= Number(startTime ?? 0) && (typeof endTime !== 'number' || time <= endTime);

export const userFills = (sim: Simulation, user: string) =>
  sim.state.fills.filter((fill) => fill.user === user).map((fill) => fill.wire);

export const userUpdates = (sim: Simulation, user: string) =>
  sim.state.updates.filter((update) => update.users.includes(user)).map((update) => update.wire);

function balancesWire(sim: Simulation, user: string) {
  const account = sim.state.accounts[user];
  if (!account) return [];
  return TOKEN_NAMES.map((coin) => {
    const hold = held(sim, user, coin);
    return {
      coin,
      token: TOKENS[coin].index,
      total: decimalText(available(sim, user, coin) + hold, TOKEN_DECIMALS),
      hold: decimalText(hold, TOKEN_DECIMALS),
      entryNtl: '0.0',
    };
  });
}

export function bookWire(sim: Simulation) {
  const levels = (['B', 'A'] as const).map((side) => levelsWire(resting(sim.state.orders, side)));
  return { coin: COIN, time: sim.now(), levels };
}

function levelsWire(orders: readonly Order[]) {
  const levels = new Map<bigint, { size: bigint; n: number }>();
  for (const order of orders) {
    const level = levels.get(order.px) ?? { size: 0n, n: 0 };
    levels.set(order.px, { size: level.size + order.left, n: level.n + 1 });
  }
  return [...levels].slice(0, BOOK_LEVELS).map(([px, { size, n }]) => ({
    px: decimalText(px, PRICE_DECIMALS),
    sz: decimalText(size, SIZE_DECIMALS),
    n,
  }));
}

function statusWire(order: Order) {
  return {
    order: {
      ...orderWire(order),
      triggerCondition: 'N/A',
      isTrigger: false,
      triggerPx: '0.0',
      children: [],
      isPositionTpsl: false,
      reduceOnly: false,
      orderType: 'Limit',
      tif: order.tif,
      cloid: order.cloid,
    },
    status: order.status,
    statusTimestamp: order.statusAt,
  };
}
