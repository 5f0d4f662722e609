import type { IntentId, TxHash } from '../../kernel/ids.ts';
import type { Part } from '../../kernel/transfer-part.ts';
import type { ByHand } from './payment.ts';

/** What a payment asks of the world. Each may be repeated: handlers find before they act. */
export type PaymentEffect =
  | { readonly effect: 'price_payment'; readonly payment: IntentId }
  /** `replaces`: the bytes that are to be outbid. Effects of one lane share a signing account and are carried out one at a time. */
  | {
      readonly effect: 'sign_transfer';
      readonly payment: IntentId;
      readonly part: Part;
      readonly lane: string;
      /** Nobody waits for it: others of its lane go first for a while. */
      readonly letsPass?: true;
      readonly replaces?: TxHash;
    }
  | { readonly effect: 'send_transfer'; readonly payment: IntentId; readonly part: Part }
  /** Until it is settled: what falls out is sent again. */
  | { readonly effect: 'watch_transfer'; readonly payment: IntentId; readonly part: Part }
  /** Somebody says that this transaction paid it: the chain is asked, and only then it counts. */
  | {
      readonly effect: 'check_settlement';
      readonly payment: IntentId;
      readonly part: Part;
      readonly txHash: TxHash;
      readonly byHand: ByHand;
    };
