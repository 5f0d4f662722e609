import type { Instant } from '../../kernel/clock.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { SignedTransfer } from '../../world/chains/chain.ts';
import type { Owner } from '../payment/payment.ts';
import type { Effect, EffectKind } from './effect.ts';
import type { Fact } from './fact.ts';
import type { Order } from './order.ts';

/** An instruction as a handler gets it. The key is the same on every try: find by it before acting. */
export interface Job<K extends EffectKind = EffectKind> {
  readonly key: string;
  readonly owner: Owner;
  readonly effect: Extract<Effect, { readonly effect: K }>;
  readonly tries: number;
  /** Since when every try has failed; undefined where the one before this did not. */
  readonly troubledSince: Instant | undefined;
}

/**
 * What came of it. A fact is committed together with the instruction's completion and, where bytes were signed, with them.
 * `whenShort` is told instead when the ledger says that the treasury lacks an asset; the instruction is then tried again.
 * `orElse` is told instead in that case, and ends the instruction as well.
 * `trouble` says what it waits for although it should not have to: where that lasts, a person is told.
 */
export type Done =
  | {
      readonly fact: Fact;
      readonly attempt?: SignedTransfer;
      readonly whenShort?: (asset: AssetId) => Fact;
      readonly orElse?: Fact;
    }
  /** `isLasting`: what is wrong began before this instruction did. `heldBy`: nothing is wrong, and somebody wants it to wait. */
  | { readonly againInMs: number; readonly trouble?: string; readonly isLasting?: boolean; readonly heldBy?: string }
  | 'done';

export type Handler<K extends EffectKind> = (job: Job<K>, order: Order) => Promise<Done>;
