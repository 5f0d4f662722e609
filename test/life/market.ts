import assert from 'node:assert/strict';
import { type Amount, amount, rescale } from '../../src/kernel/amount.ts';
import { type AssetId, assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { percent, type Ratio, ratio, scaleInt } from '../../src/kernel/ratio.ts';
import type { FeeTerm, Leg, ProviderLeg, VenueLeg } from '../../src/life/quote/quote.ts';
import type { Asset, ChainFacts } from '../../src/world/chains/chain.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { MONERO_DEFAULTS, moneroRules, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';

const ARBITRUM = evmNetwork(42161).facts;
const MONERO = moneroRules(MONERO_DEFAULTS).facts;
const VENUE = chainId(1337);

export const XMR = XMR_ASSET;
export const USDC = assetOf(ARBITRUM, 'USDC');
export const ETH = assetOf(ARBITRUM, 'ETH');
/** The same coin on a chain where nobody expects it. */
export const STRAY = assetOf(evmNetwork(1).facts, 'USDC').id;
const VENUE_XMR = assetId(VENUE, 'XMR1' as TokenId);
const VENUE_USDC = assetId(VENUE, 'USDC' as TokenId);
const VENUE_DECIMALS = 8;

/** Monero's wrapped form, as an asset of the venue. */
export const XMR1: Asset = {
  ...{ id: VENUE_XMR, chainId: VENUE, token: 'XMR1' as TokenId, symbol: 'XMR1', name: 'Wrapped Monero' },
  ...{ decimals: VENUE_DECIMALS, native: false },
};
const ON_VENUE: ChainFacts = { ...MONERO, id: VENUE, family: 'venue', assets: [XMR1], collectsTokens: true };

/** What is traded by providers alone. */
export const ETHER = assetOf(evmNetwork(1).facts, 'ETH');

/** The market of these stories: one XMR is 300 dollars, one ether 3,000. */
export const DOLLARS_PER_XMR = 300n;
const DOLLARS_PER_ETHER = 3_000n;

export const usdc = (dollars: string): Amount => amount(USDC.id, units(dollars, 6));
export const xmr = (coins: string): Amount => amount(XMR.id, units(coins, 12));
export const xmr1 = (coins: string): Amount => amount(XMR1.id, units(coins, 8));
export const ether = (coins: string): Amount => amount(ETHER.id, units(coins, 18));

function units(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

function assetOf(chain: ChainFacts, symbol: string): Asset {
  const found = chain.assets.find((asset) => asset.symbol === symbol);
  assert.ok(found, symbol);
  return found;
}

/** Which way an order goes. */
export type Way = 'buy' | 'sell' | 'swap' | 'swap_buy' | 'sell_swap' | 'bridge_in' | 'bridge_out';
export const WAYS: readonly Way[] = ['buy', 'sell', 'swap', 'swap_buy', 'sell_swap', 'bridge_in', 'bridge_out'];

export const ENDS: Readonly<Record<Way, { readonly from: Asset; readonly to: Asset; readonly chain: ChainFacts }>> = {
  buy: { from: USDC, to: XMR, chain: ARBITRUM },
  sell: { from: XMR, to: USDC, chain: MONERO },
  swap: { from: ETHER, to: USDC, chain: evmNetwork(1).facts },
  swap_buy: { from: ETHER, to: XMR, chain: evmNetwork(1).facts },
  sell_swap: { from: XMR, to: ETHER, chain: MONERO },
  bridge_in: { from: XMR, to: XMR1, chain: MONERO },
  bridge_out: { from: XMR1, to: XMR, chain: ON_VENUE },
};

/** For this much, in so many chunks on the venue. */
export function legsOf(way: Way, asked: Amount | undefined, chunks = 1): readonly Leg[] {
  const value = asked ?? usdc('100');
  switch (way) {
    case 'buy':
    case 'sell':
      return [venueLeg(way, value, chunks)];
    case 'swap':
      return [providerLeg(ETHER, USDC)];
    case 'swap_buy':
      return [providerLeg(ETHER, USDC), venueLeg('buy', worth(value, USDC.id), chunks)];
    case 'sell_swap':
      return [venueLeg('sell', value, chunks), providerLeg(USDC, ETHER)];
    case 'bridge_in':
    case 'bridge_out':
      return [{ leg: 'bridge', input: legAsset(ENDS[way].from), output: legAsset(ENDS[way].to) }];
  }
}

const legAsset = ({ id, decimals }: Asset) => ({ asset: id, decimals });

const providerLeg = (input: Asset, output: Asset): ProviderLeg => ({
  leg: 'provider',
  input: legAsset(input),
  output: legAsset(output),
  worstRate: ratio(1n, 10n ** 20n),
});

function venueLeg(side: 'buy' | 'sell', value: Amount, chunks: number): VenueLeg {
  const [input, output] = side === 'buy' ? [USDC, XMR] : [XMR, USDC];
  const [spend, receive] = side === 'buy' ? [VENUE_USDC, VENUE_XMR] : [VENUE_XMR, VENUE_USDC];
  return {
    leg: 'venue',
    side,
    input: legAsset(input),
    output: legAsset(output),
    spend,
    spendDecimals: VENUE_DECIMALS,
    receive,
    receiveDecimals: VENUE_DECIMALS,
    worstPrice: ratio(DOLLARS_PER_XMR, 1n),
    chunks: {
      count: chunks,
      each: amount(spend, rescale(value.atoms, input.decimals, VENUE_DECIMALS, 'down') / BigInt(chunks)),
      intervalMs: 8_000,
      chunkSizeUsd: 250,
    },
  };
}

const ASSETS = [USDC, XMR, ETHER, ETH, XMR1];
const known = (id: AssetId): Asset => {
  const found = ASSETS.find((asset) => asset.id === id);
  assert.ok(found, id);
  return found;
};
export const dollarsOf = (id: AssetId): bigint => {
  if (id === XMR.id || id === XMR1.id) return DOLLARS_PER_XMR;
  return id === USDC.id ? 1n : DOLLARS_PER_ETHER;
};

/** What a provider gives for so much at the prices of these stories. */
export function worth(value: Amount, of: AssetId): Amount {
  const scaled = rescale(value.atoms, known(value.asset).decimals, known(of).decimals, 'down');
  return amount(of, scaleInt(scaled, ratio(dollarsOf(value.asset), dollarsOf(of)), 'down'));
}

/** What the venue gives for so much at the price of these stories. */
export function traded(side: 'buy' | 'sell', spent: bigint): bigint {
  const price: Ratio = side === 'buy' ? ratio(1n, DOLLARS_PER_XMR) : ratio(DOLLARS_PER_XMR, 1n);
  return scaleInt(spent, price, 'down');
}

/** As quotes make them: a rate where the money is in dollars or in what was deposited, and what the networks cost. */
export function feesOf(way: Way): readonly FeeTerm[] {
  const { from, to } = ENDS[way];
  const [at, asset] = from === XMR && to !== XMR1 ? [1, USDC.id] : [0, from.id];
  const last = legsOf(way, undefined).length;
  const flat = {
    ...{ [XMR.id]: xmr('0.0001'), [USDC.id]: usdc('0.03'), [ETHER.id]: ether('0.00001'), [XMR1.id]: xmr1('0.0001') },
  }[to.id];
  assert.ok(flat);
  return [
    { type: 'service', at, asset, rate: percent('0.3'), flat: undefined },
    { type: 'network', at: last, asset: to.id, rate: undefined, flat },
  ];
}
