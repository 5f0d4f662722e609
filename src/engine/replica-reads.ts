import type { OrderId } from '../kernel/ids.ts';
import type { Orders, Placed } from '../store/orders.ts';
import type { Standings } from '../store/replica.ts';

export interface ReplicaParts {
  readonly primary: Pick<Orders, 'findAll'>;
  readonly replica: Pick<Orders, 'findAll'>;
  readonly standings: Standings;
  /** Whose answer it was. */
  readonly served: (by: 'replica' | 'primary', orders: number) => void;
  /** Versions that are remembered; when there are more, all are forgotten and the replica must catch up first. */
  readonly most?: number;
}

export interface ReplicaReads {
  findAll(ids: readonly OrderId[]): Promise<readonly Placed[]>;
  /** An order changed; or, without one, anything may have. */
  heard(id: OrderId | undefined, version: number): void;
  /** Looks where the replica stands; undefined: it cannot be asked. */
  look(): Promise<{ readonly isUsed: boolean; readonly behind: number } | undefined>;
}

/**
 * Orders from a replica, none older than what was heard of it or shown before: what the replica does not have, or has in an older
 * version, is read from the server that writes. It is used only while it has replayed everything that was written before the feed
 * began to be heard; what was written later is told by the feed with its version.
 */
export function readReplica({ primary, replica, standings, served, most = 100_000 }: ReplicaParts): ReplicaReads {
  let known = new Map<OrderId, number>();
  let fence: string | undefined;
  let isUsed = false;
  /** Counts how often everything was forgotten: what was asked before that is no answer after it. */
  let epoch = 0;

  function forget(): void {
    known = new Map();
    fence = undefined;
    isUsed = false;
    epoch += 1;
  }

  function note(id: OrderId, version: number): void {
    if (version <= (known.get(id) ?? -1)) return;
    if (known.size >= most) forget();
    known.set(id, version);
  }

  async function fromPrimary(ids: readonly OrderId[]): Promise<readonly Placed[]> {
    const found = await primary.findAll(ids);
    for (const { order } of found) note(order.id, order.version);
    served('primary', found.length);
    return found;
  }

  async function fromReplica(ids: readonly OrderId[]): Promise<readonly Placed[]> {
    const asked = epoch;
    try {
      const found = await replica.findAll(ids);
      return isUsed && asked === epoch ? found.filter(({ order }) => order.version >= (known.get(order.id) ?? 0)) : [];
    } catch {
      isUsed = false;
      return [];
    }
  }

  return {
    async findAll(ids) {
      if (!isUsed) return fromPrimary(ids);
      const fresh = await fromReplica(ids);
      for (const { order } of fresh) note(order.id, order.version);
      served('replica', fresh.length);
      const found = new Set(fresh.map(({ order }) => order.id));
      const others = ids.filter((id) => !found.has(id));
      return others.length === 0 ? fresh : [...fresh, ...(await fromPrimary(others))];
    },
    heard: (id, version) => (id === undefined ? forget() : note(id, version)),
    async look() {
      const asked = epoch;
      const now = await standings.position();
      if (asked !== epoch) return undefined;
      fence ??= now;
      try {
        const { hasReached, behind } = await standings.standing(fence, now);
        isUsed = hasReached && asked === epoch;
        return { isUsed, behind };
      } catch {
        isUsed = false;
        return undefined;
      }
    },
  };
}
