import { assetId, chainId, type TokenId } from '../../../kernel/ids.ts';
import type { Asset, ChainRules } from '../chain.ts';
import { addressForms, parseZcashAddress, ZEC_DECIMALS, zcashSpellings, zcashUri } from './codec.ts';

export const ZCASH_ID = chainId(20_000_000_000_133);
const ZEC = 'ZEC' as TokenId;
const BLOCK_SECONDS = 75;

export const ZEC_ASSET: Asset = {
  id: assetId(ZCASH_ID, ZEC),
  chainId: ZCASH_ID,
  token: ZEC,
  symbol: 'ZEC',
  name: 'Zcash',
  decimals: ZEC_DECIMALS,
  native: true,
};

/** Every index of an account can have these two receivers; about half of them could have none of Sapling's. */
export const DEPOSIT_RECEIVERS = ['orchard', 'p2pkh'] as const;
/** Index 0 is the account's own address: it pays out, and deposits begin after it. */
export const depositIndex = (index: number): number => index + 1;

export interface ZcashRulesConfig {
  /** Confirmations that a deposit of any value needs. */
  readonly confirmations: number;
  /** Confirmations after which a payout is called done. */
  readonly payoutConfirmations: number;
  /** Confirmations after which it is settled. */
  readonly settledConfirmations: number;
  /** Not mined after so long, a payout is sent again; new bytes follow only the old ones' expiry. */
  readonly stuckAfterMs: number;
}

export const ZCASH_DEFAULTS: ZcashRulesConfig = {
  confirmations: 10,
  payoutConfirmations: 1,
  settledConfirmations: 20,
  stuckAfterMs: 10 * 60_000,
};

export function zcashRules({ confirmations, payoutConfirmations, stuckAfterMs }: ZcashRulesConfig): ChainRules {
  return {
    facts: {
      id: ZCASH_ID,
      name: 'Zcash',
      family: 'zcash',
      nativeSymbol: 'ZEC',
      assets: [ZEC_ASSET],
      minSwapUsd: 25,
      addressExample:
        'u1l8xunezsvhq8fgzfl7404m450nwnd76zshscn6nfys7vyz2ywyh4cc5daaq0c7q2su5lqfh23sp7fkf3kt27ve5948mzpfdvckzaect2jtte308mkwlycj2u0eac077wu70vqcetkxf',
      deposits: 'as_it_comes',
      collectsTokens: false,
      feePayer: 'sender',
      feeField: undefined,
      requiredConfirmations: confirmations,
      largeConfirmations: confirmations,
      depositSeconds: confirmations * BLOCK_SECONDS,
      payoutSeconds: payoutConfirmations * BLOCK_SECONDS,
      stuck: { afterMs: stuckAfterMs, remedy: 'sign_anew' },
    },
    parseAddress: parseZcashAddress,
    parseToken: (text) => (text === ZEC || text === 'native' ? ZEC : undefined),
    refusesDestination: () => undefined,
    addressForms,
    spellings: zcashSpellings,
    depositUri: (address, _asset, atoms) => zcashUri(address, atoms),
  };
}
