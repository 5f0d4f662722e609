import { parseUnits } from '../../../src/kernel/amount.ts';
import { available, Refused } from './accounts.ts';
import { isOnTick, type NewOrder, place, refill, setStatus } from './book.ts';
import {
  decimalText,
  LOT,
  ONE_USDC,
  ORDER_ASSET,
  type Order,
  PRICE_DECIMALS,
  SIZE_DECIMALS,
  type Simulation,
} from './state.ts';

type Fields = Readonly<Record<string, unknown>>;

const MIN_NOTIONAL = 10n * ONE_USDC;

export function placeOrders(sim: Simulation, user: string, action: Fields): unknown {
  const statuses = (action.orders as readonly Fields[]).map((order) => placeOrder(sim, user, order));
  refill(sim);
  return { type: 'order', data: { statuses } };
}

/** Each order answers for itself: one that is refused does not stop the others. */
function placeOrder(sim: Simulation, user: string, wire: Fields): unknown {
  const traded = sim.state.fills.length;
  try {
    const wanted = readOrder(sim, user, wire);
    check(sim, wanted);
    const order = place(sim, wanted);
    if (order.status === 'iocCancelRejected')
      throw new Refused(`Order could not immediately match against any resting orders. asset=${ORDER_ASSET}`);
    const named = order.cloid === null ? {} : { cloid: order.cloid };
    if (order.left === order.size) return { resting: { oid: order.oid, ...named } };
    const paid = sim.state.fills.slice(traded).filter((fill) => fill.wire.oid === order.oid);
    return {
      filled: {
        totalSz: decimalText(order.size - order.left, SIZE_DECIMALS),
        ...average(paid),
        oid: order.oid,
        ...named,
      },
    };
  } catch (error) {
    if (error instanceof Refused) return { error: error.message };
    throw error;
  }
}

function average(fills: readonly { readonly wire: Fields }[]): { avgPx: string } {
  let size = 0n;
  let cost = 0n;
  for (const { wire } of fills) {
    const lots = parseUnits(String(wire.sz), SIZE_DECIMALS) ?? 0n;
    size += lots;
    cost += lots * (parseUnits(String(wire.px), PRICE_DECIMALS) ?? 0n);
  }
  return { avgPx: decimalText(size === 0n ? 0n : cost / size, PRICE_DECIMALS) };
}

function readOrder(sim: Simulation, user: string, wire: Fields): NewOrder {
  if (wire.a !== ORDER_ASSET) throw new Refused(`Invalid asset: ${String(wire.a)}`);
  const tif = (wire.t as { limit?: { tif?: string } }).limit?.tif;
  if (tif !== 'Gtc' && tif !== 'Ioc') throw new Refused('Only Gtc and Ioc limit orders are simulated.');
  const cloid = (wire.c as string | undefined) ?? null;
  if (cloid !== null && sim.state.orders.some((order) => order.user === user && order.cloid === cloid))
    throw new Refused(`Duplicate cloid ${cloid}`);
  const size = parseUnits(String(wire.s), SIZE_DECIMALS);
  if (size === undefined) throw new Refused('Order has invalid size.');
  if (size === 0n) throw new Refused('Order has zero size.');
  const px = parseUnits(String(wire.p), PRICE_DECIMALS) ?? 0n;
  return { user, cloid, side: wire.b === true ? 'B' : 'A', px, size, tif };
}

function check(sim: Simulation, order: NewOrder): void {
  const refusal = (message: string, status: string): never => {
    remember(sim, order, status);
    throw new Refused(message);
  };
  if (!isOnTick(order.px)) refusal('Price must be divisible by tick size.', 'tickRejected');
  if (order.px * order.size < MIN_NOTIONAL) refusal('Order must have minimum value of 10 USDC.', 'minTradeNtlRejected');
  const isBuy = order.side === 'B';
  const needs = order.size * (isBuy ? order.px : LOT);
  if (available(sim, order.user, isBuy ? 'USDC' : 'XMR1') < needs)
    refusal(`Insufficient spot balance asset=${ORDER_ASSET}`, 'insufficientSpotBalanceRejected');
}

/** Orders that reached the book's rules are found by their cloid though they never rested. */
function remember(sim: Simulation, wanted: NewOrder, status: string): void {
  const now = sim.now();
  const order: Order = { ...wanted, oid: sim.state.nextOid, left: wanted.size, at: now, status, statusAt: now };
  sim.state.nextOid += 1;
  sim.state.orders.push(order);
  setStatus(sim, order, status);
}

export function cancelOrders(sim: Simulation, user: string, action: Fields): unknown {
  const statuses = (action.cancels as readonly Fields[]).map((cancel) => {
    const found = sim.state.orders.find(
      (order) =>
        order.user === user &&
        order.status === 'open' &&
        (action.type === 'cancel' ? order.oid === cancel.o : order.cloid === cancel.cloid),
    );
    if (!found) return { error: `Order was never placed, already canceled, or filled. asset=${ORDER_ASSET}` };
    setStatus(sim, found, 'canceled');
    return 'success';
  });
  return { type: 'cancel', data: { statuses } };
}
