import { toExactJson } from '../../exact-json.ts';
import type { Keeping } from '../../keeping.ts';
import type { Place, PlaceToken } from '../../place.ts';
import type { Market } from './market.ts';
import {
  type Leg,
  loadOrders,
  newOrder,
  type Order,
  type OrderChange,
  type OrderTerms,
  paidIn,
  saveOrders,
} from './orders.ts';
import { Settler, type SettlerOptions } from './settle.ts';

export interface DeskOptions extends Omit<SettlerOptions, 'place' | 'price' | 'note' | 'paidBefore'> {
  readonly places: readonly Place[];
  readonly market: Market;
  /** Taken from every swap, beside the market's spread. */
  readonly feeBps: number;
  /** Text from `snapshot()`. */
  readonly restore?: string;
  readonly keeping?: Keeping<OrderChange>;
}

/** What both providers do behind their protocols: promise, watch an address, and pay real coins of the places. */
export interface Desk {
  /** The token of a place, or undefined where there is none such. */
  token(leg: Leg): PlaceToken | undefined;
  place(chainId: number): Place | undefined;
  price(atoms: bigint, input: Leg, output: Leg): bigint | undefined;
  open(terms: OrderTerms): Order;
  find(id: string): Order | undefined;
  /** Whether an order has this deposit address. */
  takesDeposits(address: string): boolean;
  /** Looks at one order now. What the places cannot answer waits for the next look. */
  look(order: Order): Promise<void>;
  /** Looks at the next few orders, all in turn: the cost of watching does not grow with their number. */
  lookAround(): Promise<void>;
  lookAtAll(): Promise<void>;
  snapshot(): string;
}

const LOOKS_PER_ROUND = 25;
/** Quotes that nobody funded are forgotten, oldest first. */
const MAX_ORDERS = 10_000;

export function openDesk(options: DeskOptions): Desk {
  const { places, market, now } = options;
  const { changes = [], write } = options.keeping ?? {};
  const orders = new Map(loadOrders(options.restore ?? '[]').map((order) => [order.id, order]));
  for (const change of changes) {
    if ('order' in change) orders.set(change.order.id, change.order);
    else orders.delete(change.forgotten);
  }
  const addresses = new Set([...orders.values()].map(({ depositAddress }) => depositAddress));
  const place = (chainId: number): Place | undefined => places.find((one) => one.chainId === chainId);
  const token = ({ chainId, token: id }: Leg): PlaceToken | undefined =>
    place(chainId)?.tokens.find((one) => one.token === id);
  const price = (atoms: bigint, input: Leg, output: Leg): bigint | undefined => {
    const [from, to] = [token(input), token(output)];
    return from && to && market.convert(atoms, from, to, now(), options.feeBps);
  };
  const settler = new Settler({
    ...{ ...options, place, price },
    note: (order) => write?.([{ order }]),
    paidBefore: () => new Set([...orders.values()].flatMap(paidIn)),
  });

  /** One look at a time: the same deposit must not be paid out by two. */
  let lane: Promise<unknown> = Promise.resolve();
  const look = (order: Order): Promise<void> => {
    const settle = async () => {
      const before = write && toExactJson(order);
      await settler.settle(order).finally(() => {
        if (write && toExactJson(order) !== before) write([{ order }]);
      });
    };
    const done = lane.then(settle).catch(() => undefined);
    lane = done;
    return done;
  };
  const lookAt = async (some: readonly Order[]): Promise<void> => {
    for (const order of some) await look(order);
  };

  let next = 0;
  return {
    token,
    place,
    price,
    look,
    open(terms) {
      const order = newOrder(terms, now());
      orders.set(order.id, order);
      addresses.add(order.depositAddress);
      const [oldest] = orders.size > MAX_ORDERS ? [...orders.values()].filter(({ seen }) => seen === 0n) : [];
      if (oldest) orders.delete(oldest.id);
      write?.([{ order }, ...(oldest ? [{ forgotten: oldest.id }] : [])]);
      return order;
    },
    find: (id) => orders.get(id),
    takesDeposits: (address) => addresses.has(address),
    lookAround() {
      if (next >= orders.size) next = 0;
      const some = [...orders.values()].slice(next, next + LOOKS_PER_ROUND);
      next += LOOKS_PER_ROUND;
      return lookAt(some);
    },
    lookAtAll: () => lookAt([...orders.values()]),
    snapshot: () => saveOrders([...orders.values()]),
  };
}
