import { formatUnits } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { ChainRules } from '../chain.ts';
import { addressOfScript, parseBitcoinAddress, scriptOfAddress } from './address-codec.ts';
import type { BitcoinNetwork } from './networks.ts';

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
  confirmations: { small: 2, large: 6 },
  payoutConfirmations: 1,
  settledConfirmations: 6,
  stuckAfterMs: 30 * 60_000,
};

/** The key hash of the examples in BIP-173. */
const EXAMPLE_SCRIPT = '0014751e76e8199196d454941c45d1b3a323f1433bd6';
/** Locks to a hash of nothing but zeros: nobody has its key. */
const NOBODY = /^(?:76a914|a914|0014|0020)0+(?:88ac|87)?$/;

export const refusedBy = (network: BitcoinNetwork, address: Address): string | undefined =>
  NOBODY.test(scriptOfAddress(network, address)) ? 'a burn address' : undefined;

export function bitcoinRules(config: BitcoinRulesConfig): ChainRules {
  const { network, confirmations, payoutConfirmations, stuckAfterMs } = config;
  const { family, asset, blockSeconds, minSwapUsd, uriScheme, feeField } = network.coin;
  return {
    facts: {
      id: asset.chainId,
      name: asset.name,
      family,
      nativeSymbol: asset.symbol,
      assets: [asset],
      minSwapUsd,
      addressExample: present(addressOfScript(network, EXAMPLE_SCRIPT), 'an example'),
      deposits: 'top_up',
      collectsTokens: false,
      feePayer: 'sender',
      feeField,
      requiredConfirmations: confirmations.small,
      largeConfirmations: confirmations.large,
      depositSeconds: confirmations.small * blockSeconds,
      payoutSeconds: payoutConfirmations * blockSeconds,
      stuck: { afterMs: stuckAfterMs, remedy: 'outbid' },
    },
    parseAddress: (text) => parseBitcoinAddress(network, text),
    parseToken: (text) => (text === asset.token || text === 'native' ? asset.token : undefined),
    refusesDestination: (address) => refusedBy(network, address),
    // BIP-21.
    depositUri: (address, { decimals }, atoms) =>
      `${uriScheme}:${address}${atoms === undefined ? '' : `?amount=${formatUnits(atoms, decimals)}`}`,
  };
}
