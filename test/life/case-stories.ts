import assert from 'node:assert/strict';
import { unjudgedReports } from '../../src/engine/unjudged.ts';
import { amount } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, type AssetId, assetId, chainId, type OrderId, type TokenId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import type { Case, CaseKind } from '../../src/life/case/case.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { opened } from '../../src/life/payment/advance.ts';
import { newPayment, type PurposeName } from '../../src/life/payment/payment.ts';
import { watchDrift } from '../../src/life/transfer/drift.ts';
import type { Webhook } from '../../src/partners/webhook.ts';
import { openLedger } from '../../src/store/ledger.ts';
import { openPartnerRecords } from '../../src/store/partner-records.ts';
import { openWebhookBook } from '../../src/store/webhooks.ts';
import type { CaseRoom } from './case-room.ts';
import { ETH, ether, USDC, usdc, XMR, xmr, xmr1 } from './market.ts';
import { AT, advanced, brings, filled, news, placed, screened } from './order-phases.ts';
import { openPast, transferOf } from './past.ts';
import { newsOf } from './payment-facts.ts';
import { aMinuteAhead, awaitsApproval, nodes, refusedBySigner, runsLow, scansNoMore } from './round-stories.ts';
import { dollars, treasuryDesk } from './treasury-desk.ts';
import { bridgeInOrder, buyOrder, claimPriced, final, observed, place, swapOrder, tripOrder } from './world.ts';

function buyVenueUsdc() {
  const [leg] = buyOrder().route.legs;
  assert.ok(leg?.leg === 'venue');
  return leg.spend;
}

type Told = Fact | ((order: Order) => Fact);
type News = Exclude<keyof ReturnType<typeof newsOf>, 'priced'>;

export const happens =
  (purpose: PurposeName, what: News): ((order: Order) => Fact) =>
  (order) =>
    news(order, purpose)[what];
export const signedAndPaid = (purpose: PurposeName): readonly Told[] => [
  happens(purpose, 'signed'),
  happens(purpose, 'sent'),
  happens(purpose, 'confirmed'),
];

export const funded: readonly Told[] = [final(usdc('100'), AT), screened(true)];
export const collected: readonly Told[] = [
  ...funded,
  (order) => news(order, 'collection').priced(0n),
  ...signedAndPaid('collection'),
];
const paying: readonly Told[] = [
  ...collected,
  { fact: 'stock_reserved', at: AT },
  filled,
  { fact: 'payout_reserved', at: AT },
];
const dealt: readonly Told[] = [final(ether('0.1'), AT), screened(true), placed, ...signedAndPaid('provider_deal')];
export const priced = (order: Order) => claimPriced(order, order.claims.length, AT);
const UNLISTED = assetId(USDC.chainId, '0xunlisted' as TokenId);
const feeOrder = (): Order => ({
  ...buyOrder({ fees: [{ type: 'integrator', at: 0, asset: USDC.id, rate: ratio(1n, 100n), flat: undefined }] }),
  integratorFee: {
    ...{ integrationId: 'acme', percent: 1, payoutAddress: 'acme' as Address },
    to: { asset: USDC.id, address: 'acme' as Address, binding: 'bound' },
  },
});
const given: Told = { fact: 'payout_address_given', to: place(XMR.id, 'other'), at: AT };

