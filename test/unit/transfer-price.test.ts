import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address, AssetId, OrderId } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { newPayment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import type { Chain, ChainFacts } from '../../src/world/chains/chain.ts';
import { SOL_ASSET_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import { TRX_ASSET, tronRules, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';

/** What a deposit account that holds `coins` of `spendable` and must collect this needs, where a transfer costs `cost`. */
async function needed(facts: ChainFacts, asset: AssetId, spendable: bigint, cost: bigint, claims: bigint[] = []) {
  const chain = {
    facts,
    hotAddress: 'hot' as Address,
    terms: async () => ({ nonce: undefined, fee: {}, cost: atoms(cost), usual: atoms(cost) }),
    balance: async () => ({ spendable: atoms(spendable), locked: atoms(0n) }),
  } as unknown as Chain;
  const payment = newPayment({
    ...{ owner: `sw_${'a'.repeat(26)}` as OrderId, purpose: { for: 'collection' }, from: { deposit: 5 } },
    ...{ amount: amount(asset, 1_000n), to: chain.hotAddress, source: 'deposit:x', feePayer: facts.feePayer },
    payer: { address: 'deposit' as Address, index: 5 },
  });
  const { price_payment: price } = transferHandlers({
    chain: () => chain,
    signer: { signTransfer: () => assert.fail('nothing is signed') },
    books: { find: async (id: string) => (id === payment.id ? payment : undefined), attempts: async () => [] },
    clock: { now: () => instant(1) },
  } as unknown as TransferStage);
  const coin = facts.assets.find(({ native }) => native)?.id as AssetId;
  const order = {
    claims: claims.map((owed) => ({ amount: amount(coin, owed), from: { deposit: 5 }, stage: 'paying', number: 1 })),
  } as unknown as Order;
  const effect = { effect: 'price_payment', payment: payment.id } as const;
  const done = await price({ key: 'k', owner: payment.owner, tries: 0, troubledSince: undefined, effect }, order);
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'payment_priced');
  assert.deepEqual([done.fact.payment, done.fact.gas.asset], [payment.id, coin]);
  assert.deepEqual(done.fact.cost, amount(coin, cost));
  return done.fact.gas.atoms;
}

test('an account that pays for itself gets what it lacks beside the coins that go elsewhere', async () => {
  const { facts } = tronRules();
  assert.equal(await needed(facts, USDT_ASSET.id, 0n, 300n), 600n);
  assert.equal(await needed(facts, USDT_ASSET.id, 450n, 300n), 150n);
  assert.equal(await needed(facts, USDT_ASSET.id, 600n, 300n), 0n);
  assert.equal(await needed(facts, USDT_ASSET.id, 600n, 300n, [200n]), 200n, 'owed coins pay for nothing');
  assert.equal(await needed(facts, TRX_ASSET.id, 1_000n, 300n), 600n, 'collected coins leave, too');
  assert.equal(await needed(facts, TRX_ASSET.id, 1_200n, 300n, [200n]), 600n);
});

test('where the hot account pays, a deposit account gets only what the chain would miss on it', async () => {
  const { facts } = solanaRules;
  assert.equal(await needed(facts, solanaToken(USDC_MINT), 0n, 0n), 0n);
  assert.equal(await needed(facts, SOL_ASSET_ID, 1_000n, 0n), 0n);
  assert.equal(await needed(facts, SOL_ASSET_ID, 1_200n, 690_880n, [200n]), 690_880n);
});
