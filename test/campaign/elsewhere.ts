import type { PlaceToken } from '../../sandbox/place.ts';
import { VENUE_ID, VENUE_TOKENS, VENUE_USDC } from '../../sandbox/venue-tokens.ts';
import { present } from '../../src/kernel/assert.ts';
import { type AssetId, assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { BITCOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import { type Asset, coinOf } from '../../src/world/chains/chain.ts';
import { XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { SOLANA_ASSETS, solanaRules } from '../../src/world/chains/solana/rules.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';

export const XMR: Asset = XMR_ASSET;
export const BTC: Asset = BITCOIN_REGTEST.coin.asset;
export const SOL: Asset = coinOf(solanaRules.facts);
const onVenue = ({ symbol, token, decimals }: PlaceToken): Asset => ({
  ...{ id: assetId(chainId(VENUE_ID), token as TokenId), chainId: chainId(VENUE_ID), token: token as TokenId },
  ...{ symbol, name: symbol, decimals, native: false },
});
/** What the venue has: its money, and coins of other chains. */
export const ON_VENUE: readonly Asset[] = VENUE_TOKENS.map(onVenue);
export const isOnVenue = ({ chainId }: Pick<Asset, 'chainId'>): boolean => chainId === VENUE_ID;
const isMoney = ({ token }: Asset): boolean => token === VENUE_USDC;
export const MONEY: Asset = present(ON_VENUE.find(isMoney), "the venue's money");
const WRAPPED = ON_VENUE.filter((asset) => !isMoney(asset));

/** What is on no EVM chain, by what it is called here: its symbol, and its chain where there is the same on Arbitrum. */
export const ELSEWHERE: ReadonlyMap<string, Asset> = new Map([
  ...[XMR, BTC, TRX_ASSET, ZEC_ASSET, ...WRAPPED].map((asset) => [asset.symbol, asset] as const),
  ['USDT on Tron', USDT_ASSET],
  ...SOLANA_ASSETS.map((asset) => [asset.native ? asset.symbol : `${asset.symbol} on Solana`, asset] as const),
]);
const NAMES: ReadonlyMap<AssetId, string> = new Map([...ELSEWHERE].map(([name, { id }]) => [id, name]));

/** What it is called here, if it is on no EVM chain. */
export const nameElsewhere = (asset: AssetId): string | undefined => NAMES.get(asset);
