import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type IntentId, intentId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import { intentOf, newPayment } from '../../src/life/payment/payment.ts';
import { type AdoptedBytes, type AdoptingBooks, adopt } from '../../src/life/recovery/adopt.ts';
import { type KnownBooks, match, type Standing } from '../../src/life/recovery/match.ts';
import type { PaymentBooks } from '../../src/life/transfer/books.ts';
import { gasSignedBefore } from '../../src/life/transfer/gas.ts';
import type { IntentKind, JournalLine } from '../../src/signer/request.ts';
import type { Transfer } from '../../src/world/chains/chain.ts';
import { TRON_ID } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';

const ORDER = `sw_${'a'.repeat(26)}` as OrderId;
const SWEEP = intentId(ORDER, 'sweep', 0);
const DEPOSIT = 'deposit' as Address;
const LENT = atoms(6_856_000_000n);

function line(kind: IntentKind, intent: IntentId): JournalLine {
  const about = { intent, chainId: TRON_ID };
  const request = { ...about, kind, owner: ORDER, from: 'hot', asset: TRX_ASSET.id, atoms: LENT, to: DEPOSIT } as const;
  const answer = { ...about, txHash: txHash('ab'), raw: '', consumes: [], cost: atoms(283_000n) };
  const entry = { signed: 'transfer', request: { ...request, toDeposit: 5, fee: {} }, answer } as const;
  return { seq: 1, hash: '', at: instant(1), entry };
}

/** What a database that knows so much makes of a line. */
async function takenUp(one: JournalLine, knows: { readonly payment?: boolean; readonly order?: boolean }) {
  const none = async () => new Set<string>();
  const known: KnownBooks = {
    ...{ attempts: none, tickets: none, moves: none },
    payments: async (ids) => new Set(knows.payment ? ids : []),
    orders: async (ids) => new Set(knows.order ? ids : []),
  };
  const kept: AdoptedBytes[] = [];
  const books = {
    adopt: async (bytes: AdoptedBytes) => void kept.push(bytes),
    open: () => assert.fail('no money of the treasury is in a loan'),
    keepNonce: async () => {},
  } as unknown as AdoptingBooks;
  const [matched] = await match(known, [one]);
  assert.ok(matched);
  const fate = await adopt({ books, venueCoin: USDT_ASSET.id }, matched);
  return { fate, kept, standing: matched.standing as Standing };
}

test('a loan that was signed and not saved, and its end, belong to the collection that they were made for', async () => {
  for (const [kind, name] of [
    ['lend', 'gas1_sweep'],
    ['reclaim', 'back_sweep'],
  ] as const) {
    const { fate, kept, standing } = await takenUp(line(kind, intentId(ORDER, name, 0)), {
      payment: true,
      order: true,
    });
    assert.deepEqual([fate, standing, kept.length], ['attempt', 'unsaved', 1]);
    assert.deepEqual([kept[0]?.payment, kept[0]?.pays.loan], [SWEEP, kind]);
  }
});

test('of an order that a restored database has forgotten no money is booked for what was only lent', async () => {
  const { fate, kept } = await takenUp(line('lend', intentId(ORDER, 'gas_sweep', 0)), {});
  assert.deepEqual([fate, kept], ['left_to_a_person', []]);
});

test('a restored database lends under the name that it lent under before, and sends no coins', async () => {
  const payment = newPayment({
    ...{ owner: ORDER, purpose: { for: 'collection' }, from: { deposit: 5 }, amount: amount(USDT_ASSET.id, 1n) },
    ...{ to: 'hot' as Address, source: `deposit:${ORDER}`, payer: { address: DEPOSIT, index: 5 } },
  });
  const pays: Transfer = { from: 'hot', asset: TRX_ASSET.id, atoms: LENT, to: DEPOSIT, loan: 'lend' };
  const books = {
    attempts: async (intent: IntentId) => (intent === intentOf(payment, 'gas') ? [{}] : []),
    adopted: async () => pays,
  } as unknown as PaymentBooks;
  assert.deepEqual(await gasSignedBefore(books, payment), { gas: amount(TRX_ASSET.id, LENT), isLent: true });
});
