import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import type { Instant } from '../../src/kernel/clock.ts';
import { Fault, Unasked } from '../../src/kernel/fault.ts';
import type { IntentId, OrderId, TxHash } from '../../src/kernel/ids.ts';
import type { Case } from '../../src/life/case/case.ts';
import { type Advanced, advance, opened } from '../../src/life/payment/advance.ts';
import type { PaymentEffect } from '../../src/life/payment/effect.ts';
import { newPayment, type Payment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { AgreedDeal } from '../../src/life/transfer/stage.ts';
import type { Limits } from '../../src/signer/limits.ts';
import type { Signer } from '../../src/signer/request.ts';
import type { AttemptStatus, Chain, SignedTransfer, Terms } from '../../src/world/chains/chain.ts';
import { decodeEvm, outbidding } from '../../src/world/chains/evm/codec.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { ALICE, API, ARBITRUM, LIMITS, openBench, temporaryFolder, USDC, withPapers } from './signer-bench.ts';

export const payoutOf = (owner: OrderId): Payment =>
  newPayment({
    ...{ owner, purpose: { for: 'payout', number: 0 }, from: 'hot', source: `order:${owner}` },
    ...{ amount: amount(USDC, 5_000_000n), to: ALICE },
    binding: bindDestination(API, owner, 'payout', USDC, ALICE),
  });

type Mined = Extract<AttemptStatus, { state: 'mined' }>;

const GAS = 90_000n;
/** Of one unit of gas; what replaces it must outbid it. */
const PRICE = 100_000_000n;
/** The node's next nonce of every account, unless a story says otherwise. */
const NONCE = 7;

/**
 * Payments with their real machine, handlers and signer, over books and a chain that a story moves by hand. Whatever happens is
 * noted in `log`, in its order; versions of the bytes of one intent are numbered from nought.
 */
export function transferRoom(t: TestContext, costCap?: bigint) {
  const cost = atoms(costCap ?? 10n ** 16n);
  const limits: Limits = { ...LIMITS, chains: { ...LIMITS.chains, [ARBITRUM]: { gas: cost, cost } } };
  const { core, clock } = openBench(join(temporaryFolder(t), 'journal'), undefined, limits);
  const log: string[] = [];
  const told: Case[] = [];
  const payments = new Map<IntentId, Payment>();
  const saved: { readonly signed: SignedTransfer; proof?: string }[] = [];
  const nonces = new Map<IntentId, number>();
  const pool = new Set<TxHash>();
  const shown = new Map<TxHash, AttemptStatus>();
  const node: { nonce: number; objection?: string | undefined; until?: Instant | undefined } = { nonce: NONCE };
  /** Addresses that screening refuses from now on. */
  const listed = new Set<string>();
  /** What the house agreed to buy, by its number. */
  const fills = new Map<number, AgreedDeal>();
  /** Intents whose next bytes nobody hears of. */
  const lost = new Set<IntentId>();
  /** Intents that a breaker holds. */
  const held = new Set<IntentId>();
  let work: { readonly effect: PaymentEffect; tries: number; due: number; trouble?: string | undefined }[] = [];

  const versionOf = ({ intent, txHash }: SignedTransfer): string => {
    const versions = saved.filter(({ signed }) => signed.intent === intent).map(({ signed }) => signed.txHash);
    assert.ok(versions.includes(txHash), `${intent} was sent before it was saved`);
    return `${intent.split(':').slice(1).join(' ')} v${versions.indexOf(txHash)}`;
  };
  const chain = {
    facts: evmNetwork(ARBITRUM).facts,
    async terms({ until }, replacing): Promise<Terms> {
      node.until = until;
      const held = replacing && decodeEvm(replacing.raw);
      const [most, tip] = held
        ? [outbidding(held.maxFeePerGas), outbidding(held.maxPriorityFeePerGas)]
        : [PRICE, PRICE / 100n];
      const fee = { gas: `${GAS}`, maxFeePerGas: `${most}`, maxPriorityFeePerGas: `${tip}` };
      return { nonce: held?.nonce ?? node.nonce, fee, cost: atoms(GAS * most), usual: atoms(GAS * PRICE) };
    },
    async broadcast(signed) {
      log.push(`sent ${versionOf(signed)}`);
      if (node.objection === undefined) pool.add(signed.txHash);
      return node.objection;
    },
    status: async ({ txHash }) => shown.get(txHash) ?? { state: pool.has(txHash) ? 'pool' : 'unknown' },
  } as Pick<Chain, 'facts' | 'terms' | 'broadcast' | 'status'> as Chain;

  const signTransfer: Signer['signTransfer'] = async (request) => {
    if (held.has(request.intent)) throw new Unasked('transient', 'breaker', 'payouts are held');
    const answer = await core.transfer(withPapers(request));
    if ('refused' in answer) throw new Fault('permanent', 'signer', `${answer.refused}: ${answer.detail}`);
    log.push(`signed ${request.kind} ${request.nonce}`);
    if (lost.delete(request.intent)) throw new Fault('transient', 'signer', 'ECONNRESET');
    return answer;
  };
  const living = (intent: IntentId) =>
    saved.flatMap(({ signed, proof }) => (signed.intent === intent && proof === undefined ? [signed] : []));
  const handlers = transferHandlers({
    chain: () => chain,
    signer: { signTransfer, signedTransfer: (intent) => core.signedTransfer({ intent }) } as Signer,
    boundOf: async () => ({ goes: 'anywhere' }),
    screen: async (_, addresses) => (addresses.some((one) => listed.has(one)) ? 'hit' : 'clear'),
    clock,
    inAsset: () => assert.fail('no refund is priced'),
    bindAmount: () => assert.fail('there is no order here'),
    fill: async (number) => fills.get(number),
    books: {
      find: async (id) => payments.get(id),
      attempts: async (intent) => living(intent).reverse(),
      lastDead: async (intent) =>
        saved.findLast(({ signed, proof }) => signed.intent === intent && proof !== undefined)?.signed,
      async bury({ txHash }, proof) {
        for (const one of saved) if (one.signed.txHash === txHash) one.proof = proof;
      },
      letGo: async () => assert.fail('nothing expires here'),
      async takeNonce(intent, _chain, _account, atLeast) {
        const own = nonces.get(intent) ?? Math.max(atLeast, ...[...nonces.values()].map((used) => used + 1));
        nonces.set(intent, own);
        return own;
      },
      claimTransaction: async () => true,
      adopted: async () => undefined,
      gasOf: async () => 0n,
      hasNonce: async (intent) => nonces.has(intent),
      unplanned: async () => undefined,
      approval: async () => undefined,
      returnNonce: async (intent) => void nonces.delete(intent),
      async between(_chain, _account, first, end) {
        const gap = [...nonces].filter(([, nonce]) => nonce >= first && nonce < end).sort(([, a], [, b]) => a - b);
        return gap.flatMap(([intent]) => living(intent).slice(-1));
      },
    },
  });

  const take = ({ payment, effects, cases, heard }: Advanced): void => {
    payments.set(payment.id, payment);
    for (const effect of effects) work.push({ effect, tries: 0, due: 0 });
    told.push(...cases);
    log.push(...cases.map((one) => `case ${one.case}`), ...heard.map((one) => `heard ${one.heard}`));
  };

  const carryOut = (effect: PaymentEffect, tries: number) => {
    const job = {
      key: 'k',
      owner: present(payments.get(effect.payment), 'payment').owner,
      tries,
      troubledSince: undefined,
    };
    if (effect.effect === 'sign_transfer') return handlers.sign_transfer({ ...job, effect });
    if (effect.effect === 'send_transfer') return handlers.send_transfer({ ...job, effect });
    assert.ok(effect.effect === 'watch_transfer');
    return handlers.watch_transfer({ ...job, effect });
  };

  return {
    log,
    clock,
    node,
    listed,
    fills,
    lost,
    held,
    /** Why the last payment was called stuck, in the words of the case. */
    stuckFor: () => {
      const last = present(told.at(-1), 'a case');
      return last.case === 'payment_stuck' ? last.reason : assert.fail(last.case);
    },
    nonceOf: (intent: IntentId) => nonces.get(intent),
    payment: (id: IntentId) => present(payments.get(id), id),
    versions: (intent: IntentId) => living(intent),
    open: (payment: Payment) => take(opened(payment)),
    /** Carries out all that is due now, as the engine does; gives what happened meanwhile. */
    async work(): Promise<readonly string[]> {
      const before = log.length;
      for (let steps = 0; ; steps += 1) {
        const next = work.find(({ due }) => due <= clock.now());
        if (!next) return log.slice(before);
        assert.ok(steps < 50, `no end of it: ${log.slice(-6).join(', ')}`);
        const done = await carryOut(next.effect, next.tries);
        if (done === 'done') {
          work = work.filter((one) => one !== next);
          continue;
        }
        if ('againInMs' in done) {
          next.tries += 1;
          next.due = clock.now() + done.againInMs;
          if (done.trouble !== next.trouble) log.push(`trouble ${done.trouble ?? 'is over'}`);
          next.trouble = done.trouble;
          continue;
        }
        work = work.filter((one) => one !== next);
        const { fact, attempt } = done;
        assert.ok('payment' in fact);
        const advanced = advance(present(payments.get(fact.payment), fact.payment), fact);
        // A fact that is ignored saves nothing.
        const isNew = advanced !== 'ignore' && attempt && !saved.some(({ signed }) => signed.txHash === attempt.txHash);
        if (isNew) saved.push({ signed: attempt });
        if (isNew) log.push(`saved ${versionOf(attempt)}`);
        log.push(`told ${fact.fact}`);
        if (advanced !== 'ignore') take(advanced);
      }
    },
    /** Whether anything is still to be done, now or later. */
    isWaiting: () => work.length > 0,
    /** Everybody looks again after so long. */
    wait: (ms: number) => clock.advance(ms),
    mine(txHash: TxHash, how: Partial<Mined> = {}): void {
      const block = { height: 1, hash: 'block' };
      const depth = { have: 1, need: 1 };
      shown.set(txHash, { state: 'mined', block, depth, settled: false, ok: true, cost: atoms(3n), ...how });
    },
    /** Neither in a block nor in the pool. */
    forget(txHash: TxHash): void {
      shown.delete(txHash);
      pool.delete(txHash);
    },
    kill: (txHash: TxHash, proof: string) => void shown.set(txHash, { state: 'dead', proof }),
  };
}
