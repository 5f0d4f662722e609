import type { Amount } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, IntentId, OrderId } from '../../kernel/ids.ts';
import type { IntentKind } from '../../signer/request.ts';
import type { Account } from '../../world/chains/chain.ts';
import type { IntentRef } from './fact.ts';

/** Instructions to the world, in the imperative. Each is carried out by one handler of one stage. */
export type Effect =
  | { readonly effect: 'judge_deadline'; readonly due: Instant }
  | { readonly effect: 'screen_deposit' }
  | { readonly effect: 'price_gas'; readonly forWhat: IntentRef; readonly from: Account; readonly amount: Amount }
  | { readonly effect: 'reserve_stock' }
  | { readonly effect: 'work_ticket'; readonly chunk: number; readonly attempt: number; readonly due: Instant }
  | { readonly effect: 'place_leg'; readonly number: number; readonly due: Instant }
  | { readonly effect: 'watch_leg'; readonly number: number }
  | { readonly effect: 'reserve_payout' }
  /** Effects of one lane share a signing account and are carried out one at a time. */
  | { readonly effect: 'sign_intent'; readonly intent: IntentId; readonly lane: string }
  | { readonly effect: 'send_intent'; readonly intent: IntentId }
  | { readonly effect: 'confirm_intent'; readonly intent: IntentId }
  | { readonly effect: 'raise_case'; readonly reason: string };

export type EffectKind = Effect['effect'];

/** A payment to be made exactly once. Creating it and moving the ledger is one transaction. */
export interface NewIntent {
  readonly id: IntentId;
  readonly kind: IntentKind;
  readonly leg: number;
  readonly from: Account;
  readonly amount: Amount;
  readonly to: Address;
  readonly toDeposit: number | undefined;
  readonly binding: string | undefined;
}

/** An intent as it is stored, with what it was given on its way. */
export interface Intent extends NewIntent {
  readonly owner: Owner;
  readonly state: 'reserved' | 'signed' | 'inflight' | 'final' | 'held' | 'void';
  /** The nonce it uses, where its chain has one. */
  readonly nonce: number | undefined;
}

/** Whose work it is: an order's, or the house's own. */
export type Owner = OrderId | 'treasury';

/** One transfer between two accounts of the ledger; every account but `world` stays at or above zero. */
export interface Posting {
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
  readonly amount: Amount;
}

/**
 * world: everything outside. treasury: our inventory. fees: earned. gas: coins sent out to deposit addresses.
 * order: owed to its customer. intent: set apart for one payment in flight.
 */
export type LedgerAccount = 'world' | 'treasury' | 'fees' | 'gas' | `order:${string}` | `intent:${string}`;
