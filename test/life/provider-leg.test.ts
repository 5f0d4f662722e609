import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { type Amount, amount, equal } from '../../src/kernel/amount.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, type TxHash, txHash } from '../../src/kernel/ids.ts';
import { percent, ratio } from '../../src/kernel/ratio.ts';
import type { UsdMicros } from '../../src/kernel/usd.ts';
import { providerHandlers } from '../../src/life/execution/provider-handlers.ts';
import type { Delivery } from '../../src/life/order/delivery.ts';
import type { Done } from '../../src/life/order/handling.ts';
import { dealPayment, type Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Chain } from '../../src/world/chains/chain.ts';
import type { Provider, ProviderStatus, Swap } from '../../src/world/providers/provider.ts';
import { ETH, ether, USDC, usdc, worth, XMR } from './market.ts';
import { AT, paid, placed, screened } from './order-phases.ts';
import { after, final, place, swapOrder } from './world.ts';

interface Manner {
  /** Thousandths of the fair price. */
  readonly pays?: bigint;
  readonly quotes?: 'offer' | 'declines' | 'is down';
  readonly opens?: 'order' | 'declines' | 'is down';
  readonly says?: ProviderStatus | 'is down';
}

function provider(name: string, manner: Manner = {}) {
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
      const output = outputOf(swap);
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

function stage(providers: readonly Provider[], arrived: readonly { hash: TxHash; amount: Amount }[] = [], now = AT) {
  const asked: Delivery[] = [];
  const short: string[] = [];
  const handlers = providerHandlers({
    providers,
    chain: (id) => ({ facts: { id }, hotAddress: `hot on ${id}` as Address }) as unknown as Chain,
    books: {
      async takeDelivery(wanted) {
        asked.push(wanted);
        const fits = ({ hash, amount: value }: (typeof arrived)[number]) =>
          wanted.txHash === undefined ? equal(value, wanted.told) : hash === wanted.txHash;
        return arrived.find(fits)?.amount;
      },
    },
    fellShort: async (name, deal) => void short.push(`${name} ${deal}`),
    worth: async (of) => worth(of, USDC.id).atoms as bigint as UsdMicros,
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

const factOf = (done: Done) => {
  assert.ok(typeof done === 'object' && 'fact' in done, inspect(done));
  return done.fact;
};

const withRate = (order: Order, thousandths: bigint): Order => {
  const fair = worth(ether('1'), order.to.id).atoms;
  const legs = order.route.legs.map((leg) => ({ ...leg, worstRate: ratio(fair * thousandths, 10n ** 18n * 1_000n) }));
  return { ...order, route: { ...order.route, legs: legs as Order['route']['legs'] } };
};

const placing = withRate(after(swapOrder({ collects: false }), final(ether('0.1'), AT), screened(true)), 970n);

describe('choosing a provider', () => {
  test('whoever pays most is asked for an address, for all there is to spend, to our own accounts', async () => {
    const [poor, rich] = [provider('poor', { pays: 990n }), provider('rich')];
    const fact = factOf(await stage([poor.it, rich.it]).place(placing));
    assert.ok(fact.fact === 'leg_placed');
    assert.equal(fact.deal.provider, 'rich');
    assert.deepEqual(fact.deal.terms.input, ether('0.0997'));
    assert.equal(poor.opened.length, 0);
    assert.deepEqual([rich.opened[0]?.recipient, rich.opened[0]?.refundTo], ['hot on 42161', 'hot on 1']);
    assert.ok(fact.deal.binding.startsWith(`fund ${placing.id}`));
    const funding = after(placing, fact);
    assert.equal(funding.state.phase, 'swapping');
    const payment = dealPayment(funding, fact.deal);
    assert.deepEqual(
      [payment?.amount, payment?.to, payment?.state],
      [ether('0.0997'), 'rich deposit', { state: 'reserved' }],
    );
  });

  test('one that is down is left out', async () => {
    const fact = factOf(await stage([provider('down', { quotes: 'is down' }).it, provider('up').it]).place(placing));
    assert.ok(fact.fact === 'leg_placed' && fact.deal.provider === 'up');
  });

  test('nobody is paid who may deliver less than the order allows', async () => {
    const fact = factOf(await stage([provider('poor', { pays: 960n }).it]).place(placing));
    assert.ok(fact.fact === 'leg_declined' && fact.refused);
  });

  test('a provider that offers and then refuses counts as a refusal', async () => {
    const fact = factOf(await stage([provider('fickle', { opens: 'declines' }).it]).place(placing));
    assert.ok(fact.fact === 'leg_declined' && fact.refused);
  });

  test('while nobody answers it is tried again, and in the end told', async () => {
    const silent = [provider('down', { quotes: 'is down' }).it];
    assert.deepEqual(await stage(silent).place(placing), { againInMs: RULES.retryLegMs });
    const late = factOf(await stage(silent, [], instant(AT + RULES.tradePatienceMs) as Instant).place(placing));
    assert.ok(late.fact === 'leg_declined' && !late.refused);
  });

  test('what may have happened is tried again: an order that nobody funds dies by itself', () =>
    assert.rejects(stage([provider('flaky', { opens: 'is down' }).it]).place(placing), Fault));

  test('one that offers and never opens does not hold the order for ever', async () => {
    const late = instant(AT + RULES.tradePatienceMs) as Instant;
    const fact = factOf(await stage([provider('flaky', { opens: 'is down' }).it], [], late).place(placing));
    assert.equal(after(placing, fact).state.phase, 'refunding');
  });
});

const swapping = paid(after(placing, placed(placing)), 'provider_deal');
const HASH = txHash('0xdelivery');

describe('watching a provider', () => {
  const watched = (says: ProviderStatus, arrived?: { hash: TxHash; amount: Amount }[]) =>
    stage([provider('desk', { says }).it], arrived);

  test('what it says counts once our own account shows it', async () => {
    const says: ProviderStatus = { state: 'delivered', output: usdc('300'), txHash: HASH };
    assert.deepEqual(await watched(says).watch(swapping), { againInMs: 500 });
    const seen = factOf(await watched(says, [{ hash: HASH, amount: usdc('250') }]).watch(swapping));
    assert.ok(seen.fact === 'leg_delivered');
    assert.deepEqual(seen.got, usdc('250'));
  });

  test('less than was agreed is told of the provider, before the order goes on', async () => {
    assert.ok(swapping.state.phase === 'swapping');
    const { least } = swapping.state.deal.terms;
    const fell = async (got: Amount): Promise<readonly string[]> => {
      const room = watched({ state: 'delivered', output: got, txHash: HASH }, [{ hash: HASH, amount: got }]);
      await room.watch(swapping);
      return room.short;
    };
    assert.deepEqual(await fell(least), []);
    assert.deepEqual(await fell(amount(least.asset, least.atoms - 1n)), [`desk ${swapping.id}:0`]);
  });

  test('so is more than was agreed, which may be somebody else’s; of another asset more than that is worth', async () => {
    assert.ok(swapping.state.phase === 'swapping');
    const { output } = swapping.state.deal.terms;
    const brought = async (got: Amount) => {
      const room = watched({ state: 'delivered', output: got, txHash: HASH }, [{ hash: HASH, amount: got }]);
      const fact = factOf(await room.watch(swapping));
      assert.ok(fact.fact === 'leg_delivered' && fact.most);
      return { short: room.short, most: fact.most };
    };
    const most = amount(output.asset, (output.atoms * 105n) / 100n);
    assert.deepEqual(await brought(most), { short: [], most });
    assert.deepEqual(await brought(usdc('12500')), { short: [`desk ${swapping.id}:0`], most });
    const fair = worth(most, ETH.id);
    assert.deepEqual((await brought(fair)).short, []);
    const dear = await brought(amount(ETH.id, fair.atoms * 10n));
    assert.deepEqual(dear.short, [`desk ${swapping.id}:0`]);
    assert.ok(dear.most.atoms <= fair.atoms && dear.most.atoms > (fair.atoms * 99n) / 100n, `${dear.most.atoms}`);
  });

  test('a refund counts in what was paid alone; who gives back clearly less is told of', async () => {
    assert.ok(swapping.state.phase === 'swapping');
    const { input } = swapping.state.deal.terms;
    const gives = (back: Amount) =>
      watched({ state: 'refunded', amount: back, txHash: HASH }, [{ hash: HASH, amount: back }]);
    const other = gives(usdc('250'));
    assert.deepEqual(await other.watch(swapping), { againInMs: 500 });
    assert.deepEqual(other.asked, [], 'nothing is taken for it');
    const changed = watched({ state: 'refunded', amount: input, txHash: HASH }, [{ hash: HASH, amount: usdc('250') }]);
    assert.equal(factOf(await changed.watch(swapping)).fact, 'leg_delivered', 'what was taken before is what it has');
    const [most, dust] = [gives(amount(input.asset, (input.atoms * 95n) / 100n)), gives(amount(input.asset, 1n))];
    for (const one of [most, dust]) assert.equal(factOf(await one.watch(swapping)).fact, 'leg_returned');
    assert.deepEqual([most.short, dust.short], [[], [`desk ${swapping.id}:0`]]);
  });

  test('it is told of our payment once, and need not listen', async () => {
    const desk = provider('desk');
    const { watch } = stage([desk.it]);
    await watch(swapping, 1);
    await watch(swapping, 2);
    assert.equal(desk.told.length, 1);
  });

  test('where it names no transaction, or a wrong one for long, the very amount is taken', async () => {
    const arrived = [{ hash: HASH, amount: ether('0.099') }];
    const says: ProviderStatus = { state: 'refunded', amount: ether('0.099'), txHash: undefined };
    assert.equal(factOf(await watched(says, arrived).watch(swapping)).fact, 'leg_returned');
    const wrong = { ...says, txHash: txHash('0xother') };
    assert.deepEqual(await watched(wrong, arrived).watch(swapping), { againInMs: 500 });
    assert.equal(factOf(await watched(wrong, arrived).watch(swapping, 300)).fact, 'leg_returned');
  });

  test('another asset of the order’s chain comes with the customer’s address bound for it', async () => {
    const other = amount(ETH.id, 7n);
    const says: ProviderStatus = { state: 'delivered', output: other, txHash: HASH };
    const fact = factOf(await watched(says, [{ hash: HASH, amount: other }]).watch(swapping));
    assert.ok(fact.fact === 'leg_delivered');
    assert.deepEqual(fact.to?.address, place(ETH.id, 'customer').address);
    assert.equal(fact.to?.asset, ETH.id);
    const far: ProviderStatus = { state: 'delivered', output: amount(XMR.id, 7n), txHash: HASH };
    const away = factOf(await watched(far, [{ hash: HASH, amount: amount(XMR.id, 7n) }]).watch(swapping));
    assert.ok(away.fact === 'leg_delivered' && away.to === undefined);
  });

  test('that it failed is told once, and then it is only watched', async () => {
    const says: ProviderStatus = { state: 'failed', reason: 'lost' };
    const fact = factOf(await watched(says).watch(swapping));
    assert.equal(fact.fact, 'leg_failed');
    const failed = after(swapping, fact);
    assert.deepEqual(await watched(says).watch(failed, 130), { againInMs: 5_000 });
  });

  test('one that says nothing long after its own deadline has failed', async () => {
    const late = instant(swapping.createdAt + 20 * 3_600_000) as Instant;
    const fact = factOf(await stage([provider('desk').it], [], late).watch(swapping));
    assert.equal(fact.fact, 'leg_failed');
  });

  test('so has one that cannot even be asked, and it is asked on', async () => {
    const gone = provider('desk', { says: 'is down' }).it;
    await assert.rejects(stage([gone]).watch(swapping), Fault);
    const late = instant(swapping.createdAt + 20 * 3_600_000) as Instant;
    const fact = factOf(await stage([gone], [], late).watch(swapping));
    assert.equal(fact.fact, 'leg_failed');
    assert.deepEqual(await stage([gone], [], late).watch(after(swapping, fact), 130), { againInMs: 5_000 });
    await assert.rejects(stage([]).watch(swapping), Fault, 'an operator took it out of the settings');
    assert.equal(factOf(await stage([], [], late).watch(swapping)).fact, 'leg_failed');
  });
});
