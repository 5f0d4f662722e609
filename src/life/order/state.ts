import type { Amount } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { AssetId } from '../../kernel/ids.ts';
import type { ProviderOrder } from '../../world/providers/provider.ts';

/** Progress of the trade on the venue. Inputs and outputs are the customer's share, in the venue's assets. */
export interface Execution {
  readonly leg: number;
  /** What there is to spend in this leg. */
  readonly total: Amount;
  /** What of it was exchanged for the treasury's so far: chunk by chunk, so that a long trade ties up one chunk of the stock. */
  readonly reserved: Amount;
  readonly spent: Amount;
  readonly got: Amount;
  readonly chunk: number;
  /** Tries within the chunk; with the chunk it names the ticket. */
  readonly attempt: number;
  readonly chunks: number;
  /** What this chunk still has to spend. */
  readonly chunkLeft: Amount;
  /** Since when the book gives nothing acceptable. */
  readonly idleSince: Instant | undefined;
}

/** A swap agreed with a provider: kept before it is funded, funded once, under a number of its own in the order. */
export interface Deal {
  readonly number: number;
  readonly provider: string;
  readonly terms: ProviderOrder;
  readonly binding: string;
  /** Nothing that came before it was agreed on can be what it brings. */
  readonly placedAt: Instant;
}

/** What the order's money is when a leg's turn comes, before the fees of that moment; it lies on the hot account or the venue. */
interface AtLeg {
  readonly leg: number;
  readonly held: Amount;
}

/** What the treasury lacks for the order to go on, since when, and whether that is longer than anybody must wait. */
export interface Shortage {
  readonly shortOf: AssetId | undefined;
  readonly shortSince?: Instant;
  readonly isOverdue?: boolean;
}

/** How long what is not final is waited for, where a part of the deposit is. */
export interface RestWait {
  readonly until: Instant;
  /** That part is enough by itself, or the customer said not to wait for more. */
  readonly isReady: boolean;
}

/** Each phase carries exactly what is true in it. What the chain showed of the deposit is in `order.funds`. */
export type State =
  /** `until`: enough was seen in time and has left the chain again; it may come back after the deadline. */
  | { readonly phase: 'awaiting_deposit'; readonly until?: Instant }
  /** Enough was seen, or the wait was closed; it must become final. `rest`: a part of it is. */
  | { readonly phase: 'confirming'; readonly closed: boolean; readonly rest?: RestWait }
  /** Confirmed, but under the order's minimum; a top-up continues it. */
  | { readonly phase: 'below_minimum' }
  | { readonly phase: 'screening' }
  /** The deposit is taken from its own address to the hot account; its payment says how far it is. */
  | { readonly phase: 'collecting' }
  /**
   * The money is exchanged for the treasury's where the leg needs it, which is `stock`; waits while that is short. `run` is a
   * trade under way that needs its next chunk.
   */
  | ({ readonly phase: 'stocking'; readonly stock: Amount; readonly run?: Execution } & Shortage & AtLeg)
  | ({ readonly phase: 'trading'; readonly run: Execution } & AtLeg)
  /** A provider is looked for. */
  | ({ readonly phase: 'placing'; readonly since: Instant; readonly refusals: number } & AtLeg)
  /** The provider is paid, carries out the swap and delivers, or gives back. */
  | ({ readonly phase: 'swapping'; readonly deal: Deal } & AtLeg)
  /** The provider says that it failed and shows neither delivery nor refund; a person asks it, and the order waits. */
  | ({ readonly phase: 'provider_failed'; readonly deal: Deal; readonly reason: string } & AtLeg)
  /** Execution is done; the payout waits for its reservation. `exchanged`: `held` is what is paid, fees are taken. */
  | ({
      readonly phase: 'payout_due';
      readonly held: Amount;
      readonly out: Amount;
      readonly exchanged: boolean;
    } & Shortage)
  | { readonly phase: 'paying'; readonly out: Amount }
  /** The chain refuses the destination for good; the customer may give another, once, or have it back. */
  | { readonly phase: 'payout_refused'; readonly out: Amount; readonly reason: string }
  /** What there is goes back; that claim says how far it is. */
  | { readonly phase: 'refunding'; readonly claim: number; readonly reason: string }
  | { readonly phase: 'completed'; readonly out: Amount; readonly at: Instant }
  | { readonly phase: 'refunded'; readonly claim: number; readonly reason: string; readonly at: Instant }
  | { readonly phase: 'expired'; readonly at: Instant }
  /** Nothing is owed automatically; a person must act. */
  | { readonly phase: 'failed'; readonly code: string; readonly at: Instant };

export type Phase = State['phase'];
/** The state in this phase. */
export type In<P extends Phase> = Extract<State, { readonly phase: P }>;

/** The one table of legal moves. It feeds the assertion, the property tests and the printed map. */
export const NEXT: Readonly<Record<Phase, readonly Phase[]>> = {
  awaiting_deposit: ['confirming', 'below_minimum', 'screening', 'refunding', 'refunded', 'expired'],
  confirming: ['awaiting_deposit', 'below_minimum', 'screening', 'expired'],
  below_minimum: ['awaiting_deposit', 'confirming', 'screening', 'expired'],
  screening: ['collecting', 'stocking', 'placing', 'refunding'],
  collecting: ['stocking', 'placing', 'refunding', 'failed'],
  stocking: ['trading', 'placing', 'payout_due', 'refunding', 'failed'],
  trading: ['stocking', 'payout_due', 'refunding', 'failed'],
  placing: ['swapping', 'refunding'],
  swapping: ['stocking', 'placing', 'payout_due', 'provider_failed', 'refunding', 'failed'],
  provider_failed: ['stocking', 'placing', 'payout_due', 'refunding', 'failed'],
  payout_due: ['paying', 'refunding'],
  paying: ['completed', 'payout_refused', 'refunding'],
  payout_refused: ['payout_due', 'refunding'],
  refunding: ['refunded'],
  completed: [],
  refunded: [],
  expired: ['refunded'],
  failed: [],
};

/** Complete by type: whether an order that came here is over, but for what is still owed beside it. */
export const IS_FINAL: Readonly<Record<Phase, boolean>> = {
  awaiting_deposit: false,
  confirming: false,
  below_minimum: false,
  screening: false,
  collecting: false,
  stocking: false,
  trading: false,
  placing: false,
  swapping: false,
  provider_failed: false,
  payout_due: false,
  paying: false,
  payout_refused: false,
  refunding: false,
  completed: true,
  refunded: true,
  expired: true,
  failed: true,
};
