import { assetId, chainId, type TokenId } from '../../../kernel/ids.ts';
import type { Asset, ChainRules } from '../chain.ts';
import { moneroSpellings, moneroUri, parseMoneroAddress, XMR_DECIMALS } from './codec.ts';

export const MONERO_ID = chainId(0);
const XMR = 'XMR' as TokenId;
/** A block comes every two minutes. */
const BLOCK_SECONDS = 120;

export const XMR_ASSET: Asset = {
  id: assetId(MONERO_ID, XMR),
  chainId: MONERO_ID,
  token: XMR,
  symbol: 'XMR',
  name: 'Monero',
  decimals: XMR_DECIMALS,
  native: true,
};

/** The desk's wallet, as its server names the file. */
export const SPEND_WALLET = 'wherry-spend';
/** Subaddress 0 is the wallet's own address: it pays out, and deposits begin after it. */
export const depositMinor = (index: number): number => index + 1;

export interface MoneroRulesConfig {
  /** Confirmations a deposit needs, by its value. */
  readonly confirmations: { readonly small: number; readonly large: number };
  /** Confirmations after which a payout is called done. */
  readonly payoutConfirmations: number;
  /** Confirmations after which it is settled. */
  readonly settledConfirmations: number;
  /** Not mined after so long, a payout is sent again. */
  readonly stuckAfterMs: number;
}

export const MONERO_DEFAULTS: MoneroRulesConfig = {
  confirmations: { small: 10, large: 20 },
  payoutConfirmations: 1,
  settledConfirmations: 20,
  stuckAfterMs: 10 * 60_000,
};

export function moneroRules(config: MoneroRulesConfig): ChainRules {
  return {
    facts: {
      id: MONERO_ID,
      name: 'Monero',
      family: 'monero',
      nativeSymbol: 'XMR',
      assets: [XMR_ASSET],
      minSwapUsd: 25,
      addressExample: '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H',
      deposits: 'as_it_comes',
      collectsTokens: false,
      feePayer: 'sender',
      feeField: 'feeAddress',
      requiredConfirmations: config.confirmations.small,
      largeConfirmations: config.confirmations.large,
      depositSeconds: config.confirmations.small * BLOCK_SECONDS,
      payoutSeconds: config.payoutConfirmations * BLOCK_SECONDS,
      stuck: { afterMs: config.stuckAfterMs, remedy: 'send_again' },
    },
    parseAddress: parseMoneroAddress,
    parseToken: (text) => (text === XMR || text === 'native' ? XMR : undefined),
    refusesDestination: () => undefined,
    spellings: moneroSpellings,
    depositUri: (address, _asset, atoms) => moneroUri(address, atoms),
  };
}
