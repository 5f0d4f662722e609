import type { Checker } from '../kernel/binding.ts';
import type { Instant } from '../kernel/clock.ts';
import type { Address, AssetId, TxHash } from '../kernel/ids.ts';
import type { Place } from './journal.ts';
import type { Cap, Limits } from './limits.ts';
import type { Past } from './memory.ts';

export type RefusalName =
  | 'unknown_chain'
  | 'cannot_build'
  | 'foreign_asset'
  | 'bad_address'
  | 'bad_intent'
  | 'bad_nonce'
  | 'wrong_account'
  | 'wrong_kind'
  | 'unknown_order'
  | 'unbound_destination'
  | 'over_order_amount'
  | 'over_engine_limit'
  | 'approval_awaited'
  | 'not_our_deposit'
  | 'gas_not_native'
  | 'gas_over_cap'
  | 'loan_over_cap'
  | 'not_our_account'
  | 'below_bridge_minimum'
  | 'nothing_to_pay'
  | 'intent_changed'
  | 'amount_raised'
  | 'nonce_changed'
  | 'nonce_taken'
  | 'never_expires'
  | 'never_signed'
  | 'buried_too_often'
  | 'no_limit_set'
  | 'over_transfer_limit'
  | 'over_daily_limit'
  | 'over_daily_cost'
  | 'cost_over_cap'
  | 'signed_otherwise'
  | 'trade_changed'
  | 'size_over_cap'
  | 'notional_over_cap'
  | 'price_out_of_bounds';

/** A request that we do not sign. The detail is for the operator and holds nothing secret. */
export interface Refusal {
  readonly refused: RefusalName;
  readonly detail: string;
}

export const refuse = (refused: RefusalName, detail: string): Refusal => ({ refused, detail });

/** Whoever built these bytes says another hash, cost or output of them than they have. */
export const notItself = ({ txHash }: { readonly txHash: TxHash }): Refusal =>
  refuse('signed_otherwise', `${txHash} is not what its bytes say`);

/** `repeat`: the answer is the bytes that lie there. */
export type Verdict = 'sign' | { readonly repeat: Place } | Refusal;

/** Public halves, by who has the private ones: whoever takes orders and addresses, and whoever carries orders out. */
export interface Binders {
  readonly api: Checker;
  readonly engine: Checker;
}

/** From which value on a second person must say yes, and by which keys they say it. */
export interface Approval {
  /** Millionths of a dollar, by floor prices. */
  readonly above: Cap;
  readonly approvers: Checker;
}

/** Where money may go without an order's binding, and how much of it. Fixed at start. */
export interface House {
  readonly binders: Binders;
  readonly limits: Limits;
  /** Without it nobody is asked. */
  readonly approval?: Approval | undefined;
  /** Millionths of a dollar that the house may spend on stock of its own in any 24 hours; without it, nothing. */
  readonly fills?: Cap | undefined;
  /** Credits its sender, so paying it keeps the money ours; less than the minimum would be lost there. */
  readonly bridge: { readonly asset: AssetId; readonly address: Address; readonly minimum: bigint };
  /** Where what the hot accounts need not hold is kept, and how much of it may go there in any 24 hours. */
  readonly cold: Readonly<Record<AssetId, { readonly address: Address; readonly perDay: Cap }>>;
}

export interface Ground {
  readonly house: House;
  readonly past: Past;
  readonly now: Instant;
}
