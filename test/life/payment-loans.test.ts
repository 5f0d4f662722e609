import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import type { Part } from '../../src/kernel/transfer-part.ts';
import { type Advanced, advance } from '../../src/life/payment/advance.ts';
import type { PaymentFact } from '../../src/life/payment/fact.ts';
import { isOver, newPayment, type Payment, progressOf } from '../../src/life/payment/payment.ts';
import { USDC } from './market.ts';
import { coin, hashOf, newsOf } from './payment-facts.ts';

const AT = instant(1_000);
const ORDER = `sw_${'a'.repeat(26)}` as OrderId;

const COLLECTION = newPayment({
  ...{ owner: ORDER, purpose: { for: 'collection' }, from: { deposit: 7 }, source: `deposit:${ORDER}` },
  ...{ amount: amount(USDC.id, 1_000n), to: 'hot' as Address, payer: { address: 'deposit' as Address, index: 7 } },
});

const news = (part: Part) => newsOf(COLLECTION, AT, part);
const LENT: PaymentFact = { ...news('main').priced(7n), isLent: true } as PaymentFact;
const costing = (fact: PaymentFact, atoms: bigint) =>
  ({ ...fact, cost: coin(COLLECTION.amount, atoms) }) as PaymentFact;

/** What the last of these facts brought. */
function after(...facts: readonly PaymentFact[]): Advanced {
  let last: Advanced | undefined;
  for (const fact of facts) {
    const next = advance(last?.payment ?? COLLECTION, fact);
    assert.notEqual(next, 'ignore', fact.fact);
    last = next as Advanced;
  }
  assert.ok(last);
  return last;
}

const stateOf = (payment: Payment, part: Part) => progressOf(payment, part)?.state;
const burned = (atoms: bigint) => ({ from: 'treasury', to: 'world', amount: coin(COLLECTION.amount, atoms) });
const restored = (atoms: bigint) => ({ from: 'world', to: 'treasury', amount: coin(COLLECTION.amount, atoms) });
const undone = (part: Part) => ({
  ...{ case: 'payment_undone', payment: COLLECTION.id, txHash: hashOf(COLLECTION, part) },
});

test('a loan that a block took and that failed there cost what it cost, and coins are sent in its place', () => {
  const { payment, postings, effects, cases } = after(LENT, news('gas').signed, news('gas').sent, news('gas').failed);
  assert.deepEqual(postings, [burned(2n)]);
  assert.deepEqual([stateOf(payment, 'gas'), stateOf(payment, 'main')], ['refused', 'due']);
  assert.deepEqual(
    effects.map(({ effect }) => effect),
    ['price_payment'],
  );
  assert.deepEqual(cases, []);
});

test('a loan that was there, and then failed in another block, is over: its cost is put right and a person is told', () => {
  const { gas, main } = { gas: news('gas'), main: news('main') };
  const { payment, postings, cases } = after(LENT, gas.signed, gas.sent, gas.confirmed, costing(gas.failed, 3n));
  assert.deepEqual(postings, [restored(2n), burned(3n)]);
  assert.deepEqual([stateOf(payment, 'gas'), cases], ['settled', [undone('gas')]]);
  // Whatever the collection does then, it ends: what cannot be taken back was never lent.
  let now = payment;
  for (const fact of [main.signed, main.sent, main.settled, news('back').refused]) {
    const next = advance(now, fact);
    assert.ok(next !== 'ignore', fact.fact);
    now = next.payment;
  }
  assert.ok(isOver(now));
});

test('what was to come back and failed cost what it cost; where it had been back, a person is told', () => {
  const { gas, main, back } = { gas: news('gas'), main: news('main'), back: news('back') };
  const collected = [LENT, gas.signed, gas.sent, gas.settled, main.signed, main.sent, main.settled];
  const failed = after(...collected, back.signed, back.sent, back.failed);
  assert.deepEqual([failed.postings, stateOf(failed.payment, 'back'), failed.cases], [[burned(2n)], 'refused', []]);
  const shown = after(...collected, back.signed, back.sent, back.confirmed, costing(back.failed, 5n));
  assert.deepEqual(shown.postings, [restored(2n), burned(5n)]);
  assert.deepEqual([stateOf(shown.payment, 'back'), shown.cases], ['settled', [undone('back')]]);
  assert.ok(isOver(shown.payment));
});
