import type { Account } from '../../kernel/account.ts';
import type { Amount } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, AssetId, TxHash } from '../../kernel/ids.ts';
import type { PaymentFact } from '../payment/fact.ts';
import type { ByHand } from '../payment/payment.ts';
import type { FeeTerm } from '../quote/quote.ts';
import type { Destination, Funds } from './order.ts';
import type { Deal } from './state.ts';

/** What happened, in the past tense. Facts bring their own time and may come twice, late or in any order. */
export type OrderFact = { readonly at: Instant } & (
  | ({ readonly fact: 'deposit_observed'; readonly firstSeenAt: Instant; readonly txHash: TxHash } & Omit<
      Funds,
      'missing'
    >)
  /** Another asset, or another chain: everything confirmed of it so far. */
  | {
      readonly fact: 'stray_observed';
      readonly total: Amount;
      readonly from: Account;
      /** What is new of it is worth nothing, with what had been too little before. */
      readonly isSpeck?: boolean;
    }
  /** Mining rewards, which cannot be carried out: everything that came of them so far. */
  | { readonly fact: 'reward_observed'; readonly total: Amount; readonly from: Account }
  | { readonly fact: 'deadline_passed' }
  | { readonly fact: 'wait_closed' }
  /** `sender` is bound as a refund destination where the chain shows one; `hot` is where deposits of that chain are collected. */
  | {
      readonly fact: 'deposit_screened';
      readonly clear: boolean;
      /** It is not clear because of who sent it. */
      readonly isTainted?: boolean;
      /** Where it is tainted: what each plain account sent of it, those of the most first. Nobody is known for the rest. */
      readonly parts?: readonly Part[];
      readonly sender: Destination | undefined;
      readonly hot: Address;
      /** It goes on at once with coins of the desk, if it may and the desk has them; left out, or false, it is collected first. */
      readonly fromStock?: boolean;
      /** What networks take now; undefined where that was not looked up. */
      readonly costs?: CostsNow;
    }
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
  /**
   * Our own account shows it. Where another asset came than was agreed, `most` is as much of it as what was agreed is worth. `to` binds
   * the customer's address for an asset that nobody asked for.
   */
  | {
      readonly fact: 'leg_delivered';
      readonly number: number;
      readonly got: Amount;
      readonly most?: Amount;
      readonly to: Destination | undefined;
    }
  | { readonly fact: 'leg_returned'; readonly number: number; readonly got: Amount }
  | { readonly fact: 'leg_failed'; readonly number: number; readonly reason: string }
  /** A person decided that a deposit which could not be collected, or a claim whose refund was refused, is given back. */
  | { readonly fact: 'give_back_decided'; readonly what: GivingBack; readonly byHand: ByHand }
  /**
   * What giving a claim back costs now, in the chain's own coin and as an amount of the claimed asset; undefined where nobody
   * can say what that asset is worth.
   */
  | {
      readonly fact: 'claim_priced';
      readonly claim: number;
      readonly cost: Amount;
      readonly inAsset: Amount | undefined;
      /** No less can be sent there, whatever it costs. */
      readonly least?: Amount;
      /** A listed account sent all of it: there it goes, and to no address that was named. */
      readonly sender?: Destination;
    }
  /** Paying the integration's fee costs no more than the fee, or was waited for long enough. */
  | { readonly fact: 'fee_priced'; readonly cost: Amount }
  /** A person had a fee that was refused tried again. */
  | { readonly fact: 'fee_retried' }
  /** A person had a collection that was refused tried again. */
  | { readonly fact: 'collection_retried' }
  | { readonly fact: 'refund_address_given'; readonly to: Destination }
  | { readonly fact: 'payout_address_given'; readonly to: Destination }
);

/** What one account sent, which is bound as a place to refund to. */
export interface Part {
  readonly amount: Amount;
  readonly to: Destination;
}

/** What carrying out an order costs on networks now. The sums are said in what was deposited. */
export interface CostsNow {
  readonly fees: readonly FeeTerm[];
  readonly now: Amount;
  /** What was reckoned with when the order was made, at the prices of now. */
  readonly quoted: Amount;
  /** What paying the integration costs, in what its fee is taken in; undefined where it takes none. */
  readonly fee?: Amount | undefined;
}

export type GivingBack = 'deposit' | { readonly claim: number };

/** Facts of a payment move the payment; the order hears what they mean for it. */
export type Fact = OrderFact | PaymentFact;

export type OrderFactKind = OrderFact['fact'];
/** A fact of this kind. */
export type Of<K extends OrderFactKind> = Extract<OrderFact, { readonly fact: K }>;
