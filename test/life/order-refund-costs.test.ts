import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { later } from '../../src/kernel/clock.ts';
import { assetId, type TokenId } from '../../src/kernel/ids.ts';
import { usd } from '../../src/kernel/usd.ts';
import type { Fact, Of } from '../../src/life/order/fact.ts';
import { isHeldBack } from '../../src/life/order/hold.ts';
import { netOf, type Order } from '../../src/life/order/order.ts';
import { RULES, type Rules } from '../../src/life/order/rules.ts';
import { transition } from '../../src/life/order/transition.ts';
import { refundRecovery } from '../../src/life/order/view/v2-customer.ts';
import type { LedgerAccount } from '../../src/life/payment/posting.ts';
import { USDC, usdc } from './market.ts';
import { AT, ORDER_IN } from './order-phases.ts';
import { witness } from './order-witness.ts';
import { coin, newsOf, paymentOf, wayOf } from './payment-facts.ts';
import { after, buyOrder, claimPriced, final, minute, observed, place } from './world.ts';

/** Without the rule that a speck of money is not even shown. */
const SHOWN: Rules = { ...RULES, speckBelow: usd(0) };
const UNLISTED = assetId(USDC.chainId, '0xunlisted' as TokenId);
const COIN = coin(usdc('0'), 0n).asset;
const home = place(USDC.id, 'home');

type Told = Fact | ((order: Order) => Fact);

/** An order that is over, and what strangers send to its address afterwards. */
function over(rules: Rules, order = buyOrder({ refundTo: home })) {
  const beside = witness(order, rules);
  const tell = (...facts: readonly Told[]) =>
    facts.map((fact) => beside.tell(typeof fact === 'function' ? fact(beside.order) : fact));
  tell({ fact: 'deadline_passed', at: minute(60) });
  return {
    tell,
    last: () => beside.order.claims.at(-1),
    claims: () => beside.order.claims,
    refunds: () => beside.order.payments.filter(({ purpose }) => purpose.for === 'refund'),
    order: () => beside.order,
    balance: (account: LedgerAccount) => beside.balance(account, USDC.id),
    coins: (account: LedgerAccount) => beside.balance(account, COIN),
  };
}

const priced =
  (cost: string) =>
  (order: Order): Fact =>
    claimPriced(order, order.claims.at(-1)?.number ?? 0, AT, usdc(cost).atoms);

