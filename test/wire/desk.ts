import type { Desk } from '../../src/engine/desk.ts';
import type { Instant } from '../../src/kernel/clock.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import { unavailable } from '../../src/kernel/refusal.ts';
import { commandFact, may } from '../../src/life/order/command.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { IS_FINAL } from '../../src/life/order/state.ts';
import { transition } from '../../src/life/order/transition.ts';
import type { Ownership, Placed } from '../../src/store/orders.ts';
import type { SavedFill } from '../../src/store/trades.ts';
import { EVM_ADDRESS, MONERO_ADDRESS } from './assets.ts';

export interface MemoryDesk extends Desk {
  /** Changes an order as the engine would, and tells those who watch. */
  change(id: string, change: (order: Order) => Partial<Order>): void;
  readonly saved: Map<string, SavedFill[]>;
  /** No deposit address is ready. */
  runDry(): void;
  watchers(): number;
}

/** The engine's port over a Map, with the real rules of what a customer may ask. */
export function memoryDesk(now: () => Instant): MemoryDesk {
  const orders = new Map<string, Placed>();
  const saved = new Map<string, SavedFill[]>();
  const watching = new Map<string, Set<(version: number) => void>>();
  let isDry = false;

  const newestFirst = () =>
    [...orders.values()].sort((a, b) => b.order.createdAt - a.order.createdAt || (a.order.id < b.order.id ? 1 : -1));
  const openOf = (isTheirs: (owner: Ownership) => boolean, since: Instant): number =>
    newestFirst().filter(
      ({ order, owner }) => isTheirs(owner) && !IS_FINAL[order.state.phase] && order.createdAt > since,
    ).length;
  const put = (placed: Placed, change: Partial<Order>): Order => {
    const order = { ...placed.order, ...change, version: placed.order.version + 1, updatedAt: now() };
    orders.set(order.id, { ...placed, order });
    for (const tell of watching.get(order.id) ?? []) tell(order.version);
    return order;
  };

  return {
    saved,
    runDry: () => {
      isDry = true;
    },
    watchers: () => [...watching.values()].reduce((sum, set) => sum + set.size, 0),
    change(id, change) {
      const placed = orders.get(id);
      if (!placed) throw new Error(`no order ${id}`);
      put(placed, change(placed.order));
    },
    async create(draft, owner, openings = []) {
      const full = openings.find(({ limit: { of, whose, since, most } }) => {
        const isTheirs = (one: Ownership) => (of === 'client' ? one.clientHash : one.integrationId) === whose;
        return openOf(isTheirs, since) >= most;
      });
      if (full) return full.otherwise;
      if (isDry) return unavailable('deposit_address', 'No deposit address is ready; try again shortly.');
      if (orders.has(draft.id)) throw new Error('duplicate key value violates unique constraint');
      const depositAddress = (draft.from.chainId === 0 ? MONERO_ADDRESS : EVM_ADDRESS) as Address;
      const placed = { order: { ...draft, depositAddress, depositIndex: orders.size }, owner };
      orders.set(draft.id, placed);
      return placed;
    },
    find: async (id) => orders.get(id),
    bySession: async (hashes, generation, limit, before) =>
      newestFirst()
        .filter(({ order, owner }) => hashes.includes(owner.sessionHash) && order.generation === generation)
        .filter(({ order }) => !before || isBefore(order, before))
        .slice(0, limit),
    byIds: async (ids, integrationId, generation) =>
      newestFirst().filter(
        ({ order, owner }) =>
          ids.includes(order.id) && owner.integrationId === integrationId && order.generation === generation,
      ),
    async command(id, command) {
      const placed = orders.get(id);
      if (!placed) throw new Error(`no order ${id}`);
      const verdict = may(placed.order, command, RULES);
      if (verdict === 'done') return placed.order;
      if (verdict) return verdict;
      const outcome = transition(placed.order, commandFact(command, instant(now())), RULES);
      return outcome === 'ignore' ? placed.order : put(placed, outcome.order);
    },
    fills: async (id, limit, before) =>
      (saved.get(id) ?? [])
        .toSorted((a, b) => b.seq - a.seq)
        .filter(({ seq }) => before === undefined || seq < before)
        .slice(0, limit),
    openOrders: async (whose, since) =>
      openOf(
        (one) =>
          'clientHash' in whose ? one.clientHash === whose.clientHash : one.integrationId === whose.integrationId,
        since,
      ),
    watch(id, onChange) {
      const listeners = watching.get(id) ?? new Set();
      watching.set(id, listeners.add(onChange));
      return () => listeners.delete(onChange);
    },
  };
}

const isBefore = (order: Order, place: { readonly createdAt: Instant; readonly id: OrderId }): boolean =>
  order.createdAt < place.createdAt || (order.createdAt === place.createdAt && order.id < place.id);
