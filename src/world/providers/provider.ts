import type { Amount, Atoms } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, AssetId, TxHash } from '../../kernel/ids.ts';
import type { Ratio } from '../../kernel/ratio.ts';

/** What is wanted of a provider: this much in, as much as can be had out, to that address. */
export interface Swap {
  readonly input: Amount;
  readonly output: AssetId;
  /** The most that delivery may fall short of the quote. */
  readonly slippage: Ratio;
  /** Who is paid on the output's chain, and who on the input's chain if it comes to nothing. */
  readonly recipient: Address;
  readonly refundTo: Address;
  /** A deposit after this is sent back. */
  readonly deadline: Instant;
}

export interface ProviderQuote {
  readonly output: Amount;
  /** Least that is delivered; anything less is refunded. */
  readonly least: Amount;
  readonly seconds: number;
}

/** A deposit address bound to one swap. It is stored before anything is sent to it, and funded once. */
export interface ProviderOrder {
  /** How the provider knows it; the key for every later question. */
  readonly id: string;
  readonly depositAddress: Address;
  readonly input: Amount;
  readonly output: Amount;
  readonly least: Amount;
  readonly deadline: Instant;
}

/** As the provider tells it. What was delivered or refunded counts only once our own chain reading shows it. */
export type ProviderStatus =
  /** It does not know the order; proof of nothing. */
  | { readonly state: 'unknown' }
  | { readonly state: 'awaiting_deposit' }
  /** Less than asked arrived; it waits, or refunds at its deadline. */
  | { readonly state: 'incomplete'; readonly received: Atoms }
  | { readonly state: 'processing' }
  /** The asset may be another than was asked for (a fallback); the amount is what it says it sent. */
  | { readonly state: 'delivered'; readonly output: Amount; readonly txHash: TxHash | undefined }
  | { readonly state: 'refunded'; readonly amount: Amount; readonly txHash: TxHash | undefined }
  | { readonly state: 'failed'; readonly reason: string };

/**
 * PORT. A deposit-address provider: the signer signs nothing for it but plain transfers. Everything may be repeated.
 * Opening twice gives two orders, of which the unfunded one dies at its deadline. Errors are `Fault`s.
 */
export interface Provider {
  readonly name: string;
  /** False while it cannot tell what it supports; ready unless it says otherwise. */
  isReady?(): boolean;
  /** Pure: from the token list read at opening. */
  supports(input: AssetId, output: AssetId): boolean;
  /** What it would do now; undefined where it offers nothing. Creates nothing. */
  quote(swap: Swap): Promise<ProviderQuote | undefined>;
  open(swap: Swap): Promise<ProviderOrder>;
  status(order: ProviderOrder): Promise<ProviderStatus>;
  /** Tells it of our funding transaction, which hurries it; never needed. */
  funded(order: ProviderOrder, txHash: TxHash): Promise<void>;
}
