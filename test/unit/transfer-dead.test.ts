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

/** The desk's books and a chain whose height the story moves; the payment's machine and the signer, over its journal, are the real ones. */
function stage(t: TestContext, paid: Payment = PAYOUT, limits = LIMITS) {
  let payment = paid;
  const rows: Row[] = [];
  const told: AttemptStatus[] = [];
  const sent: TxHash[] = [];
  const { core, clock } = openBench(join(temporaryFolder(t), 'journal'), [RAIL, evmRail([ARBITRUM], EVM_KEYS)], limits);
  const state = { lastValid: 1_000, diesBurying: false, refuses: false };
  const chain = {
    facts: { ...solanaRules.facts, id: chainOf(paid.amount.asset) },
    terms: async (): Promise<Terms | Refused> =>
      state.refuses ? { refused: 'frozen' } : termsOf(paid, state.lastValid),
    broadcast: async ({ txHash }: SignedTransfer) => void sent.push(txHash),
    status: async () => told.shift() ?? { state: 'unknown' },
  } as unknown as Chain;
  const signTransfer: Signer['signTransfer'] = async (request) => {
    const answer = await core.transfer(bench.withPapers(request));
    if ('refused' in answer) throw new Fault('permanent', 'signer', `${answer.refused}: ${answer.detail}`);
    return answer;
  };
  const books = {
    find: async () => payment,
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
    ...{ rows, told, sent, state, keep, tell, clock },
    payment: () => payment,
    restore: (before: Payment) => {
      payment = before;
    },
    /** What the journal round does with bytes whose news was lost. */
    adopt: async () => {
      const attempt = await core.signedTransfer({ intent: paid.id });
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

const MINED = {
  ...{ state: 'mined', block: { height: 1, hash: 'block' }, depth: { have: 1, need: 1 } },
  ...{ settled: true, ok: true, cost: atoms(5_000n) },
} as const satisfies AttemptStatus;
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
  const { sign, watch, keep, tell, told, state, rows, expire, payment } = stage(t);
  keep(await sign());
  expire();
  state.refuses = true;
  told.push(DEAD);
  const dead = await watch();
  assert.match(heldBy(dead, present(rows[0], 'bytes')), /^its last block is final.*refused now: frozen/);
  assert.equal(rows[0]?.proof, undefined);
  assert.deepEqual([tell(dead), payment().state.state], [['watch_transfer'], 'held']);
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
  const { sign, watch, keep, told, rows, expire, payment, restore } = stage(t);
  keep(await sign());
  const backup = payment();
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  restore(backup);
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

/** A signer whose day holds two such payments. */
const NARROW: Limits = { ...LIMITS, otherAssets: { ...bench.NO_LIMIT, perDay: atoms(10_000_000n) } };
const DAY_MS = 24 * 3_600_000;

/** The first two lives of a payout used up the day, so that its bytes have no successor before tomorrow. */
async function heldByTheDay(t: TestContext) {
  const room = stage(t, PAYOUT, NARROW);
  const { sign, watch, keep, tell, told, expire, payment } = room;
  keep(await sign());
  expire();
  told.push(DEAD);
  const second = keep(await watch());
  expire();
  told.push(DEAD);
  const dead = await watch();
  assert.match(heldBy(dead, { attempt: second }), /over_daily_limit/);
  assert.deepEqual([tell(dead), payment().state.state], [['watch_transfer'], 'held']);
  told.push(DEAD);
  assert.deepEqual(await watch(), { againInMs: 60_000 }, 'the day is still full');
  return room;
}

test('what is held for the day’s limit is signed, saved and sent when there is room again', async (t) => {
  const { watch, send, tell, told, sent, clock, rows, payment, isOver } = await heldByTheDay(t);
  clock.advance(DAY_MS);
  told.push(DEAD);
  assert.deepEqual([tell(await watch()), payment().state.state], [['send_transfer'], 'signed']);
  assert.equal(rows.length, 3);
  assert.ok(isOver('payment_dead'), 'nobody need look any more');
  assert.deepEqual([tell(await send()), payment().state.state], [['watch_transfer'], 'sent']);
  assert.deepEqual(sent, [rows[2]?.attempt.txHash]);
  told.push(MINED);
  tell(await watch());
  assert.equal(payment().state.state, 'settled');
});

test('killed before those bytes were saved, they are asked for again, or adopted, and sent all the same', async (t) => {
  for (const isAdopted of [false, true]) {
    const { watch, send, tell, told, sent, clock, rows, state, adopt, payment } = await heldByTheDay(t);
    clock.advance(DAY_MS);
    state.diesBurying = true;
    told.push(DEAD);
    await assert.rejects(watch(), /killed/);
    state.diesBurying = false;
    if (isAdopted) await adopt();
    assert.deepEqual([tell(await watch()), payment().state.state], [['send_transfer'], 'signed']);
    await send();
    assert.equal(sent.at(-1), rows[2]?.attempt.txHash);
  }
});

test('what a customer was shown stays shown while the successor of its bytes is saved, sent and watched', async (t) => {
  const { sign, send, watch, keep, tell, told, sent, rows, expire, payment } = stage(t);
  const first = keep(await sign());
  tell(await send());
  // One block has it, and a fork takes it out again.
  told.push({ ...MINED, settled: false });
  tell(await watch());
  expire();
  told.push(DEAD);
  assert.deepEqual(tell(await watch()), ['watch_transfer']);
  const shown = payment().state;
  assert.ok(shown.state === 'confirmed' && shown.txHash === first.txHash);
  await watch();
  assert.equal(sent.at(-1), present(rows[1], 'a successor').attempt.txHash);
  told.push(MINED);
  tell(await watch());
  assert.deepEqual([payment().state.state, rows.length], ['settled', 2]);
});
