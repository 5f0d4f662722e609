import { ratioFromDecimal, scaleInt } from '../../../src/kernel/ratio.ts';
import { accountOf } from './accounts.ts';
import {
  type BookShape,
  COIN,
  decimalText,
  LOT,
  nextBlock,
  type Order,
  PRICE_DECIMALS,
  SIZE_DECIMALS,
  type Simulation,
  TOKEN_DECIMALS,
} from './state.ts';

/** The market maker quotes this many levels a side, this far apart. */
const MAKER_LEVELS = 10;
const LEVEL_GAP_BPS = 5n;
const FEE_DENOMINATOR = 10_000n;
const TAKER_FEE = 7n;
const MAKER_FEE = 4n;
const PRICE_UNIT = 10n ** BigInt(PRICE_DECIMALS);

export type NewOrder = Pick<Order, 'user' | 'cloid' | 'side' | 'px' | 'size' | 'tif'>;

/** Five significant figures, or a whole number. */
export const isOnTick = (px: bigint): boolean =>
  px > 0n && (px % PRICE_UNIT === 0n || px.toString().replace(/0+$/, '').length <= 5);

const better = (side: Order['side']) => (a: Order, b: Order) =>
  a.px === b.px ? a.oid - b.oid : (side === 'B' ? a.px > b.px : a.px < b.px) ? -1 : 1;

/** Open orders of one side, best price first, then oldest first. */
export const resting = (orders: readonly Order[], side: Order['side']): Order[] =>
  orders.filter((order) => order.status === 'open' && order.side === side).sort(better(side));

export function setStatus(sim: Simulation, order: Order, status: string): void {
  order.status = status;
  order.statusAt = sim.now();
  if (order.user === '') return;
  sim.touched.orders.add(order);
  sim.orderEvents.push({
    user: order.user,
    wire: { order: orderWire(order), status, statusTimestamp: order.statusAt },
  });
}

/** Matches by price, then time; what is left rests or is cancelled as its time in force says. */
export function place(sim: Simulation, wanted: NewOrder): Order {
  const { state } = sim;
  const now = sim.now();
  const order: Order = { ...wanted, oid: state.nextOid, left: wanted.size, at: now, status: 'open', statusAt: now };
  state.nextOid += 1;
  let hash: string | undefined;
  for (const other of resting(state.orders, order.side === 'B' ? 'A' : 'B')) {
    const crosses = order.side === 'B' ? other.px <= order.px : other.px >= order.px;
    if (order.left === 0n || !crosses) break;
    if (other.user !== '' && other.user === order.user) setStatus(sim, other, 'selfTradeCanceled');
    else {
      hash ??= nextBlock(state).hash;
      trade(sim, order, other, hash);
    }
  }
  state.orders.push(order);
  setStatus(sim, order, statusAfterMatching(order));
  return order;
}

function statusAfterMatching(order: Order): string {
  if (order.left === 0n) return 'filled';
  if (order.tif !== 'Ioc') return 'open';
  return order.left === order.size ? 'iocCancelRejected' : 'canceled';
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function trade(sim: Simulation, taker: Order, maker: Order, hash: string): void {
  const size = least(taker.left, maker.left);
  const tid = sim.state.nextTradeId;
  sim.state.nextTradeId += 1;
  taker.left -= size;
  maker.left -= size;
  settle(sim, taker, maker.px, size, { hash, tid, crossed: true });
  settle(sim, maker, maker.px, size, { hash, tid, crossed: false });
  if (maker.left === 0n) setStatus(sim, maker, 'filled');
}

/** Buyers pay their fee in what they buy, sellers in USDC. */
function settle(
  sim: Simulation,
  order: Order,
  px: bigint,
  size: bigint,
  trade: { readonly hash: string; readonly tid: number; readonly crossed: boolean },
): void {
  if (order.user === '') return;
  sim.touched.orders.add(order);
  const { spot } = accountOf(sim, order.user);
  const isBuy = order.side === 'B';
  const startPosition = decimalText(spot.XMR1, TOKEN_DECIMALS);
  const base = size * LOT;
  const quote = size * px;
  const feeRate = { num: trade.crossed ? TAKER_FEE : MAKER_FEE, den: FEE_DENOMINATOR };
  const fee = scaleInt(isBuy ? base : quote, feeRate, 'up');
  spot.XMR1 += isBuy ? base - fee : -base;
  spot.USDC += isBuy ? -quote : quote - fee;
  sim.state.fills.push({
    user: order.user,
    wire: {
      coin: COIN,
      px: decimalText(px, PRICE_DECIMALS),
      sz: decimalText(size, SIZE_DECIMALS),
      side: order.side,
      time: sim.now(),
      startPosition,
      dir: isBuy ? 'Buy' : 'Sell',
      closedPnl: '0.0',
      oid: order.oid,
      fee: decimalText(fee, TOKEN_DECIMALS),
      feeToken: isBuy ? 'XMR1' : 'USDC',
      ...trade,
      twapId: null,
      ...(order.cloid === null ? {} : { cloid: order.cloid }),
    },
  });
}

/** The maker takes its old quotes away and makes new ones; those that cross a customer's order trade with it. */
export function refill(sim: Simulation): void {
  sim.state.orders = sim.state.orders.filter((order) => order.user !== '');
  for (const quote of makerQuotes(sim.state.shape)) place(sim, quote);
  sim.state.orders = sim.state.orders.filter((order) => order.user !== '' || order.status === 'open');
}

export const midPrice = (shape: BookShape): bigint => scaleInt(PRICE_UNIT, ratioFromDecimal(String(shape.mid)), 'down');

function makerQuotes(shape: BookShape): NewOrder[] {
  const mid = midPrice(shape);
  const depth = BigInt(Math.round(shape.depthUsd)) * PRICE_UNIT * 10n ** BigInt(SIZE_DECIMALS);
  const spread = BigInt(Math.round(shape.spreadBps));
  const quotes: NewOrder[] = [];
  for (let level = 0n; level < MAKER_LEVELS; level += 1n) {
    const away = (mid * (spread + 2n * level * LEVEL_GAP_BPS)) / 20_000n;
    for (const side of ['B', 'A'] as const) {
      const px = onTick(side === 'B' ? mid - away : mid + away, side);
      const size = px > 0n ? depth / BigInt(MAKER_LEVELS) / px : 0n;
      if (size > 0n) quotes.push({ user: '', cloid: null, side, px, size, tif: 'Gtc' });
    }
  }
  return quotes;
}

/** Away from the middle, so that the spread is never narrower than asked. */
function onTick(px: bigint, side: Order['side']): bigint {
  const step = 10n ** BigInt(Math.max(0, px.toString().length - 5));
  return side === 'B' ? (px / step) * step : ((px + step - 1n) / step) * step;
}

export function orderWire(order: Order) {
  return {
    coin: COIN,
    side: order.side,
    limitPx: decimalText(order.px, PRICE_DECIMALS),
    sz: decimalText(order.left, SIZE_DECIMALS),
    oid: order.oid,
    timestamp: order.at,
    origSz: decimalText(order.size, SIZE_DECIMALS),
    ...(order.cloid === null ? {} : { cloid: order.cloid }),
  };
}