describe('9.4: refunds that cost more than they give', () => {
  test('one atom of USDC to a finished order, again and again, makes no refund: it is kept, shown and joined', () => {
    const { tell, claims, refunds, order } = over(SHOWN);
    for (let atoms = 1n; atoms <= 10n; atoms += 1n) tell(final(amount(USDC.id, atoms), minute(70)), priced('0.02'));
    assert.equal(refunds().length, 0);
    const open = claims().filter(({ stage }) => stage !== 'replaced');
    assert.deepEqual([open.length, open[0]?.stage, open[0]?.amount.atoms], [1, 'kept', 10n]);
    const shown = refundRecovery(order());
    assert.deepEqual([shown?.phase, shown?.kept?.why, shown?.kept?.least], ['blocked', 'small', usdc('0.06')]);
  });

  test('9.4: where nobody asks what a refund costs, the same ten atoms are ten refunds at our cost: so it was won', () => {
    const { tell, refunds } = over(SHOWN);
    for (let atoms = 1n; atoms <= 10n; atoms += 1n) tell(final(amount(USDC.id, atoms), minute(70)), priced('0'));
    assert.equal(refunds().length, 10);
  });

  test('9.4: without the multiple a refund is made that costs half of what it gives: so it was won', () => {
    for (const [rules, refunds] of [
      [SHOWN, 0],
      [{ ...SHOWN, refundMultiple: 1n }, 1],
    ] as const) {
      const one = over(rules);
      one.tell(final(usdc('0.04'), minute(70)), priced('0.02'));
      assert.equal(one.refunds().length, refunds);
    }
  });

  test('what is kept goes back as one when more comes, and its network cost is deducted', () => {
    const { tell, last, refunds, order, balance } = over(SHOWN);
    tell(final(usdc('0.05'), minute(70)), priced('0.02'));
    assert.equal(last()?.stage, 'kept');
    tell(final(usdc('5'), minute(80)), priced('0.02'));
    assert.deepEqual([last()?.stage, last()?.amount], ['paying', usdc('5')]);
    assert.deepEqual(
      refunds().map((one) => one.amount),
      [usdc('4.98')],
    );
    assert.equal(balance(`left:${order().id}`), usdc('0.02').atoms, 'it stays where the money lay');
    const [refund] = refunds();
    assert.ok(refund);
    tell(...wayOf(refund, AT));
    assert.equal(last()?.stage, 'completed');
  });

  test('a refund that costs less later is made then, and is looked at ever more rarely until it does', () => {
    const { tell, last, refunds } = over(SHOWN);
    const [, kept] = tell(final(usdc('5'), minute(70)), priced('2'));
    assert.ok(kept && kept !== 'ignore');
    const [again] = kept.effects;
    assert.ok(again?.effect === 'price_claim' && again.due !== undefined);
    assert.ok(again.due >= later(AT, RULES.repriceAfterMs));
    assert.equal(last()?.stage, 'kept');
    tell(priced('1'));
    assert.deepEqual([last()?.stage, refunds()[0]?.amount], ['paying', usdc('4')]);
  });

  test('a kept refund whose deposit left the chain is looked at again when it is back, at the time that was set', () => {
    const { tell, order } = over(SHOWN);
    tell(final(usdc('5'), minute(70)), priced('2'));
    const due = later(AT, RULES.repriceAfterMs);
    const nothing = usdc('0');
    tell(observed(nothing, nothing, minute(80)));
    assert.ok(isHeldBack(order(), { effect: 'price_claim', claim: 1, due }), 'it is dropped if it falls due now');
    assert.equal(transition(order(), priced('1')(order()), SHOWN), 'ignore', 'and so is what it cost a moment before');
    const [back] = tell(final(usdc('5'), minute(90)));
    assert.ok(back && back !== 'ignore');
    assert.deepEqual(back.effects, [{ effect: 'price_claim', claim: 1, due }]);
  });

  test('the multiple is inclusive, and what it costs is asked before anything is set apart', () => {
    const { tell, last } = over(SHOWN);
    const [opened] = tell(final(usdc('3'), minute(70)));
    assert.ok(opened && opened !== 'ignore');
    assert.deepEqual(opened.effects, [{ effect: 'price_claim', claim: 1 }]);
    tell(priced('1'));
    assert.deepEqual([last()?.stage, last()?.charged?.amount], ['paying', usdc('1')]);
  });

  test('what no address can be paid is kept, whoever decides that it goes back, and goes with what comes later', () => {
    const { tell, last, refunds } = over(SHOWN);
    const dust = (order: Order): Fact => ({ ...claimPriced(order, 1, AT, usdc('0.1').atoms), least: usdc('2') });
    tell(final(usdc('1.9'), minute(70)), dust);
    assert.deepEqual([last()?.stage, last()?.kept?.least], ['kept', usdc('2.1')], 'what arrives is what counts');
    tell({ fact: 'give_back_decided', what: { claim: 1 }, byHand: { reason: 'asked', by: 'op' }, at: AT }, dust);
    assert.deepEqual([last()?.stage, refunds().length], ['kept', 0]);
    tell(final(usdc('2.1'), minute(80)), dust);
    assert.deepEqual([last()?.stage, refunds()[0]?.amount], ['paying', usdc('2')], 'less its cost, as ever');
  });

  test('a refund that the chain refuses owes again what was deducted for it', () => {
    const { tell, last, refunds, order, balance } = over(SHOWN);
    tell(final(usdc('5'), minute(70)), priced('1'));
    const [refund] = refunds();
    assert.ok(refund);
    tell(newsOf(refund, AT).refused);
    assert.deepEqual([last()?.stage, last()?.charged, balance(`left:${order().id}`)], ['blocked', undefined, 0n]);
    assert.equal(balance(`deposit:${order().id}`), usdc('5').atoms);
  });

  test('coins whose refund failed on the chain are owed less what that cost, and no shared gas pays for it', () => {
    const to = place(COIN, 'a contract');
    const came: Fact = { fact: 'stray_observed', total: amount(COIN, 1_000n), from: { deposit: 7 }, at: AT };
    const chargedOf =
      (cost: bigint) =>
      (order: Order): Fact =>
        claimPriced(order, order.claims.at(-1)?.number ?? 0, AT, cost);
    for (const [charged, wasShown] of [
      [9n, false],
      [9n, true],
      [1n, false],
    ] as const) {
      const { tell, last, refunds, order, coins } = over(SHOWN, buyOrder());
      const gas = coins('gas');
      tell(came, { fact: 'refund_address_given', to, at: AT }, chargedOf(charged));
      const refund = refunds()[0];
      assert.ok(refund && refund.amount.atoms === 1_000n - charged);
      const { priced: pays, signed, sent, confirmed, failed } = newsOf(refund, AT);
      tell(pays(0n), signed, sent, ...(wasShown ? [confirmed] : []), failed);
      // The chain took two atoms. What was charged is the most that its owner bears, as where it works.
      const taken = charged < 2n ? charged : 2n;
      const claim = last();
      assert.ok(claim?.stage === 'blocked' && claim.charged === undefined);
      assert.deepEqual(netOf(claim), amount(COIN, 1_000n - taken));
      assert.equal(coins(`deposit:${order().id}`), 1_000n - taken);
      assert.equal(coins('gas') - gas, taken - 2n);
      tell({
        fact: 'give_back_decided',
        what: { claim: claim.number },
        byHand: { by: 'Ada', reason: 'again' },
        at: AT,
      });
      tell({ fact: 'refund_address_given', to: place(COIN, 'an account'), at: AT }, chargedOf(9n));
      const again = refunds()[1];
      assert.ok(again && again.amount.atoms === 1_000n - taken - 9n);
      tell(...wayOf(again, AT));
      assert.deepEqual([last()?.stage, coins(`deposit:${order().id}`)], ['completed', 0n]);
    }
  });

  test('what the desk is the reason of goes back whole', () => {
    const decline = (order: Order) =>
      after(order, { fact: 'leg_declined', number: order.deals, refused: true, at: AT });
    const back = decline(decline(decline(ORDER_IN.placing)));
    const [claim] = back.claims;
    assert.ok(claim?.isOurs);
    const given = after(back, { fact: 'refund_address_given', to: place(claim.amount.asset, 'home'), at: AT });
    const paying = after(given, claimPriced(given, 1, AT, claim.amount.atoms / 10n));
    assert.deepEqual(paymentOf(paying, 'refund').amount, claim.amount);
  });
});

