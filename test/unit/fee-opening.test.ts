import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Amount, amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { newPayment, type Purpose } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import type { Chain, SignedTransfer } from '../../src/world/chains/chain.ts';
import { SOLANA_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import { ORDER_IN } from '../life/order-phases.ts';

const ORDER = `sw_${'a'.repeat(26)}` as OrderId;
const USDC = solanaToken(USDC_MINT);
const RENT = 2_039_280n;
const FEE: Purpose = { for: 'integrator_fee', integration: 'i', number: 0 };

/** What comes of 300,000 atoms, about as much as 2,000,000 lamports, where paying them opens an account or not. */
async function signing(purpose: Purpose, opening: bigint, value = 300_000n, signedBefore?: SignedTransfer) {
  const what = { owner: ORDER, purpose, from: 'hot', amount: amount(USDC, value), to: 'partner' as Address } as const;
  const payment = { ...newPayment({ ...what, source: 'owed:i', binding: 'bound' }), state: { state: 'reserved' } };
  const terms = { fee: {}, nonce: undefined, cost: atoms(5_000n + opening), usual: atoms(5_000n + opening) };
  const { sign_transfer: sign } = transferHandlers({
    chain: () =>
      ({ facts: solanaRules.facts, terms: async () => ({ ...terms, opening: atoms(opening) }) }) as unknown as Chain,
    signer: {
      signTransfer: async () => ({ txHash: txHash('bytes') }),
      signedTransfer: async () => signedBefore && { bytes: signedBefore, isOver: false },
    },
    inAsset: async ({ atoms: coins }: Amount, into: AssetId) => amount(into, (coins * 3n) / 20n),
    screen: async () => 'clear',
    boundOf: async () => ({ goes: 'anywhere' }),
    books: {
      ...{ find: async () => payment, attempts: async () => [], lastDead: async () => undefined },
      ...{ adopted: async () => undefined, unplanned: async () => undefined, returnNonce: async () => {} },
    },
    clock: { now: () => instant(1) },
    bindAmount: () => 'bound',
  } as unknown as TransferStage);
  const order = { ...ORDER_IN.placing, id: ORDER, charter: '', payments: [payment] } as unknown as Order;
  const effect = { effect: 'sign_transfer', payment: payment.id, part: 'main', lane: 'hot' } as const;
  const done = await sign({ key: 'k', owner: ORDER, effect, tries: 0, troubledSince: undefined }, order);
  assert.ok(typeof done === 'object' && 'fact' in done);
  return done.fact.fact;
}

test('9.6: an integration that closes its account before each fee is not given the rent again and again', async () => {
  assert.equal(await signing(FEE, RENT), 'payment_refused', 'it stays owed, and a person is told');
  assert.equal(await signing(FEE, 0n), 'transfer_signed', 'once its account is open it is paid');
});

test('a fee that is worth the account which it opens is sent, and so is what customers are owed', async () => {
  assert.equal(await signing(FEE, RENT, 400_000n), 'transfer_signed');
  assert.equal(await signing({ for: 'payout', number: 0 }, RENT), 'transfer_signed');
});

test('a fee that the signer has signed before is not refused: it is paid', async () => {
  const before = { txHash: txHash('before'), chainId: SOLANA_ID } as SignedTransfer;
  assert.equal(await signing(FEE, RENT, 300_000n, before), 'transfer_signed');
});
