import type { Amount } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, AssetId, TxHash } from '../../kernel/ids.ts';
import type { IntentKind } from '../../signer/request.ts';
import type { Account } from '../../world/chains/chain.ts';
import type { Destination } from './order.ts';
import type { Deal } from './state.ts';

export type IntentRef = { readonly kind: IntentKind; readonly leg: number };

/** What happened, in the past tense. Facts bring their own time and may come twice, late or in any order. */
export type Fact = { readonly at: Instant } & (
  | {
      readonly fact: 'deposit_observed';
      readonly seen: Amount;
      readonly confirmed: Amount;
      readonly firstSeenAt: Instant;
      readonly txHash: TxHash;
      readonly sender: Address | undefined;
      readonly senders: readonly Address[];
      readonly have: number;
      readonly need: number;
    }
  /** Another asset, or another chain: everything confirmed of it so far. */
  | {
      readonly fact: 'stray_observed';
      readonly total: Amount;
      readonly from: Account;
    }
  /** Mining rewards, which cannot be carried out: everything that came of them so far. */
  | { readonly fact: 'reward_observed'; readonly total: Amount; readonly from: Account }
  | { readonly fact: 'deadline_passed' }
  | { readonly fact: 'wait_closed' }
  /** `sender` is bound as a refund destination where the chain shows one. */
  | { readonly fact: 'deposit_screened'; readonly clear: boolean; readonly sender: Destination | undefined }
  /** What the account still needs to pay for its transfer, and where deposits of that chain are collected. */
  | { readonly fact: 'gas_priced'; readonly forWhat: IntentRef; readonly needed: Amount; readonly hot: Address }
  | { readonly fact: 'stock_reserved' }
  | { readonly fact: 'payout_reserved' }
  | { readonly fact: 'inventory_short'; readonly asset: AssetId }
  /** A ticket can fill no further. Amounts are the whole ticket's; the lot's remainder is the treasury's. */
  | {
      readonly fact: 'ticket_done';
      readonly chunk: number;
      readonly attempt: number;
      readonly spent: Amount;
      readonly got: Amount;
      /** What is left of the chunk is too small for the venue. */
      readonly last: boolean;
    }
  /** A provider agreed to carry out the leg; nothing is sent to it before this is kept. */
  | { readonly fact: 'leg_placed'; readonly deal: Deal }
  /** Nobody offers what the order needs. */
  | { readonly fact: 'leg_declined'; readonly number: number; readonly refused: boolean }
  /** Our own account shows it. `to` binds the customer's address for an asset that nobody asked for. */
  | {
      readonly fact: 'leg_delivered';
      readonly number: number;
      readonly got: Amount;
      readonly to: Destination | undefined;
    }
  | { readonly fact: 'leg_returned'; readonly number: number; readonly got: Amount }
  | { readonly fact: 'leg_failed'; readonly number: number; readonly reason: string }
  | { readonly fact: 'intent_signed'; readonly intent: IntentRef; readonly txHash: TxHash }
  | { readonly fact: 'intent_sent'; readonly intent: IntentRef }
  /** `amount` left the account, `cost` of the chain's own coin went with it. */
  | {
      readonly fact: 'intent_final';
      readonly intent: IntentRef;
      readonly txHash: TxHash;
      readonly amount: Amount;
      readonly cost: Amount;
    }
  /** Will not be paid: refused before it was signed, or executed and failed (then with what that cost). */
  | {
      readonly fact: 'intent_refused';
      readonly intent: IntentRef;
      readonly reason: string;
      readonly cost: Amount | undefined;
    }
  | { readonly fact: 'refund_address_given'; readonly to: Destination }
  | { readonly fact: 'payout_address_given'; readonly to: Destination }
);

export type FactKind = Fact['fact'];
/** A fact of this kind. */
export type Of<K extends FactKind> = Extract<Fact, { readonly fact: K }>;
