import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Amount, amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import {
  type Address,
  type AssetId,
  assetId,
  type IntentId,
  type OrderId,
  type TokenId,
  txHash,
} from '../../src/kernel/ids.ts';
import type { Claim, Order } from '../../src/life/order/order.ts';
import { intentOf, newPayment, type Payment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import { type Chain, type ChainFacts, coinOf, type Transfer } from '../../src/world/chains/chain.ts';
import { SOL_ASSET_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import { TRX_ASSET, tronRules, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';

interface There {
  readonly spendable: bigint;
  /** What of that the ledger has as gas; all of it beside what goes unless a story says otherwise. */
  readonly booked?: bigint;
  /** What of that is owed to somebody. */
  readonly claims?: readonly bigint[];
  /** Gas that was signed for before the database was restored. */
  readonly before?: bigint;
  /** What the refund of another token is at, which leaves the same account, and what its bytes may cost. */
  readonly beside?: Pick<Payment, 'state' | 'gas'>;
  readonly besideCosts?: bigint;
}

/** What a deposit account on which this lies must get to collect 1,000 atoms, where a transfer costs `cost`. */
async function needed(
  facts: ChainFacts,
  asset: AssetId,
  cost: bigint,
  { spendable, booked = spendable, claims = [], before, beside, besideCosts = 0n }: There,
) {
  const coin = coinOf(facts).id;
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
  const other: Payment = { ...payment, id: 'other' as IntentId, purpose: { for: 'refund', claim: 1 }, ...beside };
  const { price_payment: price } = transferHandlers({
    chain: () => chain,
    signer: { signTransfer: () => assert.fail('nothing is signed') },
    books: {
      attempts: async (id: string) => {
        if (id === other.id) return [{ cost: besideCosts }];
        return before !== undefined && id === intentOf(payment, 'gas') ? [{}] : [];
      },
      adopted: async () => ({ asset: coin, atoms: before }),
      gasOf: async () => booked,
      hasNonce: async () => false,
    },
    clock: { now: () => instant(1) },
  } as unknown as TransferStage);
  const order = {
    payments: beside ? [other, payment] : [payment],
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
  assert.equal(await needed(facts, USDT_ASSET.id, 300n, { spendable: 0n }), 300n);
  assert.equal(await needed(facts, USDT_ASSET.id, 300n, { spendable: 150n }), 150n);
  assert.equal(await needed(facts, USDT_ASSET.id, 300n, { spendable: 300n }), 0n);
  assert.equal(
    await needed(facts, USDT_ASSET.id, 300n, { spendable: 300n, claims: [200n] }),
    200n,
    'owed coins pay for nothing',
  );
  assert.equal(await needed(facts, TRX_ASSET.id, 300n, { spendable: 1_000n }), 300n, 'collected coins leave, too');
  assert.equal(await needed(facts, TRX_ASSET.id, 300n, { spendable: 1_200n, claims: [200n] }), 300n);
});

test("9.5: a stranger's coins count as no gas: they may be gone before the transfer, and are owed back once they are booked", async () => {
  const { facts } = tronRules();
  const poisoned = { spendable: 5_000n, booked: 0n };
  assert.equal(await needed(facts, USDT_ASSET.id, 300n, poisoned), 300n);
  assert.equal(await needed(facts, USDT_ASSET.id, 300n, { ...poisoned, claims: [5_000n] }), 300n);
  assert.equal(await needed(facts, USDT_ASSET.id, 300n, { ...poisoned, booked: 100n }), 200n, 'ours count');
  assert.equal(
    await needed(facts, USDT_ASSET.id, 300n, { spendable: 40n, booked: 100n }),
    260n,
    'what is gone does not',
  );
  assert.equal(await needed(facts, TRX_ASSET.id, 300n, { spendable: 1_001n, booked: 0n }), 300n);
});

test('what another payment of the same account counts on is not counted twice: the second would never be mined, and get no more', async () => {
  const { facts } = tronRules();
  const hash = txHash('0x1');
  const sent = { state: 'sent', txHash: hash, raised: 0, since: instant(1) } as const;
  const arrived = { state: 'confirmed', txHash: hash, cost: amount(coinOf(facts).id, 1n) } as const;
  const gas = { amount: amount(coinOf(facts).id, 290n), progress: arrived };
  const need = (beside: There['beside'], spendable: bigint) =>
    needed(facts, USDT_ASSET.id, 300n, { spendable, ...(beside ? { beside } : {}), besideCosts: 280n });
  assert.equal(await need({ gas, state: sent }, 290n), 290n, 'its bytes may cost all but ten');
  assert.equal(
    await need({ gas, state: { state: 'reserved' } }, 290n),
    300n,
    'coins that came for it are there for it',
  );
  assert.equal(await need({ gas, state: sent }, 600n), 0n);
  assert.equal(await need({ gas, state: arrived }, 290n), 10n, 'what it took is booked by now');
  assert.equal(await need({ gas: undefined, state: { state: 'due' } }, 290n), 10n);
});

test('gas that a restored database has forgotten is the same coins again, whatever gas costs today', async () => {
  const { facts } = tronRules();
  assert.equal(await needed(facts, USDT_ASSET.id, 300n, { spendable: 280n, booked: 0n, before: 280n }), 280n);
});

test('where the hot account pays, a deposit account gets only what the chain would miss on it', async () => {
  const { facts } = solanaRules;
  assert.equal(await needed(facts, solanaToken(USDC_MINT), 0n, { spendable: 0n }), 0n);
  assert.equal(await needed(facts, SOL_ASSET_ID, 0n, { spendable: 1_000n }), 0n);
  assert.equal(await needed(facts, SOL_ASSET_ID, 690_880n, { spendable: 1_200n, claims: [200n] }), 690_880n);
});

interface Priced {
  readonly facts: ChainFacts;
  readonly asset: AssetId;
  readonly from: Claim['from'];
  readonly isOurs?: boolean;
  /** What the claimed transfer costs at most and usually, and what sending gas ahead costs. */
  readonly terms: readonly [cost: bigint, usual: bigint];
  readonly ahead?: bigint;
  readonly coins?: bigint;
  /** What of the coins is booked as gas. */
  readonly gas?: bigint;
}

/** What the desk reckons that giving 1,000 atoms back costs, in the coin and, at ten to one, in what is given back. */
async function refundCost({ facts, asset, from, isOurs = false, terms, ahead = 0n, coins = 0n, gas = 0n }: Priced) {
  const chain = {
    facts,
    hotAddress: 'hot' as Address,
    terms: async ({ to }: Transfer) => {
      const [cost, usual] = to === 'deposit' ? [ahead, ahead] : terms;
      return { nonce: undefined, fee: {}, cost: atoms(cost), usual: atoms(usual) };
    },
    balance: async () => ({ spendable: atoms(coins), locked: atoms(0n) }),
  } as unknown as Chain;
  const { price_claim: priceClaim } = transferHandlers({
    chain: () => chain,
    books: { gasOf: async () => gas },
    boundOf: async () => ({ goes: 'anywhere' }),
    clock: { now: () => instant(1) },
    inAsset: async (cost: Amount, of: AssetId) => amount(of, of === cost.asset ? cost.atoms : cost.atoms * 10n),
  } as unknown as TransferStage);
  const to = { asset, address: 'home' as Address, binding: 'bound' };
  const claim = { number: 1, amount: amount(asset, 1_000n), from, stage: 'pricing', to, isOurs };
  const order = { depositAddress: 'deposit' as Address, claims: [claim], payments: [] } as unknown as Order;
  const owner = `sw_${'a'.repeat(26)}` as OrderId;
  const effect = { effect: 'price_claim', claim: 1 } as const;
  const done = await priceClaim({ key: 'k', owner, tries: 0, troubledSince: undefined, effect }, order);
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'claim_priced');
  return [done.fact.cost.atoms, done.fact.inAsset?.atoms];
}

test('9.4: the cost of a refund counts every transfer it takes: its own, and that of the gas which goes ahead', async () => {
  const { facts } = tronRules();
  const token = { facts, asset: USDT_ASSET.id, from: { deposit: 5 }, terms: [300n, 200n], ahead: 50n } as const;
  assert.deepEqual(await refundCost(token), [250n, 2_500n]);
  assert.deepEqual(await refundCost({ ...token, coins: 300n, gas: 300n }), [200n, 2_000n], 'its gas is there already');
  assert.deepEqual(await refundCost({ ...token, coins: 300n }), [250n, 2_500n], "the coins there are somebody else's");
  assert.deepEqual(await refundCost({ ...token, from: 'hot' }), [200n, 2_000n]);
});

test('9.4: coins that go back pay for themselves, unless the desk is why they do', async () => {
  const { facts } = tronRules();
  const trx = { facts, asset: TRX_ASSET.id, from: { deposit: 5 }, terms: [300n, 200n], ahead: 50n } as const;
  assert.deepEqual(await refundCost({ ...trx, coins: 1_000n }), [300n, 300n]);
  assert.deepEqual(await refundCost({ ...trx, coins: 1_000n, isOurs: true }), [250n, 250n]);
});

test('9.4: the rent of an account that a refund opens, or must leave behind, is a cost of it', async () => {
  const { facts } = solanaRules;
  const rent = 2_039_280n;
  const token = { facts, asset: solanaToken(USDC_MINT), from: { deposit: 5 } } as const;
  assert.deepEqual(await refundCost({ ...token, terms: [0n, 10_000n + rent] }), [
    10_000n + rent,
    10n * (10_000n + rent),
  ]);
  const coins = { facts, asset: SOL_ASSET_ID, from: { deposit: 5 }, ahead: 5_000n } as const;
  assert.deepEqual(await refundCost({ ...coins, terms: [890_880n, 10_000n] }), [905_880n, 905_880n]);
});

test('a refund that is kept is priced at the time that was set last, and not once more at each that was set before', async () => {
  const { facts } = tronRules();
  const terms = async () => ({ nonce: undefined, fee: {}, cost: atoms(3n), usual: atoms(2n) });
  const { price_claim: priceClaim } = transferHandlers({
    ...{ chain: () => ({ facts, terms }), clock: { now: () => instant(9) }, inAsset: async (cost: Amount) => cost },
    boundOf: async () => ({ goes: 'anywhere' }),
  } as unknown as TransferStage);
  const asset = TRX_ASSET.id;
  const to = { asset, address: 'home' as Address, binding: 'bound' };
  const claim = { number: 1, amount: amount(asset, 1_000n), from: 'hot', stage: 'kept', to, kept: { due: instant(8) } };
  const order = { claims: [claim], payments: [] } as unknown as Order;
  const job = { key: 'k', owner: `sw_${'a'.repeat(26)}` as OrderId, tries: 0, troubledSince: undefined };
  const pricedAt = async (due: number) =>
    (await priceClaim({ ...job, effect: { effect: 'price_claim', claim: 1, due: instant(due) } }, order)) !== 'done';
  assert.deepEqual([await pricedAt(7), await pricedAt(8)], [false, true]);
});

test('an amount that nodes would pass on to nobody is told with what is the least, and no other refusal is', async () => {
  const { facts } = tronRules();
  const asset = TRX_ASSET.id;
  const tooLittle = { least: atoms(2_000n), usual: atoms(7n) };
  const to = { asset, address: 'home' as Address, binding: 'bound' };
  const claim = { number: 1, amount: amount(asset, 1_000n), from: 'hot', stage: 'pricing', to, isOurs: true };
  const order = { claims: [claim], payments: [] } as unknown as Order;
  const job = { key: 'k', owner: `sw_${'a'.repeat(26)}` as OrderId, tries: 0, troubledSince: undefined };
  for (const [refusal, told] of [
    [
      { refused: 'dust', tooLittle },
      { cost: amount(asset, 7n), inAsset: amount(asset, 7n), least: amount(asset, 2_000n) },
    ],
    [{ refused: 'frozen' }, { cost: amount(asset, 0n), inAsset: amount(asset, 0n), least: undefined }],
  ] as const) {
    const { price_claim: priceClaim } = transferHandlers({
      ...{ chain: () => ({ facts, terms: async () => refusal }), clock: { now: () => instant(9) } },
      ...{ boundOf: async () => ({ goes: 'anywhere' }), inAsset: async (cost: Amount) => cost },
    } as unknown as TransferStage);
    const done = await priceClaim({ ...job, effect: { effect: 'price_claim', claim: 1 } }, order);
    assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'claim_priced');
    const { cost, inAsset, least } = done.fact;
    assert.deepEqual({ cost, inAsset, least }, told);
  }
});

test("4. what a token that nobody lists is worth is nobody's guess", async () => {
  const unlisted = assetId(tronRules().facts.id, 'Tunlisted' as TokenId);
  const claim = { facts: tronRules().facts, asset: unlisted, from: { deposit: 5 }, terms: [300n, 200n] } as const;
  assert.deepEqual(await refundCost(claim), [300n, undefined]);
});

test('a fee whose transfer became dearer than itself is kept back for a day, and paid then at whatever that costs', async () => {
  const { facts } = solanaRules;
  const asset = solanaToken(USDC_MINT);
  const HOUR = 3_600_000;
  const asked = async (cost: bigint, at: number) => {
    const { pay_fee: pay } = transferHandlers({
      chain: () => ({ facts, terms: async () => ({ usual: atoms(cost), cost: atoms(cost) }) }) as unknown as Chain,
      inAsset: async (sum: Amount, into: AssetId) => amount(into, sum.atoms),
      clock: { now: () => instant(at) },
    } as unknown as TransferStage);
    const order = {
      state: { phase: 'completed', at: instant(0) },
      integratorFee: { percent: 1, to: { asset, address: 'partner', binding: 'bound' } },
      feeEarned: amount(asset, 700n),
      route: { legs: [] },
    } as unknown as Order;
    const job = { key: 'k', owner: `sw_${'a'.repeat(26)}` as OrderId, tries: 0, troubledSince: undefined };
    const done = await pay({ ...job, effect: { effect: 'pay_fee' } }, order);
    return typeof done === 'object' && 'fact' in done ? done.fact.fact : 'later';
  };
  assert.equal(await asked(700n, 0), 'fee_priced');
  assert.equal(await asked(701n, 0), 'later');
  assert.equal(await asked(701n, 24 * HOUR - 1), 'later');
  assert.equal(await asked(701n, 24 * HOUR), 'fee_priced');
});
