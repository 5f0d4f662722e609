import type { Address, TokenId } from '../../../kernel/ids.ts';
import type { Asset, ChainRules } from '../../chains/chain.ts';
import { parseVenueAddress } from './address.ts';
import { VENUE_CHAIN } from './tokens.ts';

/** Whoever sends here sends to the venue's own contracts: tokens leave for its EVM side, or for ever. */
const SYSTEM_ADDRESS = /^0x(?:20{30}[0-9a-f]{9}|2{40}|0{40})$/;

const TOKEN_ID = /^0x[0-9a-fA-F]{32}$/;

/** USDC is the venue's own coin: opening an account is paid for in it, and nothing else costs anything. */
export function venueRules(assets: readonly Asset[]): ChainRules {
  return {
    facts: {
      id: VENUE_CHAIN,
      name: 'Hyperliquid',
      family: 'venue',
      nativeSymbol: 'USDC',
      assets,
      minSwapUsd: 10,
      addressExample: '0x52908400098527886E0F7030069857D2E4169EE7',
      deposits: 'as_it_comes',
      collectsTokens: true,
      feePayer: 'sender',
      namesWhenDone: true,
      feeField: 'feeAddress',
      requiredConfirmations: 1,
      largeConfirmations: 1,
      depositSeconds: 5,
      payoutSeconds: 5,
      stuck: { afterMs: 60_000, remedy: 'send_again' },
    },
    parseAddress: parseVenueAddress,
    parseToken: (text): TokenId | undefined =>
      TOKEN_ID.test(text) ? assets.find(({ token }) => token === text.toLowerCase())?.token : undefined,
    refusesDestination: (address) =>
      SYSTEM_ADDRESS.test(address.toLowerCase()) ? 'this is an address of the venue itself' : undefined,
    // No wallet knows a link that sends spot tokens; the address is what can be scanned.
    depositUri: (address: Address) => address,
  };
}
