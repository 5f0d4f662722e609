import { type Amount, isZero } from '../../kernel/amount.ts';

/**
 * world: everything outside. treasury: our inventory. fees: earned by the desk. owed: earned by an integration, to be paid to
 * it. gas: coins sent ahead to deposit addresses. order: owed to its customer, on the hot account or the venue. deposit: the
 * same, still lying on the order's own deposit address. payment: set apart for one payment in flight; `deposit-payment` the
 * same for one that leaves a deposit address. left: ours and still lying on that order's deposit address: what was
 * taken for network costs and is not worth fetching, and a deposit that the order did not wait for, until it is collected. cold: ours, in stores whose keys are nowhere in the desk.
 */
export type LedgerAccount =
  | 'world'
  | 'treasury'
  | 'fees'
  | 'gas'
  | 'cold'
  | `owed:${string}`
  | `order:${string}`
  | `deposit:${string}`
  | `left:${string}`
  | `payment:${string}`
  | `deposit-payment:${string}`;

/** One transfer between two accounts of the ledger; every account but `world` stays at or above zero. */
export interface Posting {
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
  readonly amount: Amount;
}

export const move = (from: LedgerAccount, to: LedgerAccount, amount: Amount): Posting => ({ from, to, amount });

/** Zero moves nothing, and neither does money that stays where it is. */
export const moving = (postings: readonly Posting[]): readonly Posting[] =>
  postings.filter(({ from, to, amount }) => from !== to && !isZero(amount));
