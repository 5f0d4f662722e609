import type { Instant } from '../../kernel/clock.ts';
import type { AssetId, IntentId } from '../../kernel/ids.ts';
import type { PaymentEffect } from '../payment/effect.ts';
import type { ByHand } from '../payment/payment.ts';

/** Instructions to the world, in the imperative. Each is carried out by one handler of one stage. */
export type Effect =
  | PaymentEffect
  /** What a refund costs is looked up before anything is set apart for it; with `due`, again at that time. */
  | { readonly effect: 'price_claim'; readonly claim: number; readonly due?: Instant }
  /** What paying the integration's fee costs is looked up; then it is paid, or not. */
  | { readonly effect: 'pay_fee' }
  | { readonly effect: 'judge_deadline'; readonly due: Instant }
  | { readonly effect: 'screen_deposit' }
  | { readonly effect: 'reserve_stock' }
  | { readonly effect: 'work_ticket'; readonly chunk: number; readonly attempt: number; readonly due: Instant }
  | { readonly effect: 'place_leg'; readonly number: number; readonly due: Instant }
  | { readonly effect: 'watch_leg'; readonly number: number }
  | { readonly effect: 'reserve_payout' }
  /** Somebody has a deposit that the order did not wait for collected once more. */
  | { readonly effect: 'collect_again' }
  /** Bytes from before the database was restored pay more than the treasury had: their payment is opened once it has it. */
  | { readonly effect: 'open_adopted'; readonly payment: IntentId }
  /** Somebody says what a lasting difference between ledger and chain is: it is booked, if it is still there. */
  | { readonly effect: 'adopt_drift'; readonly asset: AssetId; readonly atoms: bigint; readonly byHand: ByHand }
  /** Somebody has counted what a cold store holds. */
  | { readonly effect: 'count_cold'; readonly asset: AssetId; readonly atoms: bigint; readonly byHand: ByHand };

export type EffectKind = Effect['effect'];
