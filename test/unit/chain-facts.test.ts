import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainId } from '../../src/kernel/ids.ts';
import { BITCOIN, LITECOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { BITCOIN_DEFAULTS, bitcoinRules } from '../../src/world/chains/bitcoin/rules.ts';
import type { ChainRules } from '../../src/world/chains/chain.ts';
import { EVM_NETWORKS } from '../../src/world/chains/evm/networks.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';
import { MONERO_DEFAULTS, moneroRules } from '../../src/world/chains/monero/rules.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import { tronRules } from '../../src/world/chains/tron/rules.ts';
import { ZCASH_DEFAULTS, zcashRules } from '../../src/world/chains/zcash/rules.ts';
import { venueRules } from '../../src/world/venues/hyperliquid/rules.ts';

const ZERO = '0x0000000000000000000000000000000000000000';
const CHAINS: readonly ChainRules[] = [
  moneroRules(MONERO_DEFAULTS),
  bitcoinRules({ ...BITCOIN_DEFAULTS, network: BITCOIN }),
  bitcoinRules({ ...BITCOIN_DEFAULTS, network: LITECOIN }),
  solanaRules,
  tronRules(),
  zcashRules(ZCASH_DEFAULTS),
  ...EVM_NETWORKS.map(evmRules),
];

test('every chain has its number, the id of its own coin and its minimum', () => {
  const stated = CHAINS.map(({ facts }) => [
    facts.name,
    Number(facts.id),
    String(facts.assets.find(({ native }) => native)?.token),
    facts.minSwapUsd,
  ]);
  assert.deepEqual(stated, [
    ['Monero', 0, 'XMR', 25],
    ['Bitcoin', 20_000_000_000_001, 'BTC', 40],
    ['Litecoin', 20_000_000_000_003, 'LTC', 20],
    ['Solana', 1_151_111_081_099_710, 'SOL', 20],
    ['Tron', 728_126_428, 'TRX', 20],
    ['Zcash', 20_000_000_000_133, 'ZEC', 25],
    ['Ethereum', 1, ZERO, 20],
    ['Arbitrum', 42161, ZERO, 20],
    ['Base', 8453, ZERO, 20],
    ['BNB Chain', 56, ZERO, 20],
    ['Polygon', 137, ZERO, 20],
    ['Optimism', 10, ZERO, 20],
  ]);
  assert.equal(venueRules([]).facts.id, chainId(1337));
});

test('native is every chain’s own coin, and no symbol is a token', () => {
  for (const { facts, parseToken } of CHAINS) {
    const coin = facts.assets.find(({ native }) => native);
    assert.equal(parseToken('native'), coin?.token, facts.name);
    for (const symbol of ['USDC', 'USDT', 'WETH', 'xmr']) assert.equal(parseToken(symbol), undefined, symbol);
  }
});

test('deposits wait as long as was decided, unless an operator decides otherwise', () => {
  const depths = CHAINS.filter(({ facts }) => facts.family !== 'evm').map(({ facts }) => [
    facts.name,
    facts.requiredConfirmations,
    facts.largeConfirmations,
  ]);
  assert.deepEqual(depths, [
    ['Monero', 10, 20],
    ['Bitcoin', 2, 6],
    ['Litecoin', 2, 6],
    ['Solana', 1, 1],
    ['Tron', 19, 19],
    ['Zcash', 10, 10],
  ]);
  for (const { facts, finality } of EVM_NETWORKS) {
    const { small, large } = finality;
    assert.deepEqual('tag' in large && large.tag, 'finalized', facts.name);
    // The nodes of Polygon know no safe block.
    const safe = facts.name === 'Polygon' ? 'finalized' : 'safe';
    if (facts.name === 'Ethereum') assert.deepEqual(small, { depth: 12 });
    else assert.deepEqual('tag' in small && small.tag, safe, facts.name);
  }
});

test('every chain says which of an integrator’s addresses is paid for its deposits', () => {
  const stated = new Map(CHAINS.map(({ facts }) => [facts.family, facts.feeField]));
  assert.deepEqual(Object.fromEntries(stated), {
    monero: 'feeAddress',
    bitcoin: 'feeAddressBtc',
    litecoin: undefined,
    solana: 'feeAddressSol',
    tron: undefined,
    zcash: undefined,
    evm: 'feeAddress',
  });
  assert.equal(venueRules([]).facts.feeField, 'feeAddress');
});
