import assert from 'node:assert/strict';
import type { Atoms } from '../../../kernel/amount.ts';
import { type Address, intentId } from '../../../kernel/ids.ts';
import type { AttemptStatus, SignedTransfer, Transfer } from '../chain.ts';
import type { BenchRequest, ChainBench } from './bench.ts';

/** Blocks a transaction may wait for before the suite says that it will never be mined. */
const PATIENCE_BLOCKS = 5;
/** No chain of ours settles later than this. */
const SETTLED_WITHIN_BLOCKS = 100;

export type Mined = Extract<AttemptStatus, { state: 'mined' }>;

export interface Payout {
  readonly request: BenchRequest;
  readonly signed: SignedTransfer;
}

export async function signPayout(bench: ChainBench, to: Address, amount: Atoms, leg: number): Promise<SignedTransfer> {
  return (await payoutOf(bench, to, amount, leg)).signed;
}

/** By the chain's own terms; with `held`, by those that take its place. */
export async function payoutOf(
  { chain, asset, sign }: ChainBench,
  to: Address,
  amount: Atoms,
  leg: number,
  held?: SignedTransfer,
): Promise<Payout> {
  const transfer: Transfer = { from: 'hot', asset: asset.id, atoms: amount, to };
  const terms = await chain.terms(transfer, held);
  assert.ok(!('refused' in terms), 'the chain refuses an ordinary destination');
  const request: BenchRequest = {
    ...transfer,
    intent: intentId('treasury', 'payout', leg),
    kind: 'payout',
    owner: 'treasury',
    chainId: chain.facts.id,
    fee: terms.fee,
    ...(terms.nonce === undefined ? {} : { nonce: terms.nonce }),
  };
  const signed = await sign(request);
  assert.ok(signed.cost <= terms.cost, 'what is signed costs no more than the terms said');
  return { request, signed };
}

/** Its standing in a block; mines a few more if it is not there yet. */
export async function untilMined({ chain, mine }: ChainBench, attempt: SignedTransfer): Promise<Mined> {
  for (let waited = 0; waited < PATIENCE_BLOCKS; waited += 1) {
    const status = await chain.status(attempt);
    if (status.state === 'mined') return status;
    assert.notEqual(status.state, 'dead');
    await mine(1);
  }
  return assert.fail(`${attempt.txHash} was not mined within ${PATIENCE_BLOCKS} blocks`);
}

export async function untilSettled(bench: ChainBench, attempt: SignedTransfer): Promise<Mined> {
  for (let waited = 0; waited < SETTLED_WITHIN_BLOCKS; waited += 1) {
    const status = await untilMined(bench, attempt);
    if (status.settled) return status;
    await bench.mine(1);
  }
  return assert.fail(`${attempt.txHash} was not settled within ${SETTLED_WITHIN_BLOCKS} blocks`);
}
