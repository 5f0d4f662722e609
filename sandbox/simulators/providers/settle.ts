import { assert, present } from '../../../src/kernel/assert.ts';
import type { Place } from '../../place.ts';
import type { FaultBox } from './faults.ts';
import type { Leg, Order, Sum } from './orders.ts';

export interface SettlerOptions {
  readonly now: () => number;
  readonly faults: FaultBox;
  /** What happens to a deposit that is too small: the rest may come until the deadline, or it goes back at once. */
  readonly shortDeposit: 'waits' | 'goes_back';
  /** Time between seeing a deposit and paying. */
  readonly fillMs: number;
  readonly place: (chainId: number) => Place | undefined;
  readonly price: (atoms: bigint, input: Leg, output: Leg) => bigint | undefined;
}

/** Takes an order as far as it goes now: what came to its address is filled or sent back, once. */
export class Settler {
  readonly #options: SettlerOptions;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  async settle(order: Order): Promise<void> {
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
        await this.#pay(order.output, order.recipient, atoms);
        return;
      default:
        return this.#deliver(order, order.output, atoms);
    }
  }

  async #deliver(order: Order, leg: Leg, atoms: bigint): Promise<void> {
    order.delivered = await this.#pay(leg, order.recipient, atoms);
    order.handled += order.amountIn;
    order.phase = 'success';
    order.updatedAt = this.#options.now();
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

  async #refund(order: Order, atoms: bigint, reason: string): Promise<void> {
    await this.#giveBack(order, atoms, reason);
    order.phase = 'refunded';
  }

  async #giveBack(order: Order, atoms: bigint, reason: string): Promise<void> {
    order.refunds.push(await this.#pay(order.input, order.refundTo, atoms));
    order.handled += atoms;
    order.reason = reason;
    order.updatedAt = this.#options.now();
  }

  async #pay({ chainId, token }: Leg, to: string, atoms: bigint): Promise<Sum> {
    assert(atoms > 0n, 'a payment of nothing');
    const { txHash } = await this.#place(chainId).pay({ token, to, atoms });
    return { chainId, token, atoms, txHash };
  }

  #place(chainId: number): Place {
    return present(this.#options.place(chainId), `place ${chainId}`);
  }
}
