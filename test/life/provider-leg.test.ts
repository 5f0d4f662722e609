import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Amount, amount } from '../../src/kernel/amount.ts';
import { type Instant, instant, later } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type TxHash, txHash } from '../../src/kernel/ids.ts';
import type { ProviderStatus } from '../../src/world/providers/provider.ts';
import { ETH, ether, usdc, worth, XMR } from './market.ts';
import { paid, placed } from './order-phases.ts';
import { factOf, placing, provider, stage } from './provider-stage.ts';
import { after, minute, place } from './world.ts';

const swapping = paid(after(placing, placed(placing)), 'provider_deal');
const HASH = txHash('0xdelivery');

describe('watching a provider', () => {
  const watched = (says: ProviderStatus, arrived?: { hash: TxHash; amount: Amount; seenAt?: Instant }[]) =>
    stage([provider('desk', { says }).it], arrived);

  test('what it says counts once our own account shows it', async () => {
    const says: ProviderStatus = { state: 'delivered', output: usdc('300'), txHash: HASH };
    assert.deepEqual(await watched(says).watch(swapping), { againInMs: 500 });
    const seen = factOf(await watched(says, [{ hash: HASH, amount: usdc('250') }]).watch(swapping));
    assert.ok(seen.fact === 'leg_delivered');
    assert.deepEqual(seen.got, usdc('250'));
  });

  test('a clock that was set back, or is behind the one that the deal was placed by, hides no delivery; what came long before is none', async () => {
    assert.ok(swapping.state.phase === 'swapping');
    const { placedAt } = swapping.state.deal;
    const says: ProviderStatus = { state: 'delivered', output: usdc('300'), txHash: HASH };
    const cameAt = (ms: number) =>
      watched(says, [{ hash: HASH, amount: usdc('300'), seenAt: later(placedAt, ms) }]).watch(swapping);
    assert.equal(factOf(await cameAt(-30_000)).fact, 'leg_delivered');
    assert.deepEqual(await cameAt(-600_000), { againInMs: 500 });
  });

  test('what came while the order waited for its deposit is no delivery of a deal that was agreed on later', async () => {
    const now = minute(60);
    const agreed = factOf(await stage([provider('desk').it], [], now).place(placing));
    const waited = paid(after(placing, agreed), 'provider_deal');
    const says: ProviderStatus = { state: 'delivered', output: usdc('300'), txHash: HASH };
    const came = (at: Instant) =>
      stage([provider('desk', { says }).it], [{ hash: HASH, amount: usdc('300'), seenAt: at }], now);
    assert.deepEqual(await came(minute(30)).watch(waited), { againInMs: 500 }, 'whoever names it');
    assert.deepEqual(await came(minute(30)).watch(waited, 300), { againInMs: 5_000 }, 'nor by its amount');
    assert.equal(factOf(await came(minute(56)).watch(waited)).fact, 'leg_delivered', 'clocks differ by less than this');
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
