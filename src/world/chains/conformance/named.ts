import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inspect } from 'node:util';
import { atoms } from '../../../kernel/amount.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { PaidBy, Refused, Transfer } from '../chain.ts';
import type { ChainBench } from './bench.ts';
import { signPayout, untilMined, untilSettled } from './signing.ts';

/** Whatever a person names is checked against the chain: only what made exactly this transfer settles it. */
export function namedStories(bench: () => ChainBench): void {
  it('tells whether a transaction that somebody names made exactly this transfer', async () => {
    const { chain, asset, unit, freshDestination } = bench();
    const to = await freshDestination();
    const transfer: Transfer = { from: 'hot', asset: asset.id, atoms: unit, to };
    const attempt = await signPayout(bench(), to, unit, 21);
    await chain.broadcast(attempt);
    const mined = await untilMined(bench(), attempt);
    const hash = mined.txHash ?? attempt.txHash;
    const young = paid(await chain.paidBy(transfer, hash));
    assert.deepEqual(young, { txHash: hash, settled: mined.settled, cost: mined.cost });
    const { cost } = await untilSettled(bench(), attempt);
    assert.deepEqual(paid(await chain.paidBy(transfer, hash)), { txHash: hash, settled: true, cost });

    for (const other of [
      { ...transfer, atoms: atoms(unit + 1n) },
      { ...transfer, atoms: atoms(unit - 1n) },
      { ...transfer, to: await freshDestination() },
    ])
      refused(await chain.paidBy(other, hash));
    const unknown = hash.replace(/.$/, (last) => (last === '1' ? '2' : '1'));
    for (const wrong of [unknown, '', 'nothing', hash.slice(1), `${hash}0`, "'; --"])
      refused(await chain.paidBy(transfer, wrong));
  });

  it('takes nobody else’s payment for ours', async () => {
    const { chain, asset, unit, pay, mine } = bench();
    const [to] = await chain.depositAddresses(60, 1);
    const { txHash } = await pay(to as Address, unit);
    await mine(1);
    refused(await chain.paidBy({ from: 'hot', asset: asset.id, atoms: unit, to: to as Address }, txHash));
  });
}

function paid(answer: PaidBy | Refused): PaidBy {
  assert.ok('settled' in answer, inspect(answer));
  return answer;
}

function refused(answer: PaidBy | Refused): void {
  assert.ok('refused' in answer && answer.refused.length > 0, inspect(answer));
}
