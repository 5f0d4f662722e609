import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import * as bench from './signer-bench.ts';

const { openBench, payout, intent, temporaryFolder } = bench;

test('what its charter names is paid without another word: for that purpose, in that asset and for that order', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const told = async (request: TransferRequest) => {
    const answer = await core.transfer(request);
    return 'refused' in answer ? answer.refused : 'signed';
  };
  const back = { purpose: 'refund', asset: bench.USDC, address: bench.PROVIDER } as const;
  const deal = { purpose: 'fund', asset: bench.USDC, address: bench.MALLORY } as const;
  const charter = bench.charter(bench.ORDER, bench.USDC, bench.ALICE, bench.VAST, [back, deal]);
  const { binding: _, ...paid } = payout({ charter });
  const named = (kind: 'payout' | 'refund' | 'fee' | 'fund', change: Partial<TransferRequest> = {}) => ({
    ...{ ...paid, kind, intent: intent(`${bench.ORDER}:${kind}:1`), ...change },
  });
  assert.equal(await told(named('refund')), 'unbound_destination', 'the customer’s address for another purpose');
  assert.equal(await told(named('payout', { asset: bench.ETH })), 'unbound_destination');
  const other = { owner: bench.OTHER_ORDER, intent: intent(`${bench.OTHER_ORDER}:payout:1`) };
  assert.equal(await told(named('payout', other)), 'unknown_order');
  assert.equal(await told(named('payout', { to: bench.PROVIDER })), 'unbound_destination');
  assert.equal(await told(named('refund', { to: bench.PROVIDER, asset: bench.ETH })), 'unbound_destination');
  assert.equal(await told(named('fund', { to: bench.MALLORY })), 'unbound_destination', 'who takes orders deals not');
  assert.equal(await told(named('payout', { atoms: atoms(1n) })), 'signed');
  assert.equal(await told(named('refund', { to: bench.PROVIDER, atoms: atoms(1n), nonce: 8 })), 'signed');
});
