import type { OrderId } from '../kernel/ids.ts';
import type { Placed } from '../store/orders.ts';

type Load = (id: OrderId) => Promise<Placed | undefined>;

export interface OrderCache {
  find: Load;
  /** The order changed. */
  forget(id: OrderId): void;
  /** Anything may have changed. */
  forgetAll(): void;
}

interface Reading {
  readonly placed: Promise<Placed | undefined>;
  isOutdated: boolean;
}

/** A customer polls an order many times between two changes of it; the database is asked once after each. */
export function cacheOrders(load: Load, most = 10_000): OrderCache {
  const kept = new Map<OrderId, Placed>();
  const readings = new Map<OrderId, Reading>();

  async function read(id: OrderId): Promise<Placed | undefined> {
    const reading: Reading = { placed: load(id), isOutdated: false };
    readings.set(id, reading);
    try {
      const placed = await reading.placed;
      // What was read while it changed is good for those who waited for it, and for nobody after them.
      if (placed && !reading.isOutdated) keep(id, placed);
      return placed;
    } finally {
      if (readings.get(id) === reading) readings.delete(id);
    }
  }

  function keep(id: OrderId, placed: Placed): void {
    const oldest = kept.size >= most ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(id, placed);
  }

  function outdate(id: OrderId, reading: Reading): void {
    reading.isOutdated = true;
    readings.delete(id);
  }

  return {
    find: async (id) => kept.get(id) ?? (await (readings.get(id)?.placed ?? read(id))),
    forget(id) {
      kept.delete(id);
      const reading = readings.get(id);
      if (reading) outdate(id, reading);
    },
    forgetAll() {
      kept.clear();
      for (const [id, reading] of readings) outdate(id, reading);
    },
  };
}
