import type { Address, TokenId } from '../../../kernel/ids.ts';
import type { ChainRules } from '../../chains/chain.ts';
import { parseVenueAddress } from './address.ts';
import { assetOf, type SpotPair, VENUE_CHAIN } from './tokens.ts';

/** Whoever sends here sends to the venue's own contracts: tokens leave for its EVM side, or for ever. */
const SYSTEM_ADDRESS = /^0x(?:20{30}[0-9a-f]{9}|2{40}|0{40})$/;

export function venueRules(pair: SpotPair): ChainRules {
  const supported = [pair.base, pair.quote];
  return {
    facts: {
      id: VENUE_CHAIN,
      name: 'Hyperliquid',
      family: 'venue',
      nativeSymbol: 'HYPE',
      assets: supported.map(assetOf),
      minSwapUsd: 10,
      addressExample: '0x52908400098527886E0F7030069857D2E4169EE7',
      deposits: 'as_it_comes',
      collectsTokens: false,
      requiredConfirmations: 1,
      depositSeconds: 5,
      payoutSeconds: 5,
    },
    parseAddress: parseVenueAddress,
    parseToken: (text): TokenId | undefined => supported.find((token) => token.id === text.toLowerCase())?.id,
    refusesDestination: (address) =>
      SYSTEM_ADDRESS.test(address.toLowerCase()) ? 'this is an address of the venue itself' : undefined,
    // No wallet knows a link that sends spot tokens; the address is what can be scanned.
    depositUri: (address: Address) => address,
  };
}
