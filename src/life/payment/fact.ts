import type { Amount } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { IntentId, TxHash } from '../../kernel/ids.ts';
import type { Part } from '../../kernel/transfer-part.ts';
import type { ByHand, Unnamed } from './payment.ts';

/** What happened to a payment, in the past tense. Facts may come twice, late or in any order. */
export type PaymentFact = { readonly at: Instant; readonly payment: IntentId } & (
  | { readonly fact: 'transfer_sent'; readonly part: Part }
  /** Gas became dearer than what was sent ahead, which has settled: it is priced anew. Nothing was signed yet. */
  | { readonly fact: 'gas_short' }
  /** `gas` is what its account must get first, or the staked coins whose use it is lent; `cost` what the transfer usually costs. */
  | {
      readonly fact: 'payment_priced';
      readonly gas: Amount;
      readonly cost: Amount;
      readonly isDelegated?: boolean;
      readonly isLent?: boolean;
    }
  /**
   * The chain would refuse it whatever we pay. It counts only while nothing was signed: told later, it proves nothing. `afterDead`: or
   * while these are the newest bytes, which are proven dead; the signer made no others, and none before them live.
   */
  | { readonly fact: 'payment_refused'; readonly part: Part; readonly reason: string; readonly afterDead?: TxHash }
  | ({ readonly fact: 'transfer_signed'; readonly part: Part; readonly txHash: TxHash } & Unnamed)
  /** A block holds it and it worked. `cost` of the chain's own coin went with it. */
  | { readonly fact: 'transfer_confirmed'; readonly part: Part; readonly txHash: TxHash; readonly cost: Amount }
  /** Final by the chain's own rule. `worked: false`: it was executed and failed, so its value never left. */
  | {
      readonly fact: 'transfer_settled';
      readonly part: Part;
      readonly txHash: TxHash;
      readonly cost: Amount;
      readonly worked: boolean;
      /** Who named the transaction, where our own books did not know it. */
      readonly byHand?: ByHand;
    }
  /** It is not mined though its chain's deadline has passed. `replaceable`: a higher fee may help. */
  | {
      readonly fact: 'transfer_stuck';
      readonly part: Part;
      readonly txHash: TxHash;
      readonly replaceable: boolean;
      readonly reason: string;
    }
  /** These bytes can never take effect, and the signer may make no others in their place. */
  | { readonly fact: 'transfer_dead'; readonly part: Part; readonly txHash: TxHash; readonly proof: string }
  /** A transaction that somebody named does not pay this, as its chain shows. */
  | { readonly fact: 'settlement_refused'; readonly part: Part; readonly txHash: TxHash; readonly reason: string }
);

export type PaymentFactKind = PaymentFact['fact'];
export type PaymentFactOf<K extends PaymentFactKind> = Extract<PaymentFact, { readonly fact: K }>;
