import { assert, present } from '../../../src/kernel/assert.ts';
import { Fault } from '../../../src/kernel/fault.ts';
import type { Place } from '../../place.ts';
import type { FaultBox } from './faults.ts';
import type { Leg, Order, Paying } from './orders.ts';

export interface SettlerOptions {
  readonly now: () => number;
  readonly faults: FaultBox;
  /** What happens to a deposit that is too small: the rest may come until the deadline, or it goes back at once. */
  readonly shortDeposit: 'waits' | 'goes_back';
  /** Time between seeing a deposit and paying. */
  readonly fillMs: number;
  readonly place: (chainId: number) => Place | undefined;
  readonly price: (atoms: bigint, input: Leg, output: Leg) => bigint | undefined;
  /** Writes the order down as it is now. */
  readonly note: (order: Order) => void;
  /** The transactions in which any order was paid. */
  readonly paidBefore: () => ReadonlySet<string>;
}

/** What was sent shows with the next block. They come every second, unless somebody has changed their rhythm. */
const SHOWS_MS = 10_000;

/** Takes an order as far as it goes now: what came to its address is filled or sent back, once. */
export class Settler {
  readonly #options: SettlerOptions;
  readonly #openedAt: number;

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.#openedAt = options.now();
  }

  async settle(order: Order): Promise<void> {
    if (order.paying) await this.#goOn(order, order.paying);
    if (order.paying) return;
    const got = await this.#place(order.input.chainId).received(order.input.token, order.depositAddress);
    order.seen = got.total;
    order.depositHashes = got.transfers.map(({ txHash }) => txHash);
    const fresh = got.total - order.handled;
    if (fresh <= 0n) return;
    if (order.phase === 'waiting' || order.phase === 'short') await this.#receive(order, fresh);
    else if (order.phase !== 'processing') await this.#giveBack(order, fresh, order.reason || 'EXCESS');
    else if (this.#options.now() >= order.fillAt) await this.#fill(order, fresh);
  }

  async #receive(order: Order, fresh: bigint): Promise<void> {
    const { now, shortDeposit, fillMs } = this.#options;
    const isShort = fresh < order.amountIn;
    if (now() > order.deadline) return this.#refund(order, fresh, 'DEADLINE');
    if (isShort && shortDeposit === 'goes_back') return this.#refund(order, fresh, 'SHORT_DEPOSIT');
    order.phase = isShort ? 'short' : 'processing';
    order.fillAt = now() + fillMs;
    order.updatedAt = now();
  }

  async #fill(order: Order, fresh: bigint): Promise<void> {
    if (order.takesAll) {
      const all = this.#options.price(fresh, order.input, order.output) ?? 0n;
      [order.amountIn, order.amountOut, order.least] = [fresh, all, all];
    }
    const worth = this.#options.price(order.amountIn, order.input, order.output) ?? 0n;
    if (worth < order.least) return this.#refund(order, fresh, 'SLIPPAGE');
    const hasFallen = worth < order.amountOut;
    const atoms = hasFallen ? worth : order.amountOut;
    const other = this.#otherThan(order.output);
    switch (this.#options.faults.onFill((fault) => fault !== 'other_asset' || other !== undefined)) {
      case 'short_delivery':
        return this.#deliver(order, order.output, (order.least * 9n) / 10n);
      case 'false_delivery':
        await this.#deliver(order, order.output, atoms / 2n);
        order.delivered = { ...present(order.delivered, 'a delivery'), atoms };
        return;
      case 'other_asset':
        return this.#deliverOther(order, present(other, 'another token'));
      case 'no_delivery':
        order.fillAt = Number.MAX_SAFE_INTEGER;
        return;
      case 'delivery_after_refund':
        await this.#refund(order, fresh, 'UNKNOWN');
        await this.#place(order.output.chainId).pay({ token: order.output.token, to: order.recipient, atoms });
        return;
      default:
        return this.#deliver(order, order.output, atoms);
    }
  }

  #deliver(order: Order, leg: Leg, atoms: bigint): Promise<void> {
    return this.#begin(order, { ...leg, to: order.recipient, atoms });
  }

  /** Another token of the same chain; some have one only. */
  #otherThan({ chainId, token }: Leg): Leg | undefined {
    const other = this.#place(chainId).tokens.find((one) => one.token !== token);
    return other && { chainId, token: other.token };
  }

  /** Worth what was paid. */
  #deliverOther(order: Order, leg: Leg): Promise<void> {
    const worth = this.#options.price(order.amountIn, order.input, leg);
    return this.#deliver(order, leg, present(worth, `price of ${leg.token}`));
  }

  #refund(order: Order, atoms: bigint, reason: string): Promise<void> {
    return this.#begin(order, { ...order.input, to: order.refundTo, atoms, refund: { reason, endsOrder: true } });
  }

  #giveBack(order: Order, atoms: bigint, reason: string): Promise<void> {
    return this.#begin(order, { ...order.input, to: order.refundTo, atoms, refund: { reason, endsOrder: false } });
  }

  async #begin(order: Order, payment: Omit<Paying, 'startedAt' | 'before'>): Promise<void> {
    assert(payment.atoms > 0n, 'a payment of nothing');
    await this.#pay(order, { ...payment, before: await this.#alike(payment) });
  }

  async #pay(order: Order, payment: Omit<Paying, 'startedAt'>): Promise<void> {
    const paying = { ...payment, startedAt: this.#options.now() };
    order.paying = paying;
    this.#options.note(order);
    const { txHash } = await this.#place(paying.chainId).pay(paying);
    this.#paid(order, paying, txHash);
  }

  /** Whoever died while he paid, or heard nothing of it, looks whether it is out, and pays again once it would have shown. */
  async #goOn(order: Order, paying: Paying): Promise<void> {
    const others = this.#options.paidBefore();
    const out = (await this.#alike(paying)).find((txHash) => !paying.before.includes(txHash) && !others.has(txHash));
    if (out !== undefined) return this.#paid(order, paying, out);
    const isLost = this.#options.now() >= Math.max(paying.startedAt, this.#openedAt) + SHOWS_MS;
    if (isLost) await this.#pay(order, paying);
  }

  /** Transactions that brought as much to the same recipient. Some places cannot tell what strangers got. */
  async #alike({ chainId, token, to, atoms }: Pick<Paying, 'chainId' | 'token' | 'to' | 'atoms'>): Promise<string[]> {
    const got = await this.#place(chainId)
      .received(token, to)
      .catch((error: unknown) => {
        if (error instanceof Fault && error.kind === 'permanent') return { transfers: [] };
        throw error;
      });
    return got.transfers.filter(({ amount }) => amount === atoms).map(({ txHash }) => txHash);
  }

  #paid(order: Order, { chainId, token, atoms, refund }: Paying, txHash: string): void {
    const sum = { chainId, token, atoms, txHash };
    order.paying = undefined;
    order.updatedAt = this.#options.now();
    if (!refund) {
      order.delivered = sum;
      order.handled += order.amountIn;
      order.phase = 'success';
      return;
    }
    order.refunds.push(sum);
    order.handled += atoms;
    order.reason = refund.reason;
    if (refund.endsOrder) order.phase = 'refunded';
  }

  #place(chainId: number): Place {
    return present(this.#options.place(chainId), `place ${chainId}`);
  }
}
