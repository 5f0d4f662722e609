import { sha256Hex } from '../../kernel/secret.ts';
import type { Order } from '../../life/order/order.ts';
import type { ApiDeps } from '../deps.ts';
import { ownMemory } from '../own-memory.ts';
import { swapOrder } from './reply-shapes.ts';

/** An order as its owner reads it. Whoever polls it and whoever follows it are sent the same bytes. */
export interface OrderText {
  readonly json: string;
  /** Names these bytes and no others. */
  readonly etag: string;
  /** Names what a customer sees of the order: all of it but the time of its last change. */
  readonly seen: string;
}

/** Enough of a hash to tell any two texts apart. */
const NAME_CHARS = 32;
const nameOf = (text: string): string => sha256Hex(text).slice(0, NAME_CHARS);

/**
 * Written once for every version that is held in memory (`engine/order-cache.ts`). Fills are saved before the step that
 * tells of them, so none is new without a new version.
 */
const written = ownMemory((deps) => {
  const kept = new WeakMap<Order, Promise<OrderText>>();
  return (order: Order): Promise<OrderText> => {
    const known = kept.get(order);
    if (known) return known;
    const text = write(order, deps);
    kept.set(order, text);
    text.catch(() => kept.delete(order));
    return text;
  };
});

export const orderText = (order: Order, deps: ApiDeps): Promise<OrderText> => written(deps)(order);

async function write(order: Order, deps: ApiDeps): Promise<OrderText> {
  const shown = await swapOrder(order, deps);
  return new WrittenOrder(JSON.stringify(shown), shown.updatedAt);
}

/** Polls need one of its names and sockets the other, so each is reckoned for whoever asks first. */
class WrittenOrder implements OrderText {
  readonly json: string;
  readonly #updatedAt: string;
  #etag: string | undefined;
  #seen: string | undefined;

  constructor(json: string, updatedAt: string) {
    this.json = json;
    this.#updatedAt = updatedAt;
  }

  get etag(): string {
    this.#etag ??= `"${nameOf(this.json)}"`;
    return this.#etag;
  }

  get seen(): string {
    this.#seen ??= nameOf(this.json.replace(`"updatedAt":"${this.#updatedAt}"`, ''));
    return this.#seen;
  }
}
