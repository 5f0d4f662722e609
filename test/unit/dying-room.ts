import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { inspect } from 'node:util';
import { base58 } from '@scure/base';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { bindDestination, type Checker } from '../../src/kernel/binding.ts';
import { AwaitsApproval, Fault } from '../../src/kernel/fault.ts';
import { type Address, chainOf, type TxHash } from '../../src/kernel/ids.ts';
import type { CaseKind } from '../../src/life/case/case.ts';
import type { Done } from '../../src/life/order/handling.ts';
import { advance } from '../../src/life/payment/advance.ts';
import { paymentCasesOver } from '../../src/life/payment/cases-over.ts';
import type { PaymentEffect } from '../../src/life/payment/effect.ts';
import { newPayment, type Payment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { Limits } from '../../src/signer/limits.ts';
import { evmRail } from '../../src/signer/rails/evm.ts';
import { solanaKeys, solanaRail } from '../../src/signer/rails/solana.ts';
import type { Signer } from '../../src/signer/request.ts';
import type { AttemptStatus, Chain, Refused, SignedTransfer, Terms } from '../../src/world/chains/chain.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { SOLANA_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import * as bench from './signer-bench.ts';

const { API, ARBITRUM, EVM_KEYS, TREE, ORDER, openBench, temporaryFolder } = bench;

const RAIL = solanaRail(solanaKeys(TREE));
const USDC = solanaToken(USDC_MINT);
const ALICE = RAIL.addressOf({ deposit: 77 }) as Address;
export const LIMITS: Limits = {
  ...bench.LIMITS,
  otherAssets: bench.NO_LIMIT,
  chains: { ...bench.LIMITS.chains, [SOLANA_ID]: bench.FREE_CHAIN },
};

export const PAYOUT: Payment = newPayment({
  ...{ owner: ORDER, purpose: { for: 'payout', number: 0 }, from: 'hot', source: `order:${ORDER}` },
  ...{ amount: amount(USDC, 5_000_000n), to: ALICE },
  binding: bindDestination(API, ORDER, 'payout', USDC, ALICE),
});

interface Row {
  readonly attempt: SignedTransfer;
  proof?: string;
}

/** The desk's books and a chain whose height the story moves; the payment's machine and the signer, over its journal, are the real ones. */
export function dyingRoom(
  t: TestContext,
  paid: Payment = PAYOUT,
  limits = LIMITS,
  approval: { above: 'unlimited'; approvers: Checker } | undefined = undefined,
) {
  let payment = paid;
  const rows: Row[] = [];
  const told: AttemptStatus[] = [];
  const sent: TxHash[] = [];
  /** Whose outputs may serve anybody. */
  const free: TxHash[] = [];
  const { core, clock } = openBench(
    join(temporaryFolder(t), 'journal'),
    [RAIL, evmRail([ARBITRUM], EVM_KEYS)],
    limits,
    bench.BINDERS,
    approval,
  );
  const state: { lastValid: number; diesBurying: boolean; refuses: boolean; approval?: string } = {
    ...{ lastValid: 1_000, diesBurying: false, refuses: false },
  };
  const chain = {
    facts: chainOf(paid.amount.asset) === SOLANA_ID ? solanaRules.facts : evmNetwork(ARBITRUM).facts,
    terms: async (): Promise<Terms | Refused> =>
      state.refuses ? { refused: 'frozen' } : termsOf(paid, state.lastValid),
    broadcast: async ({ txHash }: SignedTransfer) => void sent.push(txHash),
    status: async () => told.shift() ?? { state: 'unknown' },
  } as unknown as Chain;
  const signTransfer: Signer['signTransfer'] = async (request) => {
    const answer = await core.transfer(bench.withPapers(request));
    if ('refused' in answer && answer.refused === 'approval_awaited') throw new AwaitsApproval(answer.detail);
    if ('refused' in answer) throw new Fault('permanent', 'signer', `${answer.refused}: ${answer.detail}`);
    return answer;
  };
  const books = {
    find: async () => payment,
    attempts: async () => rows.flatMap(({ attempt, proof }) => (proof === undefined ? [attempt] : [])).reverse(),
    lastDead: async (): Promise<SignedTransfer | undefined> =>
      rows.findLast(({ proof }) => proof !== undefined)?.attempt,
    bury: async (dead: SignedTransfer, proof: string) => {
      for (const row of rows) if (row.attempt.txHash === dead.txHash) row.proof = proof;
      if (state.diesBurying) throw new Error('killed');
    },
    letGo: async ({ txHash }: SignedTransfer) => void free.push(txHash),
    takeNonce: async () => 7,
    returnNonce: async () => {},
    claimTransaction: async () => true,
    adopted: async () => undefined,
    gasOf: async () => 0n,
    hasNonce: async () => false,
    unplanned: async () => undefined,
    approval: async () => state.approval,
    between: async () => [],
  };
  const handlers = transferHandlers({
    chain: () => chain,
    signer: { signTransfer, signedTransfer: (intent) => core.signedTransfer({ intent }) } as Signer,
    screen: async () => 'clear',
    boundOf: async () => ({ goes: 'anywhere' }),
    books,
    clock,
    inAsset: () => assert.fail('no refund is priced'),
    bindAmount: () => assert.fail('there is no order here'),
    fill: () => assert.fail('nothing is bought'),
  });
  const job = { key: 'k', owner: ORDER, tries: 0, troubledSince: undefined } as const;
  const about = { payment: paid.id, part: 'main' } as const;
  /** As the engine does: bytes are saved with the fact that tells of them, and a fact that is ignored saves nothing. */
  const tell = (done: Done): readonly PaymentEffect['effect'][] | 'ignore' => {
    assert.ok(typeof done === 'object' && 'fact' in done && 'payment' in done.fact, inspect(done));
    const advanced = advance(payment, done.fact);
    if (advanced === 'ignore') return 'ignore';
    const { attempt } = done;
    if (attempt && !rows.some((row) => row.attempt.txHash === attempt.txHash)) rows.push({ attempt });
    payment = advanced.payment;
    return advanced.effects.map(({ effect }) => effect);
  };
  const keep = (done: Done): SignedTransfer => {
    assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'transfer_signed', inspect(done));
    assert.ok(done.attempt && done.attempt.txHash === done.fact.txHash);
    tell(done);
    assert.ok(
      rows.some(({ attempt }) => attempt.txHash === done.attempt?.txHash),
      'what was signed is saved',
    );
    return done.attempt;
  };
  return {
    ...{ rows, told, sent, free, state, keep, tell, clock },
    payment: () => payment,
    restore: (before: Payment) => {
      payment = before;
    },
    /** What the journal round does with bytes whose news was lost. */
    adopt: async () => {
      const attempt = (await core.signedTransfer({ intent: paid.id }))?.bytes;
      if (attempt && !rows.some((row) => row.attempt.txHash === attempt.txHash)) rows.push({ attempt });
    },
    isOver: (kind: CaseKind) => paymentCasesOver(payment).some((one) => one.case === kind),
    /** Longer than bytes live: later blocks, and another time on the signer's clock. */
    expire: () => {
      state.lastValid += 151;
      clock.advance(5 * 60_000 + 1);
    },
    sign: () => handlers.sign_transfer({ ...job, effect: { effect: 'sign_transfer', lane: 'l', ...about } }),
    send: () => handlers.send_transfer({ ...job, effect: { effect: 'send_transfer', ...about } }),
    watch: () => handlers.watch_transfer({ ...job, effect: { effect: 'watch_transfer', ...about } }),
  };
}

