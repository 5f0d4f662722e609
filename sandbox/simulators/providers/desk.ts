import { assert, present } from '../../../src/kernel/assert.ts';
import type { Place, PlaceToken } from '../../place.ts';
import type { FaultBox } from './faults.ts';
import type { Market } from './market.ts';
import { type Leg, loadOrders, newOrder, type Order, type OrderTerms, type Sum, saveOrders } from './orders.ts';

export interface DeskOptions {
  readonly places: readonly Place[];
  readonly market: Market;
  readonly now: () => number;
  readonly faults: FaultBox;
  /** Taken from every swap, beside the market's spread. */
  readonly feeBps: number;
  /** What happens to a deposit that is too small: the rest may come until the deadline, or it goes back at once. */
  readonly shortDeposit: 'waits' | 'goes_back';
  /** Time between seeing a deposit and paying. */
  readonly fillMs: number;
  /** Text from `snapshot()`. */
  readonly restore?: string;
}

/** What both providers do behind their protocols: promise, watch an address, and pay real coins of the places. */
export interface Desk {
  /** The token of a place, or undefined where there is none such. */
  token(leg: Leg): PlaceToken | undefined;
  place(chainId: number): Place | undefined;
  price(atoms: bigint, input: Leg, output: Leg): bigint | undefined;
  open(terms: OrderTerms): Order;
  find(id: string): Order | undefined;
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
  const orders = new Map(loadOrders(options.restore ?? '[]').map((order) => [order.id, order]));
  const place = (chainId: number): Place | undefined => places.find((one) => one.chainId === chainId);
  const token = ({ chainId, token: id }: Leg): PlaceToken | undefined =>
    place(chainId)?.tokens.find((one) => one.token === id);
  const price = (atoms: bigint, input: Leg, output: Leg): bigint | undefined => {
    const [from, to] = [token(input), token(output)];
    return from && to && market.convert(atoms, from, to, now(), options.feeBps);
  };
  const settle = settler(options, { price, place });

  /** One look at a time: the same deposit must not be paid out by two. */
  let lane: Promise<unknown> = Promise.resolve();
  const look = (order: Order): Promise<void> => {
    const done = lane.then(() => settle(order)).catch(() => undefined);
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
      const [oldest] = orders.size > MAX_ORDERS ? [...orders.values()].filter(({ seen }) => seen === 0n) : [];
      if (oldest) orders.delete(oldest.id);
      return order;
    },
    find: (id) => orders.get(id),
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

/** Takes one order as far as it goes now. */
function settler(
  options: DeskOptions,
  { price, place }: Pick<Desk, 'price' | 'place'>,
): (order: Order) => Promise<void> {
  const { now, faults } = options;
  const placeOf = (chainId: number): Place => present(place(chainId), `place ${chainId}`);

  const pay = async (leg: Leg, to: string, atoms: bigint): Promise<Sum> => {
    assert(atoms > 0n, 'a payment of nothing');
    const { txHash } = await placeOf(leg.chainId).pay({ token: leg.token, to, atoms });
    return { ...leg, atoms, txHash };
  };
  const giveBack = async (order: Order, atoms: bigint, reason: string): Promise<void> => {
    order.refunds.push(await pay(order.input, order.refundTo, atoms));
    order.handled += atoms;
    order.reason = reason;
    order.updatedAt = now();
  };
  const refund = async (order: Order, atoms: bigint, reason: string): Promise<void> => {
    await giveBack(order, atoms, reason);
    order.phase = 'refunded';
  };
  const deliver = async (order: Order, leg: Leg, atoms: bigint): Promise<void> => {
    order.delivered = await pay(leg, order.recipient, atoms);
    order.handled += order.amountIn;
    order.phase = 'success';
    order.updatedAt = now();
  };
  /** Another token of the chain that was asked for, worth what was paid. */
  const somethingElse = ({ input, output, amountIn }: Order): Sum => {
    const { chainId, tokens } = placeOf(output.chainId);
    const other = present(
      tokens.find(({ token }) => token !== output.token),
      `another token of chain ${chainId}`,
    );
    const leg = { chainId, token: other.token };
    return { ...leg, atoms: present(price(amountIn, input, leg), `a price of ${other.symbol}`), txHash: '' };
  };

  const fill = async (order: Order): Promise<void> => {
    const worth = price(order.amountIn, order.input, order.output) ?? 0n;
    // What the market gained since is the provider's.
    const atoms = worth < order.amountOut ? worth : order.amountOut;
    if (atoms < order.least) return refund(order, order.seen - order.handled, 'SLIPPAGE');
    switch (faults.onFill()) {
      case 'short_delivery':
        return deliver(order, order.output, (order.least * 9n) / 10n);
      case 'other_asset': {
        const other = somethingElse(order);
        return deliver(order, other, other.atoms);
      }
      case 'no_delivery':
        order.fillAt = Number.MAX_SAFE_INTEGER;
        return;
      case 'delivery_after_refund':
        await refund(order, order.seen - order.handled, 'UNKNOWN');
        await pay(order.output, order.recipient, atoms);
        return;
      default:
        return deliver(order, order.output, atoms);
    }
  };

  const receive = async (order: Order, fresh: bigint): Promise<void> => {
    if (now() > order.deadline) return refund(order, fresh, 'DEADLINE');
    if (fresh < order.amountIn && options.shortDeposit === 'goes_back') return refund(order, fresh, 'SHORT_DEPOSIT');
    order.phase = fresh < order.amountIn ? 'short' : 'processing';
    order.fillAt = now() + options.fillMs;
    order.updatedAt = now();
  };

  return async (order) => {
    const got = await placeOf(order.input.chainId).received(order.input.token, order.depositAddress);
    order.seen = got.total;
    order.depositHashes = got.transfers.map(({ txHash }) => txHash);
    const fresh = got.total - order.handled;
    if (fresh <= 0n) return;
    if (order.phase === 'waiting' || order.phase === 'short') return receive(order, fresh);
    if (order.phase !== 'processing') return giveBack(order, fresh, order.reason || 'EXCESS');
    if (now() >= order.fillAt) await fill(order);
  };
}
