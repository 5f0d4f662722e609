import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amount } from '../../src/kernel/amount.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import type { Part } from '../../src/kernel/transfer-part.ts';
import { type Advanced, advance, opened } from '../../src/life/payment/advance.ts';
import type { PaymentFact } from '../../src/life/payment/fact.ts';
import {
  apartOf,
  arrivesAt,
  isOver,
  isPaid,
  type NewPayment,
  newPayment,
  type Payment,
} from '../../src/life/payment/payment.ts';
import type { LedgerAccount, Posting } from '../../src/life/payment/posting.ts';
import { resumePayment } from '../../src/life/payment/steps.ts';
import { USDC } from './market.ts';
import { newsOf } from './payment-facts.ts';

const ORDER = `sw_${'a'.repeat(26)}` as OrderId;
const AT = instant(1_000);
const SUM = amount(USDC.id, 1_000n);

const wanted: fc.Arbitrary<NewPayment> = fc
  .record({
    purpose: fc.constantFrom<NewPayment['purpose'][]>(
      { for: 'payout', number: 0 },
      { for: 'refund', claim: 1 },
      { for: 'provider_deal', deal: 2 },
      { for: 'collection' },
      { for: 'integrator_fee', integration: 'shop', number: 0 },
      { for: 'rebalance', number: 3 },
    ),
    isFromDeposit: fc.boolean(),
    feePayer: fc.constantFrom<('sender' | 'hot')[]>('sender', 'hot'),
  })
  .map(({ purpose, isFromDeposit, feePayer }) => {
    const isOnDeposit = purpose.for === 'collection' || (purpose.for === 'refund' && isFromDeposit);
    return {
      ...{
        owner: purpose.for === 'rebalance' ? 'treasury' : ORDER,
        purpose,
        amount: SUM,
        to: 'there' as Address,
        feePayer,
      },
      ...{ from: isOnDeposit ? { deposit: 7 } : 'hot', payer: { address: 'deposit' as Address, index: 7 } },
      source: isOnDeposit ? `deposit:${ORDER}` : purpose.for === 'rebalance' ? 'treasury' : `order:${ORDER}`,
    };
  });

const draws = fc.array(fc.record({ news: fc.nat(30), part: fc.constantFrom<Part[]>('main', 'main', 'gas', 'back') }), {
  maxLength: 40,
});

const OPENING = 10n ** 20n;

/** No account but the world's goes below zero. */
function openLedger() {
  const balances = new Map<string, bigint>();
  const rich = (account: LedgerAccount) => account === 'treasury' || account === 'gas' || account === 'fees';
  const balance = (account: LedgerAccount, asset: string) =>
    balances.get(`${account} ${asset}`) ?? (rich(account) ? OPENING : 0n);
  const change = (account: LedgerAccount, asset: string, by: bigint) => {
    const now = balance(account, asset) + by;
    assert.ok(account === 'world' || now >= 0n, `${account} is at ${now} of ${asset}`);
    balances.set(`${account} ${asset}`, now);
  };
  return {
    balance,
    post(postings: readonly Posting[]) {
      for (const { to, amount: moved } of postings) change(to, moved.asset, moved.atoms);
      for (const { from, amount: moved } of postings) change(from, moved.asset, -moved.atoms);
    },
  };
}

test('whatever is told of a payment, in any order, its money is in one place and its owner hears the truth', () =>
  fc.assert(
    fc.property(wanted, draws, (want, history) => {
      const ledger = openLedger();
      const first = newPayment(want);
      ledger.post([{ from: 'world', to: first.source, amount: SUM }]);
      const begun = opened(first);
      ledger.post(begun.postings);
      let payment: Payment = begun.payment;
      const heard: string[] = [];
      for (const { news, part } of history) {
        const next = advance(payment, factOf(payment, news, part));
        if (next === 'ignore') continue;
        checkStep(payment, next);
        ledger.post(next.postings);
        heard.push(...next.heard.map((one) => one.heard));
        payment = next.payment;
        checkMoney(payment, ledger.balance);
      }
      assert.match(
        heard.join(' '),
        /^(paid( settled)?)?( ?unpaid)?$/,
        'paid before settled, and unpaid at most once, last',
      );
      assert.equal(
        isOver(payment) || resumePayment(payment).length > 0,
        true,
        `${payment.state.state} rests in silence`,
      );
      const isOwed = payment.back?.progress.state === 'reserved';
      assert.ok(!isOwed || !isOver(payment), 'what was lent is taken back before anything is over');
    }),
    { numRuns: 5_000, includeErrorInReport: true },
  ));

function factOf(payment: Payment, draw: number, part: Part): PaymentFact {
  const { priced, ...news } = newsOf(payment, AT as Instant, part);
  const facts = [...Object.values(news), priced(0n), priced(5n), { ...priced(7n), isLent: true }];
  return facts[draw % facts.length] ?? priced(0n);
}

function checkStep(before: Payment, { payment, effects }: Advanced): void {
  assert.equal(payment.version, before.version + 1);
  assert.ok(!isOver(before), 'what is over never changes');
  for (const effect of effects) assert.equal(effect.payment, payment.id);
}

/** Under way it is set apart; paid it has arrived; refused it is back where it came from. */
function checkMoney(payment: Payment, balance: (account: LedgerAccount, asset: string) => bigint): void {
  const at = (account: LedgerAccount) => balance(account, USDC.id);
  const isBack = payment.state.state === 'refused';
  assert.equal(at(apartOf(payment)), isPaid(payment) || isBack ? 0n : SUM.atoms, payment.state.state);
  const { source } = payment;
  if (source !== 'treasury') assert.equal(at(source), isBack ? SUM.atoms : 0n, `${source} when ${payment.state.state}`);
  const arrived = arrivesAt(payment);
  if (arrived !== 'world' && isPaid(payment)) assert.equal(at(arrived), SUM.atoms);
}
