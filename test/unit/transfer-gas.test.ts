import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../src/kernel/account.ts';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import { type Advanced, advance } from '../../src/life/payment/advance.ts';
import type { PaymentFact } from '../../src/life/payment/fact.ts';
import { intentOf, newPayment, type Payment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import type { ChainFacts } from '../../src/world/chains/chain.ts';

const COIN = '1:coin' as AssetId;
const TOKEN = '1:token' as AssetId;
const ORDER = `sw_${'a'.repeat(32)}` as OrderId;
const COST = 10n;

interface Case {
  readonly from: Account;
  readonly asset: AssetId;
  readonly coins: bigint;
  /** Those of them that the ledger has as gas; all beside what is collected unless a story says otherwise. */
  readonly booked?: bigint;
  readonly feePayer?: ChainFacts['feePayer'];
}

/** Whether the signer was asked for a transfer of five, by an account that holds so many coins. */
async function isSigned({ from, asset, coins, booked = coins, feePayer = 'sender' }: Case): Promise<boolean> {
  let isAsked = false;
  const due = newPayment({
    ...{ owner: ORDER, purpose: { for: 'collection' }, from, amount: amount(asset, 5n), to: 'hot' as Address },
    ...{ source: `deposit:${ORDER}`, payer: { address: 'deposit' as Address, index: 3 }, feePayer },
  });
  const payment: Payment = { ...due, state: { state: 'reserved' } };
  const chain = {
    facts: { id: chainId(1), feePayer, assets: [{ id: COIN, native: true }] },
    terms: async () => ({ nonce: undefined, fee: {}, cost: atoms(COST), usual: atoms(COST) }),
    balance: async () => ({ spendable: atoms(coins), locked: atoms(0n) }),
  };
  const signed = {
    intent: payment.id,
    chainId: chainId(1),
    txHash: txHash('0x1'),
    raw: '',
    consumes: [],
    cost: atoms(COST),
  };
  const none = async () => undefined;
  const stage = {
    chain: () => chain,
    signer: {
      signTransfer: async () => {
        isAsked = true;
        return signed;
      },
    },
    books: {
      find: async () => payment,
      attempts: async () => [],
      lastDead: none,
      unplanned: none,
      gasOf: async () => booked,
    },
    clock: { now: () => instant(1) },
  } as unknown as TransferStage;
  const signing = transferHandlers(stage).sign_transfer({
    ...{ key: 'k', owner: ORDER, tries: 1, troubledSince: undefined },
    effect: { effect: 'sign_transfer', payment: payment.id, part: 'main', lane: 'l' },
  });
  await signing.catch((error: unknown) => assert.equal((error as { kind: string }).kind, 'transient'));
  return isAsked;
}

test('nothing is signed that its account cannot pay for: such bytes would stand in the way of better ones', async () => {
  const from = { deposit: 3 };
  assert.equal(await isSigned({ from, asset: TOKEN, coins: COST - 1n }), false);
  assert.equal(await isSigned({ from, asset: TOKEN, coins: COST }), true);
  assert.equal(await isSigned({ from, asset: COIN, coins: COST + 4n }), false);
  assert.equal(await isSigned({ from, asset: COIN, coins: COST + 5n }), true);
});

test("9.5: a stranger's coins on the deposit address pay for nothing: what is not booked as gas is missing from the ledger later", async () => {
  const token = { from: { deposit: 3 }, asset: TOKEN, coins: 1_000n };
  assert.equal(await isSigned({ ...token, booked: COST - 1n }), false);
  assert.equal(await isSigned({ ...token, booked: COST }), true);
});

test('whoever does not pay by itself is not asked for gas', async () => {
  assert.equal(await isSigned({ from: { deposit: 3 }, asset: TOKEN, coins: 0n, feePayer: 'hot' }), true);
  assert.equal(await isSigned({ from: 'hot', asset: TOKEN, coins: 0n }), true);
});

test('9.5: what was sent ahead too narrowly is followed by more, once it can change no more, and by as much as is missing', () => {
  const owed = newPayment({
    ...{
      owner: ORDER,
      purpose: { for: 'collection' },
      from: { deposit: 3 },
      amount: amount(TOKEN, 5n),
      to: 'hot' as Address,
    },
    ...{ source: `deposit:${ORDER}`, payer: { address: 'deposit' as Address, index: 3 }, feePayer: 'sender' },
  });
  const at = instant(1);
  const tell = (payment: Payment, fact: PaymentFact): Advanced => {
    const advanced = advance(payment, fact);
    assert.ok(advanced !== 'ignore', fact.fact);
    return advanced;
  };
  const about = { payment: owed.id, at } as const;
  const priced = (gas: bigint): PaymentFact => ({
    ...{ fact: 'payment_priced', gas: amount(COIN, gas), cost: amount(COIN, COST), ...about },
  });
  const mined = { part: 'gas', txHash: txHash('0x1'), cost: amount(COIN, 1n), ...about } as const;
  const first = tell(owed, priced(10n)).payment;
  const sent = tell(tell(first, { fact: 'transfer_signed', part: 'gas', txHash: mined.txHash, ...about }).payment, {
    ...{ fact: 'transfer_confirmed', ...mined },
  }).payment;
  assert.equal(advance(sent, { fact: 'gas_short', ...about }), 'ignore', 'it may still be undone');
  const settled = tell(sent, { fact: 'transfer_settled', worked: true, ...mined }).payment;
  const short = tell(settled, { fact: 'gas_short', ...about });
  assert.deepEqual(short.effects, [{ effect: 'price_payment', payment: owed.id }]);
  const more = tell(short.payment, priced(4n));
  assert.equal(more.payment.state.state, 'awaiting_gas');
  assert.deepEqual(more.postings, [
    { from: 'treasury', to: `payment:${ORDER}:gas1_sweep:0`, amount: amount(COIN, 4n) },
  ]);
  assert.notEqual(intentOf(more.payment, 'gas'), intentOf(first, 'gas'), 'another transfer under another name');
});
