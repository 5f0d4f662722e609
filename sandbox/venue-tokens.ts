import type { PlaceToken } from './place.ts';
import { MARKET, TOKEN_DECIMALS, TOKENS, type TokenName } from './simulators/hyperliquid/state.ts';

/** The venue's tokens, found by their ids, because anyone may deploy a token of the same name. */
export const XMR1 = TOKENS.XMR1.tokenId;
export const XMR1_MARKET = MARKET;
export const VENUE_USDC = TOKENS.USDC.tokenId;
export const VENUE_DECIMALS = TOKEN_DECIMALS;
export const VENUE_ID = 1337;
/** The chain that the venue is funded from, and its deposit contract there. */
export const VENUE_HOME = 42161;
export const BRIDGE = '0x2df1c51e09aecf9cacb7bc98cb1742757f163df7';
export const wrapped = (name: TokenName) => ({ tokenId: TOKENS[name].tokenId, decimals: VENUE_DECIMALS });
export const VENUE_TOKENS: readonly PlaceToken[] = Object.entries(TOKENS).map(([symbol, { tokenId }]) => ({
  ...{ token: tokenId, symbol, decimals: VENUE_DECIMALS },
}));
