import { present } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AssetId, OrderId } from '../kernel/ids.ts';
import { chainOf } from '../kernel/ids.ts';
import { refuse, unavailable } from '../kernel/refusal.ts';
import { commandFact, may } from '../life/order/command.ts';
import { firstEffects } from '../life/order/create.ts';
import type { Rules } from '../life/order/rules.ts';
import type { Creation, Full, Orders, Placed } from '../store/orders.ts';
import type { SavedFill } from '../store/trades.ts';
import type { Desk } from './desk.ts';
import type { Feed } from './feed.ts';
import type { Log } from './log.ts';
import type { OrderCache } from './order-cache.ts';
import type { Submit } from './submit.ts';
import { givenUpInto, inTurns } from './together.ts';

export interface DeskParts {
  readonly orders: Orders;
  /** Orders as they were last read; told of every change by the feed. */
  readonly cache: OrderCache;
  readonly fills: (id: OrderId, limit: number, before?: number) => Promise<readonly SavedFill[]>;
  readonly submit: Submit;
  readonly feed: Feed;
  readonly rules: Rules;
  readonly clock: Clock;
  /** The address space that deposits of an asset come to; chains of one family share it. */
  readonly spaceOf: (asset: AssetId) => string;
  readonly log?: Log;
}

/** Whoever loses this often against others is told no. */
const MOST_TRIES = 5;

export function openDesk({ orders, cache, fills, submit, feed, rules, clock, spaceOf, log }: DeskParts): Desk {
  const create = inTurns<Creation, Placed | Full | undefined>({
    one: ({ draft, owner, space, effects, limits }) => orders.create(draft, owner, space, effects, limits),
    all: orders.createAll,
    isRepeatable: false,
    givenUp: givenUpInto(log, 'orders'),
  });
  return {
    async create(draft, owner, openings = []) {
      const limits = openings.map(({ limit }) => limit);
      const made = await create({ draft, owner, space: spaceOf(draft.from.id), effects: firstEffects(draft), limits });
      const chain = chainOf(draft.from.id);
      if (!made)
        return unavailable('deposit_address', `No deposit address is ready on chain ${chain}; try again in a moment.`);
      if ('order' in made) return made;
      return present(
        openings.find(({ limit }) => limit === made.full),
        'what is full',
      ).otherwise;
    },
    find: cache.find,
    bySession: orders.bySession,
    byIds: orders.byIds,
    openOrders: orders.countOpen,
    fills,
    watch: feed.watch,
    command: async (id, command) => {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const order = (await orders.find(id))?.order;
        if (!order) return refuse('not_found', 'There is no such order.');
        const answer = may(order, command, rules);
        if (answer === 'done') return order;
        if (answer) return answer;
        const key = `${command.command}:${order.version}`;
        const result = await submit.submit(id, key, commandFact(command, clock.now()));
        cache.forget(id);
        // Somebody else was first, or the order has moved on: it is judged again as it is now.
        if (result === 'taken') return (await orders.find(id))?.order ?? order;
      }
      return refuse('action_not_available', 'This order does not take that any more.');
    },
  };
}
