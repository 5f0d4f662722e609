import { VENUE_DECIMALS, VENUE_ID, XMR1 } from '../../sandbox/venue-tokens.ts';
import { assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { BITCOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { XMR_ASSET } from '../../src/world/chains/monero/rules.ts';

export const XMR: Asset = XMR_ASSET;
export const BTC: Asset = BITCOIN_REGTEST.coin.asset;
/** Monero as the venue has it. */
export const WRAPPED: Asset = {
  ...{ id: assetId(chainId(VENUE_ID), XMR1 as TokenId), chainId: chainId(VENUE_ID), token: XMR1 as TokenId },
  ...{ symbol: 'XMR1', name: 'XMR1', decimals: VENUE_DECIMALS, native: false },
};

/** What is on no EVM chain, by its symbol. */
export const ELSEWHERE: ReadonlyMap<string, Asset> = new Map([XMR, BTC, WRAPPED].map((asset) => [asset.symbol, asset]));
