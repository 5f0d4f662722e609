import { VENUE_DECIMALS, VENUE_ID, VENUE_USDC, XMR1 } from '../../sandbox/venue-tokens.ts';
import { assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { BITCOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { XMR_ASSET } from '../../src/world/chains/monero/rules.ts';

export const XMR: Asset = XMR_ASSET;
export const BTC: Asset = BITCOIN_REGTEST.coin.asset;
const onVenue = (symbol: string, token: string): Asset => ({
  ...{ id: assetId(chainId(VENUE_ID), token as TokenId), chainId: chainId(VENUE_ID), token: token as TokenId },
  ...{ symbol, name: symbol, decimals: VENUE_DECIMALS, native: false },
});
/** Monero as the venue has it, and its money. */
export const WRAPPED: Asset = onVenue('XMR1', XMR1);
export const MONEY: Asset = onVenue('USDC', VENUE_USDC);

/** What is on no EVM chain, by its symbol. */
export const ELSEWHERE: ReadonlyMap<string, Asset> = new Map([XMR, BTC, WRAPPED].map((asset) => [asset.symbol, asset]));