/** How each kind of case comes about, in a room of its own. */
export async function openStories(room: CaseRoom) {
  await room.stock(USDC.id, XMR.id, ETH.id, ether('1').asset, xmr1('1').asset, buyVenueUsdc());
  // What the stories tell has happened by now.
  room.wait(AT - room.clock.now() + 60_000);

  async function story(order: Order, ...told: readonly Told[]): Promise<OrderId> {
    const id = await room.keep(order);
    await room.tell(id, ...told);
    return id;
  }

  const swap = () => swapOrder({ collects: false });

  /** Complete by type: each kind is raised by the very place that raises it in life. */
  const raised: { readonly [K in CaseKind]: () => Promise<unknown> } = {
    deposit_orphaned: () => story(buyOrder(), ...funded, observed(usdc('0'), usdc('0'), AT)),
    deposit_unjudged: async () => {
      const { clock, cases } = room;
      const report = unjudgedReports(chainId(9), { clock, cases, caseAfterMs: 60_000 });
      const orderId = await story(buyOrder());
      const troubles = [{ address: 'poisoned' as Address, orderId, error: new Error('numeric field overflow') }];
      for (let round = 0; round < 3; round += 1) await report({ judged: [], troubles });
    },
    claims_full: () =>
      story(
        buyOrder({ refundTo: place(USDC.id, 'home') }),
        ...funded,
        ...Array.from({ length: RULES.mostClaims }, (_, n) => [final(usdc(`${101 + n}`), AT), priced]).flat(),
        final(usdc(`${101 + RULES.mostClaims}`), AT),
      ),
    collection_refused: () => story(buyOrder(), ...funded, happens('collection', 'refused')),
    advance_not_collected: () => story(buyOrder(), final(usdc('100'), AT), advanced, happens('collection', 'refused')),
    both_payouts_refused: () =>
      story(
        buyOrder(),
        ...paying,
        happens('payout', 'refused'),
        given,
        { fact: 'payout_reserved', at: AT },
        happens('payout', 'refused'),
      ),
    refund_refused: () =>
      story(buyOrder(), final(usdc('100'), AT), screened(false), priced, happens('refund', 'refused')),
    unlisted_refund: () =>
      story(
        buyOrder(),
        { fact: 'stray_observed', total: amount(UNLISTED, 5n), from: { deposit: 7 }, at: AT },
        { fact: 'refund_address_given', to: place(UNLISTED, 'home'), at: AT },
        (order) => ({ ...priced(order), inAsset: undefined }),
      ),
    deal_unpaid_late: () => story(swap(), ...dealt, brings('output', 100n), happens('provider_deal', 'failed')),
    fee_refused: () =>
      story(
        feeOrder(),
        ...paying,
        ...signedAndPaid('payout'),
        { fact: 'fee_priced', cost: usdc('0'), at: AT },
        happens('integrator_fee', 'refused'),
      ),
    house_payment_refused: async () => {
      const payment = newPayment({
        ...{ owner: 'treasury', purpose: { for: 'rebalance', number: 1 }, from: 'hot', source: 'treasury' },
        ...{ amount: usdc('100'), to: 'bridge' as Address },
      });
      await room.submit.openHouse(opened(payment));
      await room.submit.submitHouse('refused', newsOf(payment, AT).refused);
    },
    payment_undone: () => story(buyOrder(), ...paying, ...signedAndPaid('payout'), happens('payout', 'failed')),
    payment_dead: () => story(buyOrder(), ...paying, happens('payout', 'signed'), happens('payout', 'dead')),
    // In USDC, on a chain where what was sent can be outbid.
    payment_stuck: () =>
      story(
        swap(),
        final(ether('0.1'), AT),
        screened(true),
        placed,
        ...(['signed', 'sent', 'overdue'] as const).map((what) => happens('provider_deal', what)),
      ),
    settlement_refused: () =>
      story(
        buyOrder(),
        ...paying,
        happens('payout', 'signed'),
        happens('payout', 'sent'),
        happens('payout', 'misnamed'),
      ),
    provider_failed: () => story(swap(), ...dealt, { fact: 'leg_failed', number: 0, reason: 'lost', at: AT }),
    provider_delivered_other: () => story(swap(), ...dealt, brings('input', 100n)),
    provider_delivered_more: () => story(swap(), ...dealt, brings('output', 200n)),
    provider_delivered_less: () => story(swap(), ...dealt, brings('least', 99n)),
    refund_unasked: () =>
      story(bridgeInOrder({ generation: 'v1' }), final(xmr('1'), AT, { sender: undefined }), screened(false)),
    nothing_left_after_fees: () =>
      story(
        tripOrder({ way: 'buy', hasRefundTo: false, fees: 'all of the output' }),
        ...collected,
        { fact: 'stock_reserved', at: AT },
        filled,
      ),
    reward_received: () => story(buyOrder(), { fact: 'reward_observed', total: usdc('3'), from: 'hot', at: AT }),
    inventory_short: waitsForStock,
    stock_low: () => runsLow(room),
    instruction_failed: failsForLong,
    venue_row_unexpected: async () => {
      const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000) });
      await desk.pass(11);
      desk.row('other', 1n);
      await desk.pass(11);
      await raiseAll(desk.raised);
    },
    venue_move_unseen: async () => {
      const desk = treasuryDesk({ hot: dollars(1_000_000), venue: dollars(1_000_000), unmoved: dollars(500) });
      desk.troubles.deaf = true;
      for (const seconds of [0, 3_700]) await desk.restartAfter(seconds).pass(1);
      await raiseAll(desk.raised);
    },
    round_failed: () => scansNoMore(room),
    breaker_tripped: () => refusedBySigner(room),
    drift: async () => {
      const { clock, cases } = room;
      const note = watchDrift<AssetId>({
        keyOf: (asset) => asset,
        ...{ clock, lastingReadings: 60 },
        raise: (asset, difference) => cases.raise('treasury', { case: 'drift', asset, atoms: difference }),
        over: (asset) => cases.over('treasury', { case: 'drift', subject: asset }),
      });
      for (let reading = 0; reading <= 60; reading += 1) {
        await note(USDC.id, -5n);
        room.wait(11_000);
      }
    },
    clock_skew: () => aMinuteAhead(room),
    nodes_disagree: () => nodes.apart(room),
    states_missing: () => nodes.readLate(room),
    scanner_behind: () => nodes.behind(room),
    approval_awaited: async () => awaitsApproval(room, await story(buyOrder(), ...paying)),
    database_behind: async () => {
      const past = openPast(room);
      await past.look(past.payoutOf('forgotten'));
    },
    journal_unwritable: async () => {
      const past = openPast(room);
      past.fillDisk();
      await past.look();
    },
    order_forgotten: async () => {
      const past = openPast(room);
      await past.restore(past.payoutOf('forgotten'));
    },
    signed_after_refusal: async () => {
      const planned = newPayment({
        ...{ owner: 'treasury', purpose: { for: 'rebalance', number: 2 }, from: 'hot', source: 'treasury' },
        ...{ amount: usdc('100'), to: 'bridge' as Address },
      });
      await room.submit.openHouse(opened(planned));
      await room.submit.submitHouse('refused too early', newsOf(planned, AT).refused);
      const past = openPast(room);
      await past.look(past.payoutOf('forgotten'), transferOf(planned.id, 'rebalance', 2));
    },
    deposit_out_of_reach: () => nodes.paidBeside(room),
    deposit_without_order: () => openPast(room).pays('burned'),
    webhook_disabled: async () => {
      const webhooks = openWebhookBook(room.db);
      const by = { actor: 'operator', at: AT };
      const integration = { name: 'Acme', feePercent: 0, feeAddress: '0xfee' as Address };
      await openPartnerRecords(room.db).add('int_acme', integration, undefined, by);
      const webhook: Webhook = {
        webhookId: 'hook_acme',
        integrationId: 'int_acme',
        url: 'https://shop.example',
        events: undefined,
        status: 'active',
        retiredAt: [],
        createdAt: AT,
      };
      await webhooks.add(webhook, by);
      await webhooks.sendTest(webhook, AT);
      const [due] = await webhooks.due(AT, { perWebhook: 1, perIntegration: 1, most: 1 }, []);
      assert.ok(due);
      await webhooks.attempted(due, { at: AT, status: 500, ms: 1, error: 'The answer was 500.' }, { again: undefined });
    },
  };

  const raiseAll = async (raised: readonly Case[]) => {
    assert.ok(raised.length > 0);
    for (const one of raised) await room.cases.raise('treasury', one);
  };

  async function waitsForStock(): Promise<void> {
    const id = await story(buyOrder(), ...collected);
    await room.leaveOnly(id, 'reserve_stock');
    // More than the treasury has: the ledger itself says that it is short.
    const state = (await room.find(id)).state;
    assert.ok(state.phase === 'stocking');
    await room.submit.commitHouse({
      key: 'gone',
      postings: [{ from: 'treasury', to: 'world', amount: amount(state.stock.asset, await held(state.stock.asset)) }],
    });
    const reserve_stock = async () => ({
      fact: { fact: 'stock_reserved', at: AT } as const,
      whenShort: (asset: AssetId): Fact => ({ fact: 'inventory_short', asset, at: room.clock.now() }),
    });
    await room.whileWorking({ reserve_stock }, async () => {
      await room.untilTroubled(id);
      assert.equal(await room.caseOf('inventory_short'), undefined, 'most shortages pass by themselves');
      room.wait(RULES.caseAfterMs + 2_000);
      await room.until('inventory_short', true);
    });
  }

  const held = (asset: AssetId) => openLedger(room.db, room.clock).balance('treasury', asset);

  async function failsForLong(): Promise<void> {
    const id = await story(buyOrder(), final(usdc('100'), AT));
    await room.leaveOnly(id, 'screen_deposit');
    const screen_deposit = () => Promise.reject(new Fault('transient', 'screening', 'no answer'));
    await room.whileWorking({ screen_deposit }, async () => {
      await room.untilTroubled(id);
      const early = await room.caseOf('instruction_failed');
      assert.equal(early, undefined, 'what may pass is no case before a minute is over');
      room.wait(RULES.caseAfterMs + 10_000);
      await room.until('instruction_failed', true);
    });
  }

  return raised;
}
