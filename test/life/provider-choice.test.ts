import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { dealPayment } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Provider, ProviderOrder } from '../../src/world/providers/provider.ts';
import { ETH, ether } from './market.ts';
import { AT } from './order-phases.ts';
import { factOf, placing, provider, stage } from './provider-stage.ts';
import { after } from './world.ts';

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

  test('who offers most and agrees to less than the order allows is not paid, and the next one is', async () => {
    const [liar, honest] = [provider('liar', { agrees: 600n }), provider('honest', { pays: 990n })];
    const both = stage([liar.it, honest.it]);
    const fact = factOf(await both.place(placing));
    assert.ok(fact.fact === 'leg_placed');
    assert.deepEqual([fact.deal.provider, liar.opened.length, honest.opened.length], ['honest', 1, 1]);
    assert.deepEqual(both.short, [], 'nothing was paid, so nothing fell short: a price that moved looks the same');
    const alone = factOf(await stage([liar.it]).place(placing));
    assert.ok(alone.fact === 'leg_declined' && alone.refused);
    const moved = factOf(await stage([provider('moved', { agrees: 985n }).it]).place(placing));
    assert.ok(moved.fact === 'leg_placed', 'within what the order allows');
  });

  test('nor is who agrees to another sum, or to another asset', async () => {
    const { it } = provider('odd');
    const opens = (change: (order: ProviderOrder) => Partial<ProviderOrder>): Provider => ({
      ...it,
      open: async (swap) => {
        const order = await it.open(swap);
        return { ...order, ...change(order) };
      },
    });
    for (const odd of [
      opens(({ input }) => ({ input: amount(input.asset, input.atoms + 1n) })),
      opens(({ output }) => ({ input: output })),
      opens(({ least }) => ({ least: amount(ETH.id, least.atoms) })),
      opens(({ output }) => ({ output: amount(ETH.id, output.atoms) })),
    ]) {
      const fact = factOf(await stage([odd, provider('honest', { pays: 990n }).it]).place(placing));
      assert.ok(fact.fact === 'leg_placed' && fact.deal.provider === 'honest');
    }
  });

  test('nor is who offers, or agrees to, far more than the market gives: its delivery would be somebody else’s money', async () => {
    const honest = provider('honest', { pays: 990n }).it;
    for (const manner of [{ pays: 200_000n }, { pays: 1_101n }, { agrees: 200_000n }]) {
      const fact = factOf(await stage([provider('liar', manner).it, honest]).place(placing));
      assert.equal(fact.fact === 'leg_placed' && fact.deal.provider, 'honest');
    }
    const kind = factOf(await stage([provider('kind', { pays: 1_100n }).it, honest]).place(placing));
    assert.equal(kind.fact === 'leg_placed' && kind.deal.provider, 'kind', 'prices differ a little');
  });

  test('where nobody names a price nobody is believed: it is tried again, and in the end told', async () => {
    const { it, opened } = provider('any');
    assert.deepEqual(await stage([it], [], AT, false).place(placing), { againInMs: RULES.retryLegMs });
    const late = factOf(await stage([it], [], instant(AT + RULES.tradePatienceMs), false).place(placing));
    assert.equal(late.fact === 'leg_declined' && late.refused, false);
    assert.equal(opened.length, 0);
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
