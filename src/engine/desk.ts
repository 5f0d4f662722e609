import type { Instant } from '../kernel/clock.ts';
import type { OrderId } from '../kernel/ids.ts';
import type { Refusal } from '../kernel/refusal.ts';
import type { Command } from '../life/order/command.ts';
import type { Draft } from '../life/order/create.ts';
import type { Generation, Order } from '../life/order/order.ts';
import type { OpenLimit, Ownership, Placed } from '../store/orders.ts';
import type { SavedFill } from '../store/trades.ts';

/** A limit on open orders, and what is answered where it has no room. */
export interface Opening {
  readonly limit: OpenLimit;
  readonly otherwise: Refusal;
}

/** PORT. What the outer rooms may ask of the engine; the only way in which a request changes an order. */
export interface Desk {
  /**
   * Stores the order with a fresh deposit address in one statement, if every opening has room for one more; `unavailable` when no
   * address is ready.
   */
  create(draft: Draft, owner: Ownership, openings?: readonly Opening[]): Promise<Placed | Refusal>;
  find(id: OrderId): Promise<Placed | undefined>;
  /** Newest first; `before` is the last row's createdAt and id. */
  bySession(
    sessionHashes: readonly string[],
    generation: Generation,
    limit: number,
    before?: { readonly createdAt: Instant; readonly id: OrderId },
  ): Promise<readonly Placed[]>;
  /** Orders of one integration among these ids. */
  byIds(ids: readonly OrderId[], integrationId: string, generation: Generation): Promise<readonly Placed[]>;
  /** Tries `may(order, command)`, then submits it as a fact; what it returns is what a read would show. */
  command(id: OrderId, command: Command): Promise<Order | Refusal>;
  /** Newest collected first. */
  fills(id: OrderId, limit: number, before?: number): Promise<readonly SavedFill[]>;
  /** Unfinished orders created since. */
  openOrders(
    of: { readonly clientHash: string } | { readonly integrationId: string },
    since: Instant,
    most: number | undefined,
  ): Promise<number>;
  /** Calls back after every committed change of the order, from whichever process made it. Returns how to stop. */
  watch(id: OrderId, onChange: (version: number) => void): () => void;
}
