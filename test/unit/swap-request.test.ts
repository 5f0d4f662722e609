import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiDeps } from '../../src/api/deps.ts';
import { readSwapRequest } from '../../src/api/swap-request.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import type { PartnerCaller } from '../../src/partners/key-authentication.ts';
import type { Asset, ChainFacts } from '../../src/world/chains/chain.ts';
import { catalogOf, XMR } from './quote-room.ts';

const partner = {
  integrationId: 'int_a',
  feePercent: 1,
  feeAddress: '0xfee',
  feeAddressSol: 'sol',
  feeAddressBtc: 'btc',
};

test('an integrator is paid where the source chain says, and not at all where it has no address', () => {
  const [like] = catalogOf().chains();
  if (!like) return assert.fail('no chain');
  const paidAt = (feeField: ChainFacts['feeField']) => {
    const rules = { ...like, facts: { ...like.facts, feeField } };
    const catalog = { ...catalogOf(), chain: () => rules };
    const { chainId, token } = like.facts.assets[0] as Asset;
    const wish = { fromChainId: chainId, fromToken: token, toChainId: XMR.chainId, toToken: 'XMR', fromAmount: '1' };
    const request = readSwapRequest(wish, partner as unknown as PartnerCaller, { catalog } as unknown as ApiDeps);
    return isRefusal(request) ? assert.fail(request.message) : request.integrator?.payoutAddress;
  };
  assert.deepEqual((['feeAddress', 'feeAddressSol', 'feeAddressBtc', undefined] as const).map(paidAt), [
    '0xfee',
    'sol',
    'btc',
    undefined,
  ]);
});
