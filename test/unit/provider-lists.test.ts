import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instant } from '../../src/kernel/clock.ts';
import { BITCOIN } from '../../src/world/chains/bitcoin/networks.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { openOneClick } from '../../src/world/providers/oneclick/oneclick.ts';
import type { Provider } from '../../src/world/providers/provider.ts';
import { openRelay } from '../../src/world/providers/relay/relay.ts';

const ASSETS = [42161, 1].flatMap((chain) => evmNetwork(chain).facts.assets);
const find = (chain: number, symbol: string): Asset => {
  const asset = ASSETS.find((one) => one.chainId === chain && one.symbol === symbol);
  assert.ok(asset);
  return asset;
};
const [USDC, ETH] = [find(42161, 'USDC'), find(1, 'ETH')];
const bitcoin = BITCOIN.coin.asset;
const CONFIG = { url: 'http://p', parseAddress: () => undefined };
const clock = { now: () => instant(1_800_000_000_000) };

type Open = typeof openOneClick;
/** A provider whose list is this, and who is asked nothing else. */
const knowing = (open: Open, list: unknown): Promise<Provider> =>
  open(CONFIG, [...ASSETS, bitcoin], async () => ({ status: 200, body: JSON.stringify(list) }), clock);

const contract = (blockchain: string, { chainId, symbol, token, decimals }: Asset) => ({
  ...{ assetId: `${blockchain}-${chainId}-${symbol}`, blockchain, symbol: 'x', decimals, contractAddress: token },
});
const coin = (blockchain: string, { symbol, decimals }: Asset) => ({
  ...{ assetId: `${blockchain}-${symbol}`, blockchain, symbol, decimals },
});
const ARB = [contract('arb', USDC), contract('arb', find(42161, 'USDT'))];
const ETHEREUM = [contract('eth', find(1, 'USDT')), coin('eth', ETH)];

test('1Click’s blockchain is ours if it lists more of our contracts than any other; in doubt it is none', async () => {
  const supports = async (list: readonly object[]) => (await knowing(openOneClick, list)).supports(USDC.id, ETH.id);
  assert.ok(await supports([...ARB, ...ETHEREUM]));
  assert.ok(await supports([...ARB, ...ETHEREUM, contract('base', USDC), coin('base', ETH)]));
  assert.ok(!(await supports([contract('arb', USDC), contract('base', USDC), ...ETHEREUM])), 'two that could be it');
  assert.ok(!(await supports([...ARB, ...ETHEREUM, { ...coin('eth', ETH), assetId: 'second' }])), 'two such coins');
  assert.ok(!(await supports([...ARB, contract('eth', find(1, 'USDT')), coin('base', ETH)])), 'no coin there');
});

test('a chain of nothing but a coin is the one on which 1Click lists that coin, and no other does', async () => {
  const [list, btc] = [[...ARB, ...ETHEREUM], coin('btc', bitcoin)];
  const supports = async (...more: readonly object[]) =>
    (await knowing(openOneClick, [...list, ...more])).supports(USDC.id, bitcoin.id);
  assert.ok(await supports(btc));
  assert.ok(await supports(btc, { ...btc, blockchain: 'near', contractAddress: 'nbtc.bridge.near' }));
  assert.ok(!(await supports(btc, { ...btc, blockchain: 'bch' })));
  assert.ok(!(await supports({ ...btc, decimals: 18 })));
  assert.ok(!(await supports()));
});

test('a chain that Relay numbers in its own way is found by the name and the coin of its list', async () => {
  const ether = { address: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18 };
  const usdc = { address: USDC.token, decimals: 6 };
  const arbitrum = { id: 42161, name: 'arbitrum', currency: ether, solverCurrencies: [ether, usdc] };
  const its = { address: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8', symbol: 'BTC', decimals: 8 };
  const row = { id: 8_253_038, name: 'bitcoin', currency: its, solverCurrencies: [its] };
  const supports = async (...rows: readonly object[]) =>
    (await knowing(openRelay, { chains: [arbitrum, ...rows] })).supports(USDC.id, bitcoin.id);
  assert.ok(await supports(row));
  assert.ok(!(await supports({ ...row, name: 'bitcoin-cash' })));
  assert.ok(!(await supports({ ...row, currency: { ...its, symbol: 'BCH' } })));
  assert.ok(!(await supports(row, { ...row, id: 8_253_039 })), 'two of the same name');
  assert.ok(!(await supports({ ...row, disabled: true })));
  assert.ok(!(await supports()));
});
