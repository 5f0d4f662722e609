import { atoms } from '../../src/kernel/amount.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { evmContractOf, evmWord } from '../../src/world/chains/evm/codec.ts';
import type { EvmNetwork } from '../../src/world/chains/evm/networks.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import { selector, tokenCode } from './token-code.ts';

/** Puts a token of the sandbox at every contract the network names, unless one is there already. */
export async function placeTokens(rpc: Rpc, { facts }: EvmNetwork): Promise<void> {
  for (const { id, symbol, name } of facts.assets) {
    const contract = evmContractOf(id);
    if (contract && (await rpc('eth_getCode', [contract, 'latest'])) === '0x') {
      await rpc('anvil_setCode', [contract, tokenCode(symbol, name)]);
    }
  }
}

const word = (value: bigint): string => atoms(value).toString(16).padStart(64, '0');

/** Calldata for the token: what its issuer can do, and here anyone. */
export const mintCall = (to: Address, value: bigint): string =>
  selector('mint(address,uint256)') + evmWord(to) + word(value);
export const blacklistCall = (account: Address): string => selector('blacklist(address)') + evmWord(account);
export const unBlacklistCall = (account: Address): string => selector('unBlacklist(address)') + evmWord(account);
