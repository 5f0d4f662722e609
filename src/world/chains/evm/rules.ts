import type { Address, TokenId } from '../../../kernel/ids.ts';
import type { Asset, ChainRules } from '../chain.ts';
import { NATIVE_TOKEN, parseEvmAddress } from './codec.ts';
import type { EvmNetwork } from './networks.ts';

/** What wallets and routers write for a network's own coin beside the zero address (D2). */
const NATIVE_ALIASES = new Set(['native', '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee']);
const BURNERS = new Set(['0x000000000000000000000000000000000000dead', '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee']);
/** Precompiles and system accounts of all known networks lie below this. */
const SYSTEM_ADDRESSES_BELOW = 0x1_0000n;
/** Where the OP stack keeps its own contracts. */
const PREDEPLOYED = /^0x420{34}[0-9a-f]{4}$/i;

export const isSystemAddress = (address: Address | TokenId): boolean => BigInt(address) < SYSTEM_ADDRESSES_BELOW;

/** Not a customer's: what the network itself runs, in every block on some. */
export const isNetworkContract = (address: Address): boolean => isSystemAddress(address) || PREDEPLOYED.test(address);

export function evmRules({ facts }: EvmNetwork): ChainRules {
  const tokens = new Set<string>(facts.assets.map(({ token }) => token));

  return {
    facts,
    parseAddress: parseEvmAddress,

    parseToken(text) {
      if (text.length > NATIVE_TOKEN.length) return undefined;
      if (NATIVE_ALIASES.has(text.toLowerCase())) return NATIVE_TOKEN;
      const token = parseEvmAddress(text);
      return token && tokens.has(token) ? (token as string as TokenId) : undefined;
    },

    refusesDestination(address) {
      if (BigInt(address) === 0n) return 'the zero address';
      if (tokens.has(address)) return 'a token contract';
      if (isNetworkContract(address)) return 'a system address';
      return BURNERS.has(address.toLowerCase()) ? 'a burn address' : undefined;
    },

    depositUri: (address, asset, amount) => paymentUri(facts.id, address, asset, amount),
  };
}

/** EIP-681. */
function paymentUri(chain: number, address: Address, asset: Asset, amount: bigint | undefined): string {
  if (asset.native) return `ethereum:${address}@${chain}${amount === undefined ? '' : `?value=${amount}`}`;
  const value = amount === undefined ? '' : `&uint256=${amount}`;
  return `ethereum:${asset.token}@${chain}/transfer?address=${address}${value}`;
}
