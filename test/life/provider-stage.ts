import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { type Amount, amount, equal } from '../../src/kernel/amount.ts';
import type { Instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address, TxHash } from '../../src/kernel/ids.ts';
import { percent, ratio } from '../../src/kernel/ratio.ts';
import type { UsdMicros } from '../../src/kernel/usd.ts';
import { providerHandlers } from '../../src/life/execution/provider-handlers.ts';
import type { Delivery } from '../../src/life/order/delivery.ts';
import type { Done } from '../../src/life/order/handling.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Chain } from '../../src/world/chains/chain.ts';
import type { Provider, ProviderStatus, Swap } from '../../src/world/providers/provider.ts';
import { ether, USDC, worth } from './market.ts';
import { AT, screened } from './order-phases.ts';
import { after, final, swapOrder } from './world.ts';

interface Manner {
  /** Thousandths of the fair price. */
  readonly pays?: bigint;
  readonly quotes?: 'offer' | 'declines' | 'is down';
  readonly opens?: 'order' | 'declines' | 'is down';
  /** Thousandths of its own offer, in what it agrees to when it is asked for an address. */
  readonly agrees?: bigint;
  readonly says?: ProviderStatus | 'is down';
}

export function provider(name: string, manner: Manner = {}) {
  const opened: Swap[] = [];
  const told: TxHash[] = [];
  const down = () => new Fault('transient', `provider:${name}`, 'is down');
  const outputOf = ({ input, output }: Swap): Amount => {
    const fair = worth(input, output);
    return amount(output, (fair.atoms * (manner.pays ?? 1_000n)) / 1_000n);
  };
  const it: Provider = {
    name,
    supports: () => true,
    async quote(swap) {
      if (manner.quotes === 'is down') throw down();
      const output = outputOf(swap);
      const least = amount(output.asset, (output.atoms * 99n) / 100n);
      return manner.quotes === 'declines' ? undefined : { output, least, seconds: 10 };
    },
    async open(swap) {
      opened.push(swap);
      if (manner.opens === 'is down') throw down();
      if (manner.opens === 'declines') throw new Fault('permanent', `provider:${name}`, 'no');
      const offered = outputOf(swap);
      const output = amount(offered.asset, (offered.atoms * (manner.agrees ?? 1_000n)) / 1_000n);
      const least = amount(output.asset, (output.atoms * 99n) / 100n);
      const { input, deadline } = swap;
      return { id: 'theirs', depositAddress: `${name} deposit` as Address, input, output, least, deadline };
    },
    async status() {
      if (manner.says === 'is down') throw down();
      return manner.says ?? { state: 'processing' };
    },
    async funded(_, hash) {
      told.push(hash);
      throw down();
    },
  };
  return { it, opened, told };
}

/** So many atoms that no price rounds. */
const MANY = 10n ** 36n;

export function stage(
  providers: readonly Provider[],
  arrived: readonly { hash: TxHash; amount: Amount; seenAt?: Instant }[] = [],
  now = AT,
  hasPrices = true,
) {
  const asked: Delivery[] = [];
  const short: string[] = [];
  const handlers = providerHandlers({
    providers,
    chain: (id) => ({ facts: { id }, hotAddress: `hot on ${id}` as Address }) as unknown as Chain,
    books: {
      async takeDelivery(wanted) {
        asked.push(wanted);
        const fits = ({ hash, amount: value, seenAt = now }: (typeof arrived)[number]) =>
          seenAt >= wanted.since && (wanted.txHash === undefined ? equal(value, wanted.told) : hash === wanted.txHash);
        return arrived.find(fits)?.amount;
      },
    },
    fellShort: async (name, deal) => void short.push(`${name} ${deal}`),
    worth: async (of) => worth(of, USDC.id).atoms as bigint as UsdMicros,
    marketRate: async (input, output) =>
      hasPrices ? ratio(worth(amount(input, MANY), output).atoms, MANY) : undefined,
    slippage: { perLeg: percent('1'), full: percent('3') },
    bind: (purpose, order, asset, address) => ({ asset, address, binding: `${purpose} ${order} ${asset} ${address}` }),
    rules: RULES,
    clock: { now: () => now },
  });
  const job = { key: 'job', owner: swapOrder().id, troubledSince: undefined } as const;
  return {
    asked,
    short,
    place: (order: Order) =>
      handlers.place_leg({ ...job, tries: 1, effect: { effect: 'place_leg', number: order.deals, due: now } }, order),
    watch: (order: Order, tries = 1) =>
      handlers.watch_leg({ ...job, tries, effect: { effect: 'watch_leg', number: order.deals - 1 } }, order),
  };
}

export const factOf = (done: Done) => {
  assert.ok(typeof done === 'object' && 'fact' in done, inspect(done));
  return done.fact;
};

const withRate = (order: Order, thousandths: bigint): Order => {
  const fair = worth(ether('1'), order.to.id).atoms;
  const legs = order.route.legs.map((leg) => ({ ...leg, worstRate: ratio(fair * thousandths, 10n ** 18n * 1_000n) }));
  return { ...order, route: { ...order.route, legs: legs as Order['route']['legs'] } };
};

/** Everything is there but a provider; what it brings may be 3 % less than the fair price. */
export const placing = withRate(after(swapOrder({ collects: false }), final(ether('0.1'), AT), screened(true)), 970n);
