import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { base58 } from '@scure/base';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, chainOf, type TxHash } from '../../src/kernel/ids.ts';
import type { Done } from '../../src/life/order/handling.ts';
import { newPayment, type Payment } from '../../src/life/payment/payment.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { Limits } from '../../src/signer/limits.ts';
import { evmRail } from '../../src/signer/rails/evm.ts';
import { solanaKeys, solanaRail } from '../../src/signer/rails/solana.ts';
import type { Signer } from '../../src/signer/request.ts';
import type { AttemptStatus, Chain, Refused, SignedTransfer, Terms } from '../../src/world/chains/chain.ts';
import { SOLANA_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import * as bench from './signer-bench.ts';

const { API, ARBITRUM, EVM_KEYS, TREE, ORDER, openBench, temporaryFolder } = bench;

const RAIL = solanaRail(solanaKeys(TREE));
const USDC = solanaToken(USDC_MINT);
const ALICE = RAIL.addressOf({ deposit: 77 }) as Address;
const LIMITS: Limits = {
  ...bench.LIMITS,
  otherAssets: bench.NO_LIMIT,
  chains: { ...bench.LIMITS.chains, [SOLANA_ID]: bench.FREE_CHAIN },
};

const PAYOUT: Payment = newPayment({
  ...{ owner: ORDER, purpose: { for: 'payout', number: 0 }, from: 'hot', source: `order:${ORDER}` },
  ...{ amount: amount(USDC, 5_000_000n), to: ALICE },
  binding: bindDestination(API, ORDER, 'payout', USDC, ALICE),
});

interface Row {
  readonly attempt: SignedTransfer;
  proof?: string;
}

/** The desk's books and a chain whose height the story moves; the signer is the real one, over its journal. */
function stage(t: TestContext, paid: Payment = PAYOUT) {
  const rows: Row[] = [];
  const told: AttemptStatus[] = [];
  const { core, clock } = openBench(join(temporaryFolder(t), 'journal'), [RAIL, evmRail([ARBITRUM], EVM_KEYS)], LIMITS);
  const state = { lastValid: 1_000, diesBurying: false, refuses: false };
  const chain = {
    facts: { ...solanaRules.facts, id: chainOf(paid.amount.asset) },
    terms: async (): Promise<Terms | Refused> =>
      state.refuses ? { refused: 'frozen' } : termsOf(paid, state.lastValid),
    broadcast: async () => {},
    status: async () => told.shift() ?? { state: 'unknown' },
  } as unknown as Chain;
  const signTransfer: Signer['signTransfer'] = async (request) => {
    const answer = await core.transfer(bench.withPapers(request));
    if ('refused' in answer) throw new Fault('permanent', 'signer', `${answer.refused}: ${answer.detail}`);
    return answer;
  };
  const books = {
    find: async () => paid,
    attempts: async () => rows.flatMap(({ attempt, proof }) => (proof === undefined ? [attempt] : [])).reverse(),
    lastDead: async (): Promise<TxHash | undefined> =>
      rows.findLast(({ proof }) => proof !== undefined)?.attempt.txHash,
    bury: async (dead: SignedTransfer, proof: string) => {
      for (const row of rows) if (row.attempt.txHash === dead.txHash) row.proof = proof;
      if (state.diesBurying) throw new Error('killed');
    },
    takeNonce: async () => 7,
    returnNonce: async () => {},
    claimTransaction: async () => true,
    adopted: async () => undefined,
    gasOf: async () => 0n,
    hasNonce: async () => false,
    unplanned: async () => undefined,
    approval: async () => undefined,
    between: async () => [],
  };
  const handlers = transferHandlers({
    chain: () => chain,
    signer: { signTransfer } as Signer,
    screen: async () => 'clear',
    books,
    clock,
    inAsset: () => assert.fail('no refund is priced'),
    bindAmount: () => assert.fail('there is no order here'),
    fill: () => assert.fail('nothing is bought'),
  });
  const job = { key: 'k', owner: ORDER, tries: 0, troubledSince: undefined } as const;
  const about = { payment: paid.id, part: 'main' } as const;
  const keep = (done: Done): SignedTransfer => {
    assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'transfer_signed', inspect(done));
    assert.ok(done.attempt && done.attempt.txHash === done.fact.txHash);
    if (!rows.some(({ attempt }) => attempt.txHash === done.attempt?.txHash)) rows.push({ attempt: done.attempt });
    return done.attempt;
  };
  return {
    ...{ rows, told, state, keep },
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

const DEAD: AttemptStatus = { state: 'dead', proof: 'its last block is final, and it is in none' };

/** A person must look: what the order is told of the dead bytes. */
function heldBy(done: Done, { attempt }: { readonly attempt: SignedTransfer }): string {
  assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'transfer_dead', inspect(done));
  assert.equal(done.fact.txHash, attempt.txHash);
  assert.equal(done.attempt, undefined, 'nothing was signed');
  return done.fact.proof;
}

test('bytes whose time is over are buried with their proof and followed by others', async (t) => {
  const { sign, watch, keep, told, rows, expire } = stage(t);
  const first = keep(await sign());
  told.push(DEAD);
  await assert.rejects(watch(), { kind: 'transient', message: /still paid by/ }, 'the signer waits by its own clock');
  assert.equal(rows[0]?.proof, undefined);
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  assert.notEqual(second.txHash, first.txHash);
  assert.equal(rows[0]?.proof, DEAD.state === 'dead' && DEAD.proof);
  assert.deepEqual(keep(await sign()), second, 'what is buried is not found again');
});

test('where the destination is refused since, a person must look: the signer may have made other bytes', async (t) => {
  const { sign, watch, keep, told, state, rows, expire } = stage(t);
  keep(await sign());
  expire();
  state.refuses = true;
  told.push(DEAD);
  assert.match(heldBy(await watch(), present(rows[0], 'bytes')), /^its last block is final.*refused now: frozen/);
  assert.equal(rows[0]?.proof, undefined);
  state.refuses = false;
  told.push(DEAD);
  assert.notEqual(keep(await watch()).txHash, rows[0]?.attempt.txHash);
});

test('killed between burying and saving, whoever comes next saves the bytes that were signed', async (t) => {
  const { sign, send, watch, keep, told, state, rows, expire } = stage(t);
  keep(await sign());
  expire();
  state.diesBurying = true;
  told.push(DEAD);
  await assert.rejects(watch(), /killed/);
  expire();
  const answers = [await sign(), await send(), await watch()].map(keep);
  assert.equal(new Set(answers.map(({ raw }) => raw)).size, 1);
  assert.equal(rows.length, 2);
});

test('books from an old backup, which know the first bytes alone, learn of the second before there is a third', async (t) => {
  const { sign, watch, keep, told, rows, expire } = stage(t);
  keep(await sign());
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  rows.splice(1);
  for (const row of rows) delete row.proof;
  expire();
  told.push(DEAD);
  assert.deepEqual(keep(await watch()), second);
});

test('where another transaction took the nonce, a person must look', async (t) => {
  const to = bench.ALICE;
  const binding = bindDestination(API, ORDER, 'payout', bench.USDC, to);
  const { sign, watch, keep, told, rows } = stage(t, { ...PAYOUT, amount: amount(bench.USDC, 5n), to, binding });
  keep(await sign());
  told.push(DEAD);
  assert.match(heldBy(await watch(), present(rows[0], 'bytes')), /^its last block is final.*; never_expires: /);
  assert.equal(rows[0]?.proof, undefined);
});
