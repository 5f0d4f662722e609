import { formatUnits } from '../../../src/kernel/amount.ts';
import type { Address } from '../../../src/kernel/ids.ts';
import type { Accounts } from './execute.ts';

const DECIMALS_AT = 44;

export const decimalsOf = (accounts: Accounts, mint: Address): number => accounts.get(mint)?.data[DECIMALS_AT] ?? 0;

/** An amount of a token as nodes print it. */
export function printTokens(atoms: bigint, decimals: number): object {
  const uiAmountString = formatUnits(atoms, decimals);
  return { amount: atoms.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}
