import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address, AssetId } from '../../src/kernel/ids.ts';
import { depositHandlers } from '../../src/life/deposit/handlers.ts';
import type { Order } from '../../src/life/order/order.ts';
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
  const { price_gas: price } = depositHandlers({
    chain: () => chain,
    screen: () => assert.fail('nobody is screened'),
    bindRefund: () => assert.fail('nothing is bound'),
    clock: { now: () => instant(1) },
  });
  const coin = facts.assets.find(({ native }) => native)?.id as AssetId;
  const order = {
    claims: claims.map((owed) => ({ amount: amount(coin, owed), from: { deposit: 5 }, stage: 'queued', leg: 1 })),
  } as unknown as Order;
  const forWhat = { kind: 'sweep', leg: 0 } as const;
  const effect = { effect: 'price_gas', forWhat, from: { deposit: 5 }, amount: amount(asset, 1_000n) } as const;
  const done = await price({ key: 'k', owner: 'treasury', tries: 0, effect }, order);
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'gas_priced');
  assert.equal(done.fact.needed.asset, coin);
  return done.fact.needed.atoms;
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
