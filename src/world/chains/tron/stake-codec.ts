import { type Atoms, atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import { parseTronAddress } from './codec.ts';

/** As the settings have it. */
export interface StakeSettings {
  readonly account: string;
  readonly permission: number;
  /** Whole TRX. */
  readonly perLoan?: number;
}

/** Whose staked coins give energy to deposit addresses, and by which of its permissions the hot key may see to that. */
export interface Stake {
  readonly account: Address;
  readonly permission: bigint;
  /** Sun; the most for one collection. */
  readonly perLoan: Atoms;
}

export const SUN_PER_TRX = 1_000_000n;
/** Twice what one transfer of USDT takes where a coin gives ten of energy. */
const TRX_PER_LOAN = 15_000;

export const stakeOf = ({ account, permission, perLoan = TRX_PER_LOAN }: StakeSettings): Stake => ({
  account: present(parseTronAddress(account), `the account that has staked, ${account}`),
  permission: BigInt(permission),
  perLoan: atoms(BigInt(perLoan) * SUN_PER_TRX),
});
