import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardHandlers } from '../../src/app/gates.ts';
import { HeldByBreaker } from '../../src/app/signing-gate.ts';
import type { Handlers } from '../../src/engine/worker.ts';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type IntentId, txHash } from '../../src/kernel/ids.ts';
import { newPayment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import type { Chain, SignedTransfer } from '../../src/world/chains/chain.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { ARBITRUM, HOT, USDC } from './signer-bench.ts';

const REBALANCE = newPayment({
  ...{ owner: 'treasury', purpose: { for: 'rebalance', number: 0 }, from: 'hot', source: 'treasury' },
  ...{ amount: amount(USDC, 5n), to: HOT },
});

/** A payment with a nonce that a breaker then holds, while looking for its bytes or returning its nonces may go wrong. */
function heldRoom(signedTransfer: () => Promise<undefined>, returns: (intent: IntentId) => void) {
  const terms = { nonce: 7, fee: {}, cost: atoms(1n), usual: atoms(1n) };
  const { sign_transfer: sign } = transferHandlers({
    chain: () => ({ facts: evmNetwork(ARBITRUM).facts, terms: async () => terms }) as unknown as Chain,
    signer: {
      signTransfer: () => Promise.reject(new HeldByBreaker('rebalance', 'payouts', 'a person looks')),
      signedTransfer,
    },
    screen: async () => 'clear',
    boundOf: async () => ({ goes: 'anywhere' }),
    books: {
      ...{ find: async () => REBALANCE, attempts: async () => [], lastDead: async () => undefined },
      ...{ unplanned: async () => undefined, takeNonce: async () => 7, between: async () => [] },
      returnNonce: async (intent: IntentId) => returns(intent),
    },
    clock: { now: () => instant(1) },
  } as unknown as TransferStage);
  const effect = { effect: 'sign_transfer', payment: REBALANCE.id, part: 'main', lane: '42161:hot' } as const;
  return () => sign({ key: 'k', owner: 'treasury', effect, tries: 0, troubledSince: undefined });
}

test('what a breaker holds gives its nonces back, and keeps them while the signer cannot say whether they were used', async () => {
  const returned: IntentId[] = [];
  const note = (intent: IntentId) => void returned.push(intent);
  const away = () => Promise.reject(new Fault('transient', 'signer', 'ECONNREFUSED'));
  await assert.rejects(heldRoom(away, note)(), /is held by payouts/);
  assert.deepEqual(returned, []);
  await assert.rejects(heldRoom(async () => undefined, note)(), /is held by payouts/);
  assert.deepEqual(returned, [REBALANCE.id, 'treasury:bind_rebalance:0']);
});

test('a nonce from an earlier try goes back while a breaker holds its payment: a refund that comes after it would wait', async () => {
  const nonces = new Set<IntentId>([REBALANCE.id]);
  let tries = 0;
  const sign = heldRoom(
    async () => undefined,
    (intent) => void nonces.delete(intent),
  );
  const tried: Handlers['sign_transfer'] = () => {
    tries += 1;
    return sign();
  };
  const { sign_transfer: guarded } = guardHandlers(
    { sign_transfer: tried } as Handlers,
    { isOpen: async (scope) => (scope === 'refunds-only' ? 'a person looks' : undefined) },
    { find: async () => REBALANCE, hasNonce: async (intent) => nonces.has(intent) },
  );
  const ask = () => guarded({ effect: { payment: REBALANCE.id, part: 'main' } } as never, undefined as never);
  for (const scope of ['payouts', 'refunds-only'])
    assert.deepEqual(await ask(), { againInMs: 2_000, heldBy: `${scope}: a person looks` });
  assert.deepEqual([[...nonces], tries], [[], 1], 'without one nothing is begun');
});

test('a fault of our own on the way is not swallowed: a nonce that is lost so would stop its account in silence', async () => {
  const broken = () => {
    throw new TypeError('nonce is not a number');
  };
  await assert.rejects(heldRoom(async () => undefined, broken)(), /nonce is not a number/);
});

test('what was signed after its payment was refused is never sent, and what waits behind its nonce says so', async () => {
  const sent: string[] = [];
  const terms = { nonce: 5, fee: {}, cost: atoms(1n), usual: atoms(1n) };
  const bytesOf = (intent: string) => ({ intent: intent as IntentId, txHash: txHash(`0x${intent}`) }) as SignedTransfer;
  const { sign_transfer: sign } = transferHandlers({
    chain: () => ({
      ...{ facts: evmNetwork(ARBITRUM).facts, terms: async () => terms },
      broadcast: async ({ intent }: SignedTransfer) => void sent.push(intent),
    }),
    signer: { signTransfer: () => assert.fail('nothing is signed that would wait for ever') },
    screen: async () => 'clear',
    boundOf: async () => ({ goes: 'anywhere' }),
    books: {
      ...{ find: async () => REBALANCE, attempts: async () => [], lastDead: async () => undefined },
      ...{ unplanned: async () => undefined, takeNonce: async () => 7 },
      between: async () => [bytesOf('lost'), { ...bytesOf('late'), isRefused: true }],
    },
    clock: { now: () => instant(1) },
  } as unknown as TransferStage);
  const effect = { effect: 'sign_transfer', payment: REBALANCE.id, part: 'main', lane: '42161:hot' } as const;
  const signed = sign({ key: 'k', owner: 'treasury', effect, tries: 0, troubledSince: undefined });
  await assert.rejects(signed, { kind: 'transient', message: /0xlate was signed for late after .* is not sent/ });
  assert.deepEqual(sent, ['lost']);
});