function termsOf({ amount: { asset } }: Payment, lastValid: number): Terms {
  const [cost, usual] = [atoms(5_000n), atoms(5_000n)];
  const evm = { gas: '90000', maxFeePerGas: '100000000', maxPriorityFeePerGas: '1000000' };
  if (asset !== USDC) return { nonce: 7, fee: evm, cost, usual };
  const blockhash = base58.encode(new Uint8Array(32).fill(lastValid % 251));
  const fee = {
    blockhash,
    lastValidBlockHeight: String(lastValid),
    unitLimit: '80000',
    unitPrice: '1',
    accountRent: '0',
  };
  return { nonce: undefined, fee, cost, usual };
}

export const MINED = {
  ...{ state: 'mined', block: { height: 1, hash: 'block' }, depth: { have: 1, need: 1 } },
  ...{ settled: true, ok: true, cost: atoms(5_000n) },
} as const satisfies AttemptStatus;
export const DEAD: AttemptStatus = { state: 'dead', proof: 'its last block is final, and it is in none' };

/** A person must look: what the order is told of the dead bytes. */
export function heldBy(done: Done, { attempt }: { readonly attempt: SignedTransfer }): string {
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'transfer_dead', inspect(done));
  assert.equal(done.fact.txHash, attempt.txHash);
  assert.equal(done.attempt, undefined, 'nothing was signed');
  return done.fact.proof;
}
