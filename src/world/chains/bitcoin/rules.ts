import { formatUnits } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { assetId, type TokenId } from '../../../kernel/ids.ts';
import type { Asset, ChainRules } from '../chain.ts';
import { addressOfScript, type BitcoinNetwork, parseBitcoinAddress, scriptOfAddress } from './address-codec.ts';
import { BITCOIN_ID } from './codec.ts';

const BTC = 'BTC' as TokenId;
const BLOCK_SECONDS = 600;

export const BTC_ASSET: Asset = {
  id: assetId(BITCOIN_ID, BTC),
  chainId: BITCOIN_ID,
  token: BTC,
  symbol: 'BTC',
  name: 'Bitcoin',
  decimals: 8,
  native: true,
};

export interface BitcoinRulesConfig {
  readonly network: BitcoinNetwork;
  /** Confirmations a deposit needs, by its value. */
  readonly confirmations: { readonly small: number; readonly large: number };
  /** Confirmations after which a payout is called done. */
  readonly payoutConfirmations: number;
  /** Confirmations after which it is settled. */
  readonly settledConfirmations: number;
  /** Not mined after so long, a payout is outbid. */
  readonly stuckAfterMs: number;
}

export const BITCOIN_DEFAULTS: Omit<BitcoinRulesConfig, 'network'> = {
  confirmations: { small: 2, large: 2 },
  payoutConfirmations: 1,
  settledConfirmations: 6,
  stuckAfterMs: 30 * 60_000,
};

/** The key hash of the examples in BIP-173. */
const EXAMPLE_SCRIPT = '0014751e76e8199196d454941c45d1b3a323f1433bd6';
/** Locks to a hash of nothing but zeros: nobody has its key. */
const NOBODY = /^(?:76a914|a914|0014|0020)0+(?:88ac|87)?$/;

export function bitcoinRules(config: BitcoinRulesConfig): ChainRules {
  const { network, confirmations, payoutConfirmations, stuckAfterMs } = config;
  return {
    facts: {
      id: BITCOIN_ID,
      name: 'Bitcoin',
      family: 'bitcoin',
      nativeSymbol: 'BTC',
      assets: [BTC_ASSET],
      minSwapUsd: 40,
      addressExample: present(addressOfScript(network, EXAMPLE_SCRIPT), 'an example'),
      deposits: 'top_up',
      collectsTokens: false,
      feePayer: 'sender',
      requiredConfirmations: confirmations.small,
      largeConfirmations: confirmations.large,
      depositSeconds: confirmations.small * BLOCK_SECONDS,
      payoutSeconds: payoutConfirmations * BLOCK_SECONDS,
      stuck: { afterMs: stuckAfterMs, remedy: 'outbid' },
    },
    parseAddress: (text) => parseBitcoinAddress(network, text),
    parseToken: (text) => (text === BTC || text === 'native' ? BTC : undefined),
    refusesDestination: (address) => (NOBODY.test(scriptOfAddress(network, address)) ? 'a burn address' : undefined),
    // BIP-21.
    depositUri: (address, { decimals }, atoms) =>
      `bitcoin:${address}${atoms === undefined ? '' : `?amount=${formatUnits(atoms, decimals)}`}`,
  };
}