describe('9.4: a token that nobody lists', () => {
  const stray = (asset: typeof UNLISTED, atoms: bigint): Fact => ({
    fact: 'stray_observed',
    total: amount(asset, atoms),
    from: { deposit: 7 },
    at: AT,
  });
  const wanted: Fact = { fact: 'refund_address_given', to: place(UNLISTED, 'home'), at: AT };
  const worthless =
    (cost: bigint) =>
    (order: Order): Of<'claim_priced'> => {
      const claim = order.claims.find(({ amount: { asset } }) => asset === UNLISTED);
      assert.ok(claim);
      return { ...claimPriced(order, claim.number, AT, cost), inAsset: undefined };
    };

  test('is kept, with a case, whatever amount its contract claims', () => {
    const { tell, last, refunds, order } = over(SHOWN, buyOrder());
    const told = tell(stray(UNLISTED, 10n ** 60n), wanted, worthless(900n)).at(-1);
    assert.ok(told && told !== 'ignore');
    assert.deepEqual(told.cases, [{ case: 'unlisted_refund', claim: 1, asset: UNLISTED }]);
    assert.deepEqual([last()?.stage, refunds().length], ['kept', 0]);
    assert.deepEqual([refundRecovery(order())?.phase, refundRecovery(order())?.kept?.cost.atoms], ['blocked', 900n]);
  });

  test('9.4: one that is taken for a listed token goes back at our cost, whatever gas it burns: so it was won', () => {
    const { tell, last, refunds } = over(SHOWN, buyOrder());
    const byItsOwnClaim = (order: Order): Fact => ({ ...worthless(1_500_000n)(order), inAsset: amount(UNLISTED, 1n) });
    tell(stray(UNLISTED, 10n ** 60n), wanted, byItsOwnClaim);
    assert.deepEqual([last()?.stage, refunds().length], ['paying', 1]);
  });

  test('goes back when its owner has sent coins for the gas, out of those coins', () => {
    const { tell, claims, refunds } = over(SHOWN, buyOrder());
    tell(stray(UNLISTED, 5n), wanted, worthless(900n), stray(COIN, 1_000n));
    assert.equal(claims()[0]?.stage, 'pricing', 'coins are a reason to look again');
    tell(worthless(900n));
    assert.deepEqual([claims()[0]?.stage, refunds()[0]?.amount], ['paying', amount(UNLISTED, 5n)]);
    const coins = claims()[1];
    assert.ok(coins);
    assert.deepEqual([coins.stage, netOf(coins)], ['address_required', amount(COIN, 100n)]);
  });

  const specks = (atoms: bigint): Fact => ({ ...stray(COIN, atoms), isSpeck: true }) as Fact;

  test('goes back when so little was sent for its gas that it is a speck of the order', () => {
    const { tell, claims, refunds } = over(SHOWN, buyOrder());
    tell(stray(UNLISTED, 5n), wanted, worthless(900n), specks(1_000n));
    assert.equal(claims()[0]?.stage, 'pricing', 'little coins are a reason to look again, too');
    tell(worthless(900n));
    assert.deepEqual([claims()[0]?.stage, refunds().length], ['paying', 1]);
  });

  test('leaves of a speck that paid for its gas what was not spent: that alone is owed with what comes later', () => {
    const { tell, claims } = over(SHOWN, buyOrder());
    tell(specks(1_000n), stray(UNLISTED, 5n), wanted, worthless(900n), stray(COIN, 11_000n));
    assert.deepEqual(
      claims().map((claim) => [claim.amount.asset === COIN, netOf(claim).atoms]),
      [
        [true, 0n],
        [false, 5n],
        [true, 10_100n],
      ],
    );
  });

  test('goes back when a person decides, at the cost of the desk', () => {
    const { tell, last, refunds } = over(SHOWN, buyOrder());
    const byHand = { by: 'Ada', reason: 'a good customer' };
    tell(stray(UNLISTED, 5n), wanted, worthless(900n), {
      ...{ fact: 'give_back_decided', what: { claim: 1 }, byHand, at: AT },
    });
    tell(worthless(900n));
    assert.deepEqual([last()?.stage, refunds()[0]?.amount], ['paying', amount(UNLISTED, 5n)]);
  });
});
