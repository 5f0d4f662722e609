import { atoms } from '../../src/kernel/amount.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { evmContractOf, evmWord } from '../../src/world/chains/evm/codec.ts';
import type { EvmNetwork } from '../../src/world/chains/evm/networks.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import { assemble } from './evm-assembler.ts';
import { selector, tokenCode } from './token-code.ts';

/** USDT on Ethereum is older than the standard, and answers nothing. */
const SILENT = new Set(['0xdAC17F958D2ee523a2206206994597C13D831ec7']);

/** What the sandbox's oracle asks for the data of any transaction; anvil itself takes nothing for it. */
export const DATA_FEE = 30_000_000_000n;

/** Puts contracts of the sandbox wherever the network names one, unless something is there already. */
export async function placeContracts(rpc: Rpc, { facts, dataFeeOracle }: EvmNetwork): Promise<void> {
  const place = async (contract: Address, code: string) => {
    if ((await rpc('eth_getCode', [contract, 'latest'])) === '0x') await rpc('anvil_setCode', [contract, code]);
  };
  for (const { id, symbol, name, decimals } of facts.assets) {
    const contract = evmContractOf(id);
    if (contract) await place(contract, tokenCode(symbol, name, { decimals, isSilent: SILENT.has(contract) }));
  }
  if (dataFeeOracle) await place(dataFeeOracle, assemble(`${DATA_FEE} 0 MSTORE 32 0 RETURN`));
}

const word = (value: bigint): string => atoms(value).toString(16).padStart(64, '0');

/** Calldata for the token: what anyone may ask. */
export const balanceCall = (account: Address): string => selector('balanceOf(address)') + evmWord(account);
/** What its issuer can do, and here anyone. */
export const mintCall = (to: Address, value: bigint): string =>
  selector('mint(address,uint256)') + evmWord(to) + word(value);
export const blacklistCall = (account: Address): string => selector('blacklist(address)') + evmWord(account);
export const unBlacklistCall = (account: Address): string => selector('unBlacklist(address)') + evmWord(account);
