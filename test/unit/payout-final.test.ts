import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainId, type IntentId, type TxHash, txHash } from '../../src/kernel/ids.ts';
import type { Intent } from '../../src/life/order/effect.ts';
import { type PayoutStage, payoutHandlers } from '../../src/life/payment/handlers.ts';
import type { AttemptStatus } from '../../src/world/chains/chain.ts';

const COIN = '1337:USDC' as AssetId;
const ID = `wd_${'a'.repeat(32)}:payout:0` as IntentId;
const OURS = txHash(`0x${'01'.repeat(32)}`);
const THEIRS = txHash(`0x${'02'.repeat(32)}`);
const PAID = { id: ID, kind: 'payout', leg: 0, from: 'hot', amount: amount(COIN, 5n), to: 'to' as Address } as Intent;

/** The hash that an order is told once its payment is final. */
async function toldHash(named: Partial<Extract<AttemptStatus, { state: 'mined' }>>): Promise<TxHash | undefined> {
  const depth = { have: 1, need: 1 };
  const mined = { state: 'mined', block: { height: 1, hash: 'b' }, depth, ok: true, cost: atoms(0n), ...named };
  const signed = { intent: ID, chainId: chainId(1337), txHash: OURS, raw: '', tokens: [], cost: atoms(0n) };
  const chain = { facts: { assets: [{ id: COIN, native: true }] }, status: async () => mined };
  const stage = {
    chain: () => chain,
    books: { find: async () => PAID, attempt: async () => signed },
    clock: { now: () => instant(1) },
  } as unknown as PayoutStage;
  const done = await payoutHandlers(stage).confirm_intent({
    key: 'k',
    owner: 'treasury',
    tries: 0,
    effect: { effect: 'confirm_intent', intent: ID },
  });
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'intent_final');
  return done.fact.txHash;
}

test('a customer is told the hash that the chain itself shows', async () => {
  assert.equal(await toldHash({}), OURS);
  assert.equal(await toldHash({ txHash: THEIRS }), THEIRS);
});
