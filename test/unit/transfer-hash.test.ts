import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainId, type OrderId, type TxHash, txHash } from '../../src/kernel/ids.ts';
import { newPayment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import type { AttemptStatus } from '../../src/world/chains/chain.ts';

const COIN = '1337:USDC' as AssetId;
const ORDER = `wd_${'a'.repeat(32)}` as OrderId;
const OURS = txHash(`0x${'01'.repeat(32)}`);
const THEIRS = txHash(`0x${'02'.repeat(32)}`);
const PAID = newPayment({
  ...{ owner: ORDER, purpose: { for: 'payout', number: 0 }, from: 'hot', source: `order:${ORDER}` },
  ...{ amount: amount(COIN, 5n), to: 'to' as Address },
});

/** The hash that an order is told with this news of its payment. */
async function toldHash(
  news: string,
  named: Partial<Extract<AttemptStatus, { state: 'mined' }>>,
): Promise<TxHash | undefined> {
  const depth = { have: 1, need: 1 };
  const settled = news === 'transfer_settled';
  const mined = {
    state: 'mined',
    block: { height: 1, hash: 'b' },
    depth,
    settled,
    ok: true,
    cost: atoms(0n),
    ...named,
  };
  const signed = { intent: PAID.id, chainId: chainId(1337), txHash: OURS, raw: '', consumes: [], cost: atoms(0n) };
  const chain = { facts: { assets: [{ id: COIN, native: true }] }, status: async () => mined };
  const stage = {
    chain: () => chain,
    books: { find: async () => PAID, attempts: async () => [signed] },
    clock: { now: () => instant(1) },
  } as unknown as TransferStage;
  const done = await transferHandlers(stage).watch_transfer({
    ...{ key: 'k', owner: ORDER, tries: 0, troubledSince: undefined },
    effect: { effect: 'watch_transfer', payment: PAID.id, part: 'main' },
  });
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === news && 'txHash' in done.fact);
  return done.fact.txHash;
}

test('a customer is told the hash that the chain itself shows', async () => {
  for (const news of ['transfer_confirmed', 'transfer_settled']) {
    assert.equal(await toldHash(news, {}), OURS);
    assert.equal(await toldHash(news, { txHash: THEIRS }), THEIRS);
  }
});
