import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { base58 } from '@scure/base';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, chainOf, type TxHash } from '../../src/kernel/ids.ts';
import type { Intent } from '../../src/life/order/effect.ts';
import type { Done } from '../../src/life/order/handling.ts';
import { payoutHandlers } from '../../src/life/payment/handlers.ts';
import type { Limits } from '../../src/signer/limits.ts';
import { evmRail } from '../../src/signer/rails/evm.ts';
import { solanaKeys, solanaRail } from '../../src/signer/rails/solana.ts';
import type { Signer } from '../../src/signer/request.ts';
import type { AttemptStatus, Chain, Refused, SignedTransfer, Terms } from '../../src/world/chains/chain.ts';
import { SOLANA_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import * as bench from './signer-bench.ts';

const { ARBITRUM, BINDING_KEY, EVM_KEYS, TREE, ORDER, intent, openBench, temporaryFolder } = bench;

const RAIL = solanaRail(solanaKeys(TREE));
const USDC = solanaToken(USDC_MINT);
const ALICE = RAIL.addressOf({ deposit: 77 }) as Address;
const LIMITS: Limits = {
  ...bench.LIMITS,
  otherAssets: { perTransfer: 'unlimited', perDay: 'unlimited' },
  chains: { ...bench.LIMITS.chains, [SOLANA_ID]: { gas: 'unlimited', cost: 'unlimited' } },
};

const PAYOUT: Intent = {
  ...{ id: intent(`${ORDER}:payout:0`), owner: ORDER, kind: 'payout', leg: 0, from: 'hot', state: 'reserved' },
  ...{ amount: amount(USDC, 5_000_000n), to: ALICE, toDeposit: undefined, nonce: undefined },
  binding: bindDestination(BINDING_KEY, ORDER, 'payout', USDC, ALICE),
};

interface Row {
  readonly attempt: SignedTransfer;
  proof?: string;
}

/** The desk's books and a chain whose height the story moves; the signer is the real one, over its journal. */
function stage(t: TestContext, paid: Intent = PAYOUT) {
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
    const answer = await core.transfer(request);
    if ('refused' in answer) throw new Fault('permanent', 'signer', `${answer.refused}: ${answer.detail}`);
    return answer;
  };
  const books = {
    find: async () => paid,
    attempt: async () => rows.findLast(({ proof }) => proof === undefined)?.attempt,
    lastDead: async (): Promise<TxHash | undefined> =>
      rows.findLast(({ proof }) => proof !== undefined)?.attempt.txHash,
    bury: async (dead: SignedTransfer, proof: string) => {
      for (const row of rows) if (row.attempt.txHash === dead.txHash) row.proof = proof;
      if (state.diesBurying) throw new Error('killed');
    },
    takeNonce: async () => 7,
    returnNonce: async () => {},
  };
  const handlers = payoutHandlers({ chain: () => chain, signer: { signTransfer } as Signer, books, clock });
  const job = { key: 'k', owner: ORDER, tries: 0 } as const;
  const keep = (done: Done): SignedTransfer => {
    assert.ok(typeof done === 'object' && 'fact' in done && done.fact.fact === 'intent_signed', inspect(done));
    assert.ok(done.attempt && done.attempt.txHash === done.fact.txHash);
    if (!rows.some(({ attempt }) => attempt.txHash === done.attempt?.txHash)) rows.push({ attempt: done.attempt });
    return done.attempt;
  };
  return {
    ...{ rows, told, state, keep },
    sign: () => handlers.sign_intent({ ...job, effect: { effect: 'sign_intent', intent: paid.id, lane: 'l' } }),
    send: () => handlers.send_intent({ ...job, effect: { effect: 'send_intent', intent: paid.id } }),
    confirm: () => handlers.confirm_intent({ ...job, effect: { effect: 'confirm_intent', intent: paid.id } }),
  };
}

function termsOf({ amount: { asset } }: Intent, lastValid: number): Terms {
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

test('bytes whose time is over are buried with their proof and followed by others', async (t) => {
  const { sign, confirm, keep, told, state, rows } = stage(t);
  const first = keep(await sign());
  told.push(DEAD);
  await assert.rejects(confirm(), { kind: 'transient', message: /still paid by/ }, 'terms of a node that is behind');
  assert.equal(rows[0]?.proof, undefined);
  state.lastValid = 1_151;
  told.push(DEAD);
  const second = keep(await confirm());
  assert.notEqual(second.txHash, first.txHash);
  assert.equal(rows[0]?.proof, DEAD.state === 'dead' && DEAD.proof);
  assert.deepEqual(keep(await sign()), second, 'what is buried is not found again');
});

test('where the destination is refused since, a person must look: the signer may have made other bytes', async (t) => {
  const { sign, confirm, keep, told, state, rows } = stage(t);
  keep(await sign());
  Object.assign(state, { lastValid: 1_151, refuses: true });
  told.push(DEAD);
  await assert.rejects(confirm(), { kind: 'permanent', message: /refused now: frozen/ });
  assert.equal(rows[0]?.proof, undefined);
  state.refuses = false;
  told.push(DEAD);
  assert.notEqual(keep(await confirm()).txHash, rows[0]?.attempt.txHash);
});

test('killed between burying and saving, whoever comes next saves the bytes that were signed', async (t) => {
  const { sign, send, confirm, keep, told, state, rows } = stage(t);
  keep(await sign());
  state.lastValid = 1_151;
  state.diesBurying = true;
  told.push(DEAD);
  await assert.rejects(confirm(), /killed/);
  state.lastValid = 9_999;
  const answers = [await sign(), await send(), await confirm()].map(keep);
  assert.equal(new Set(answers.map(({ raw }) => raw)).size, 1);
  assert.equal(rows.length, 2);
});

test('books from an old backup, which know the first bytes alone, learn of the second before there is a third', async (t) => {
  const { sign, confirm, keep, told, state, rows } = stage(t);
  keep(await sign());
  state.lastValid = 1_151;
  told.push(DEAD);
  const second = keep(await confirm());
  rows.splice(1);
  for (const row of rows) delete row.proof;
  state.lastValid = 9_999;
  told.push(DEAD);
  assert.deepEqual(keep(await confirm()), second);
});

test('where another transaction took the nonce, a person must look', async (t) => {
  const to = bench.ALICE;
  const binding = bindDestination(BINDING_KEY, ORDER, 'payout', bench.USDC, to);
  const { sign, confirm, keep, told, rows } = stage(t, { ...PAYOUT, amount: amount(bench.USDC, 5n), to, binding });
  keep(await sign());
  told.push(DEAD);
  await assert.rejects(confirm(), { kind: 'permanent', message: /can never be paid by .*never_expires/ });
  assert.equal(rows[0]?.proof, undefined);
});
