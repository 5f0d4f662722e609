import type { OrderId } from '../kernel/ids.ts';
import type { Db } from '../store/db.ts';
import type { Beating } from './heartbeat.ts';

/** Tells of every committed change of an order, from whichever process made it. */
export interface Feed extends Beating {
  /** Calls back after each change; after a lost connection with version -1: look again. Returns how to stop. */
  watch(id: OrderId, onChange: (version: number) => void): () => void;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;

/** `heard` is told before everyone else: of one order and its version, or, after a lost connection, of all. */
export async function openFeed(
  db: Db,
  heard: (id: OrderId | undefined, version: number) => void = () => {},
): Promise<Feed> {
  const watchers = new Map<string, Set<(version: number) => void>>();
  let isClosed = false;
  let session = await connect();

  async function connect() {
    const fresh = await db.session();
    fresh.onLost(reconnect);
    await fresh.listen('wherry_order', (payload) => {
      const [id = '', version = ''] = payload.split(' ');
      heard(id as OrderId, Number(version));
      for (const watcher of watchers.get(id) ?? []) watcher(Number(version));
    });
    return fresh;
  }

  /** What happened meanwhile is unknown, so everyone is asked to look again. */
  async function reconnect(): Promise<void> {
    while (!isClosed) {
      try {
        session = await connect();
        heard(undefined, -1);
        for (const group of watchers.values()) for (const watcher of group) watcher(-1);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
      }
    }
  }

  return {
    watch(id, onChange) {
      const group = watchers.get(id) ?? new Set();
      watchers.set(id, group.add(onChange));
      return () => {
        group.delete(onChange);
        if (group.size === 0) watchers.delete(id);
      };
    },
    beat: () => session.beat(),
    close: async () => {
      isClosed = true;
      await session.close();
    },
  };
}
