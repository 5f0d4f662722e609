import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, type IntentId, type OrderId, type TxHash, txHash } from '../../src/kernel/ids.ts';
import { advance } from '../../src/life/payment/advance.ts';
import { newPayment, type Payment } from '../../src/life/payment/payment.ts';
import type { PaymentBooks } from '../../src/life/transfer/books.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { Signer } from '../../src/signer/request.ts';
import type { AttemptStatus, Chain, PaidBy, Refused, SignedTransfer, Transfer } from '../../src/world/chains/chain.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { ARBITRUM } from './signer-bench.ts';

const ORDER = `sw_${'a'.repeat(26)}` as OrderId;
const USDC = evmNetwork(ARBITRUM).facts.assets.find(({ symbol }) => symbol === 'USDC')?.id as AssetId;
const OURS = txHash(`0x${'1'.repeat(64)}`);
const NAMED = txHash(`0x${'2'.repeat(64)}`);
const BY_ADA = { by: 'Ada', reason: 'the books were restored' };

const HELD: Payment = {
  ...newPayment({
    ...{ owner: ORDER, purpose: { for: 'payout', number: 0 }, from: 'hot', source: `order:${ORDER}` },
    ...{ amount: amount(USDC, 5n), to: 'customer' as Address },
  }),
  state: { state: 'held', txHash: OURS, proof: 'its nonce is used' },
};

/** A payment whose own bytes are dead, and a chain that says this of the transaction that somebody named. */
function room(answer: PaidBy | Refused, own: AttemptStatus = { state: 'dead', proof: 'its nonce is used' }) {
  const asked: [Transfer, string][] = [];
  const claims = new Map<TxHash, IntentId>();
  const log: string[] = [];
  let payment = HELD;
  const chain = {
    facts: evmNetwork(ARBITRUM).facts,
    async paidBy(transfer, named) {
      asked.push([transfer, named]);
      return answer;
    },
    status: async () => own,
    broadcast: async () => void log.push('sent'),
  } as Pick<Chain, 'facts' | 'paidBy' | 'status' | 'broadcast'> as Chain;
  const books = {
    find: async () => payment,
    attempts: async () => [{ intent: HELD.id, chainId: ARBITRUM, txHash: OURS } as SignedTransfer],
    async claimTransaction(intent, _chain, hash) {
      claims.set(hash, claims.get(hash) ?? intent);
      return claims.get(hash) === intent;
    },
  } as Partial<PaymentBooks> as PaymentBooks;
  const signer = { signTransfer: async () => assert.fail('nothing is signed') } as Partial<Signer> as Signer;
  const handlers = transferHandlers({
    ...{ chain: () => chain, signer, screen: async () => 'clear', books },
    boundOf: async () => ({ goes: 'anywhere' }),
    clock: { now: () => instant(1_000) },
    bindAmount: () => assert.fail('nothing is bound'),
    fill: () => assert.fail('nothing is bought'),
    inAsset: () => assert.fail('no refund is priced'),
  });
  const job = { key: 'k', owner: ORDER, tries: 1, troubledSince: undefined } as const;
  const about = { payment: HELD.id, part: 'main' } as const;
  return {
    ...{ asked, claims, log },
    check: () =>
      handlers.check_settlement({
        ...job,
        effect: { effect: 'check_settlement', ...about, txHash: NAMED, byHand: BY_ADA },
      }),
    watch: () => handlers.watch_transfer({ ...job, effect: { effect: 'watch_transfer', ...about } }),
    become: (next: Payment) => {
      payment = next;
    },
  };
}

const PAID: PaidBy = { txHash: NAMED, settled: true, cost: atoms(3n) };

test('a transaction that the chain confirms settles the payment, under the name of who named it, and ends the watch', async () => {
  const { check, asked, watch, become, log } = room(PAID);
  const done = await check();
  assert.deepEqual(asked, [[{ from: 'hot', asset: USDC, atoms: 5n, to: 'customer' }, NAMED]]);
  assert.ok(typeof done === 'object' && 'fact' in done && 'payment' in done.fact);
  assert.ok(done.fact.fact === 'transfer_settled' && done.fact.worked && done.fact.txHash === NAMED);
  const settled = advance(HELD, done.fact);
  assert.ok(settled !== 'ignore');
  assert.deepEqual(settled.payment.state, { state: 'settled', txHash: NAMED, cost: done.fact.cost, byHand: BY_ADA });
  assert.deepEqual(
    settled.heard.map(({ heard }) => heard),
    ['paid', 'settled'],
  );
  become(settled.payment);
  assert.equal(await watch(), 'done', 'nothing is signed or sent for it again');
  assert.deepEqual(log, []);
});

test('what is not final yet is asked again, and what does not pay this is refused with the reason', async () => {
  assert.ok('againInMs' in ((await room({ ...PAID, settled: false }).check()) as object));
  const done = await room({ refused: 'it moved 4' }).check();
  assert.ok(typeof done === 'object' && 'fact' in done && 'payment' in done.fact);
  assert.ok(done.fact.fact === 'settlement_refused' && done.fact.reason === 'it moved 4');
  const told = advance(HELD, done.fact);
  assert.ok(told !== 'ignore' && told.postings.length === 0 && told.heard.length === 0);
  assert.deepEqual(told.payment.state, HELD.state);
  assert.equal(told.cases[0]?.case, 'settlement_refused');
});

test('nothing counts while our own bytes may still be mined: the customer would be paid twice', async () => {
  for (const own of [{ state: 'unknown' }, { state: 'pool' }] as const) {
    const { check, claims } = room(PAID, own);
    const done = await check();
    assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'settlement_refused');
    assert.match(done.fact.reason, /may still be mined/);
    assert.equal(claims.size, 0);
  }
});

test('a transaction settles one payment only', async () => {
  const { check, claims } = room(PAID);
  claims.set(NAMED, 'another' as IntentId);
  const done = await check();
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'settlement_refused');
  assert.match(done.fact.reason, /another payment/);
});
