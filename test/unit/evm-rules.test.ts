import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getAddress } from 'viem';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { NATIVE_TOKEN } from '../../src/world/chains/evm/codec.ts';
import { depthUnder, EVM_NETWORKS, evmNetwork, withAhead, withFinality } from '../../src/world/chains/evm/networks.ts';
import type { EvmNode } from '../../src/world/chains/evm/node.ts';
import { feesNow } from '../../src/world/chains/evm/prices.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';

const USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const SOMEONE = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' as Address;
const arbitrum = evmNetwork(42161);
const ethereum = evmNetwork(1);
const rules = evmRules(arbitrum);
const [coin, usdc] = arbitrum.facts.assets.map((asset) => present(asset, 'an asset'));

test('a token is named by its contract in any honest spelling, never by its symbol', () => {
  for (const text of [USDC, USDC.toLowerCase(), `0x${USDC.slice(2).toUpperCase()}`]) {
    assert.equal(rules.parseToken(text), USDC);
  }
  const sentinel = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
  for (const text of [NATIVE_TOKEN, 'native', sentinel, sentinel.toLowerCase()]) {
    assert.equal(rules.parseToken(text), NATIVE_TOKEN);
  }
  const wrongChecksum = USDC.replace('cC', 'Cc');
  const onEthereum = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
  for (const text of ['USDC', 'ETH', 'eth', '', wrongChecksum, onEthereum, SOMEONE, ` ${USDC}`]) {
    assert.equal(rules.parseToken(text), undefined, text);
  }
});

test('nobody means to be paid at the zero address, a system address or a token contract', () => {
  const predeploy = '0x4200000000000000000000000000000000000010';
  const burner = '0x000000000000000000000000000000000000dEaD';
  for (const address of [NATIVE_TOKEN, `0x${'0'.repeat(39)}4`, USDC, predeploy, burner]) {
    assert.ok(rules.refusesDestination(present(rules.parseAddress(address), address)), address);
  }
  assert.equal(rules.refusesDestination(SOMEONE), undefined);
});

test('a wallet link names the network, the payee and the amount', () => {
  assert.ok(coin && usdc);
  assert.equal(rules.depositUri(SOMEONE, coin, atoms(5n)), `ethereum:${SOMEONE}@42161?value=5`);
  assert.equal(rules.depositUri(SOMEONE, coin, undefined), `ethereum:${SOMEONE}@42161`);
  const transfer = `ethereum:${USDC}@42161/transfer?address=${SOMEONE}`;
  assert.equal(rules.depositUri(SOMEONE, usdc, atoms(7n)), `${transfer}&uint256=7`);
  assert.equal(rules.depositUri(SOMEONE, usdc, undefined), transfer);
});

test('depth counts blocks, or waits for the tag however many blocks there are', () => {
  const heads = { tip: 120, safe: 100, finalized: 90 };
  const { small, large } = ethereum.finality;
  assert.deepEqual(depthUnder(small, 120, heads), { have: 1, need: 12 });
  assert.deepEqual(depthUnder(small, 109, heads), { have: 12, need: 12 });
  assert.deepEqual(depthUnder(small, 121, heads), { have: 0, need: 12 });
  assert.deepEqual(depthUnder(large, 91, heads), { have: 30, need: 80 });
  assert.deepEqual(depthUnder(large, 90, heads), { have: 80, need: 80 });
  assert.deepEqual(depthUnder({ tag: 'safe', about: 5 }, 101, heads), { have: 4, need: 5 });
});

test('what is shown follows the policy that is configured', () => {
  const quick = withFinality(ethereum, { small: { depth: 2 }, large: { depth: 4 } });
  assert.equal(ethereum.facts.requiredConfirmations, 12);
  assert.equal(quick.facts.requiredConfirmations, 2);
});

test('every network has its own coin first, and ids that no other network has', () => {
  const assets = EVM_NETWORKS.flatMap(({ facts }) => facts.assets);
  assert.equal(new Set(assets.map(({ id }) => id)).size, assets.length);
  for (const { facts } of EVM_NETWORKS) assert.equal(facts.assets[0]?.token, NATIVE_TOKEN);
});

test('every contract is spelled with its checksum, and none is a bridged copy of USDC', () => {
  const bridged = new Set([
    '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
    '0x7F5c764cBc14f9669B88837ca1490cCa17c31607',
    '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
    '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA',
  ]);
  for (const { token } of EVM_NETWORKS.flatMap(({ facts }) => facts.assets)) {
    assert.equal(getAddress(token), token);
    assert.ok(!bridged.has(token), token);
  }
});

test('the networks are the six we serve, each with dollars, and BNB Chain counts them in 18 decimals', () => {
  assert.deepEqual(
    EVM_NETWORKS.map(({ facts }) => facts.id as number).sort((a, b) => a - b),
    [1, 10, 56, 137, 8453, 42161],
  );
  for (const { facts } of EVM_NETWORKS) {
    const dollars = facts.assets.filter(({ symbol }) => symbol === 'USDC' || symbol === 'USDT');
    assert.deepEqual(
      dollars.map(({ decimals }) => decimals),
      facts.name === 'BNB Chain' ? [18, 18] : [6, 6],
    );
  }
  assert.deepEqual(
    arbitrum.facts.assets.map(({ symbol }) => symbol),
    ['ETH', 'USDC', 'USDT', 'WBTC', 'WETH'],
  );
});

test('a policy of an operator leaves the rest of a network as it was', () => {
  const optimism = evmNetwork(10);
  const quick = withFinality(optimism, { small: { depth: 1 }, large: { depth: 2 } });
  assert.equal(quick.dataFeeOracle, '0x420000000000000000000000000000000000000F');
  assert.deepEqual(quick.fees, optimism.fees);
  assert.equal(ethereum.dataFeeOracle, undefined);
});

test('9.5: where the sequencer takes no tip none is sent ahead: it would come back and stay behind', async () => {
  const base = 10_000_000n;
  const quiet = {
    at: 'node',
    read: async () => ({ baseFeePerGas: [`0x${base.toString(16)}`], reward: [['0x0']] }),
    quantity: (value: unknown) => BigInt(String(value)),
  } as unknown as EvmNode;
  const priceOn = async (id: number) => (await feesNow(quiet, evmNetwork(id).fees)).feePerGasNow;
  assert.equal(await priceOn(42161), base);
  assert.equal(await priceOn(10), 2n * base, 'elsewhere half of it would be the tip');
});

test('9.5: gas may become a little dearer on its way: more where the price moves by itself, or as an operator says', () => {
  const percentOf = ({ fees: { aheadMargin } }: (typeof EVM_NETWORKS)[number]) =>
    (aheadMargin.num * 100n) / aheadMargin.den - 100n;
  assert.deepEqual(
    EVM_NETWORKS.map((network) => [network.facts.id, percentOf(network)]),
    [
      [1, 8n],
      [42161, 2n],
      [8453, 2n],
      [56, 2n],
      [137, 8n],
      [10, 2n],
    ],
  );
  assert.equal(percentOf(withAhead(evmNetwork(1), 3)), 3n);
});
