import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Amount, amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import type { Claim, Order } from '../../src/life/order/order.ts';
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
async function signing(
  purpose: Purpose,
  opening: bigint,
  value = 300_000n,
  signedBefore?: SignedTransfer,
  change: Partial<Order> = {},
) {
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
  const order = { ...ORDER_IN.placing, id: ORDER, charter: '', payments: [payment], ...change } as unknown as Order;
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

test('9.6: a customer who closes his account once its order is priced is not given the rent: it was nobody’s to pay', async () => {
  const { route, to } = ORDER_IN.placing;
  const toUsdc = { to: { ...to, id: USDC } };
  const payout = (opening: bigint, change: Partial<Order>, before?: SignedTransfer) =>
    signing({ for: 'payout', number: 0 }, opening, 300_000n, before, change);
  assert.equal(await payout(RENT, toUsdc), 'payment_refused', 'he may have it back, less the rent');
  assert.equal(await payout(0n, toUsdc), 'transfer_signed');
  const flat = amount(USDC, 305_892n);
  const opening = { type: 'activation', at: 1, asset: USDC, rate: undefined, flat } as const;
  const charged = { ...toUsdc, route: { ...route, fees: [...route.fees, opening] } };
  assert.equal(await payout(RENT, charged), 'transfer_signed', 'what he was charged for is opened');
  const before = { txHash: txHash('before'), chainId: SOLANA_ID } as SignedTransfer;
  assert.equal(await payout(RENT, toUsdc, before), 'transfer_signed', 'what was signed is paid');
});

test('9.4: what goes back opens an account only where that was deducted, or is the desk’s to bear', async () => {
  const refund = (opening: bigint, claim: Partial<Claim>) => {
    const claims = [{ number: 1, amount: amount(USDC, 300_000n), ...claim }] as Claim[];
    return signing({ for: 'refund', claim: 1 }, opening, 300_000n, undefined, { claims });
  };
  const charged = (value: bigint) => ({ charged: { amount: amount(USDC, value), to: 'fees' } }) as const;
  assert.equal(await refund(RENT, charged(750n)), 'payment_refused', 'it was priced as a transfer to an open account');
  assert.equal(await refund(RENT, {}), 'payment_refused', 'or as one that would be refused, which costs nothing');
  assert.equal(await refund(RENT, charged(200_000n)), 'transfer_signed', 'prices move');
  for (const borne of [{ isOurs: true }, { isDecided: true }])
    assert.equal(await refund(RENT, borne), 'transfer_signed');
  assert.equal(await refund(0n, charged(750n)), 'transfer_signed');
});

test('a fee that the signer has signed before is not refused: it is paid', async () => {
  const before = { txHash: txHash('before'), chainId: SOLANA_ID } as SignedTransfer;
  assert.equal(await signing(FEE, RENT, 300_000n, before), 'transfer_signed');
});
