import type { Account } from '../../kernel/account.ts';
import { type Amount, subtract } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, AssetId, OrderId, TxHash } from '../../kernel/ids.ts';
import type { Asset, ChainFacts } from '../../world/chains/chain.ts';
import type { Payment } from '../payment/payment.ts';
import type { LedgerAccount } from '../payment/posting.ts';
import type { Route } from '../quote/quote.ts';
import type { Deal, Execution, State } from './state.ts';

export type Generation = 'v1' | 'v2';
export type Product = 'swap' | 'bridge';

export interface Bridge {
  /** `xmr`, `trx`, `zec`. */
  readonly asset: string;
  /** `deposit`: from the coin to its wrapped form. */
  readonly direction: 'deposit' | 'withdraw';
}

/** An address somebody may be paid at, bound to the order when it was accepted. Never changes. */
export interface Destination {
  /** What may be paid there; part of the binding. */
  readonly asset: AssetId;
  readonly address: Address;
  /** Of one that was accepted after the order was made; the charter names all others. */
  readonly binding?: string;
}

/** What the chain has shown of the deposit so far. */
export interface Funds {
  /** Everything that arrived and has not vanished, pool included. */
  readonly seen: Amount;
  /** What stands deep enough; credited in the ledger. */
  readonly confirmed: Amount;
  /** What of that has left the chain since, or stands there less deep than it must; nothing more is done until it is back. */
  readonly missing?: Amount;
  readonly firstSeenAt: Instant | undefined;
  readonly txHash: TxHash | undefined;
  /** The one plain account everything came from; undefined where the chain does not show one. */
  readonly sender: Address | undefined;
  /** Every plain account that any of it came from, but for specks: each of them is screened. */
  readonly senders: readonly Address[];
  /** There are more of them than can be screened. */
  readonly isCrowd?: boolean;
  readonly have: number;
  readonly need: number;
}

/**
 * Money owed back to whoever sent it. One claim may be the order's own outcome (phase `refunding`);
 * others stand beside the outcome: late, extra and stray deposits.
 */
export interface Claim {
  readonly number: number;
  readonly kind: 'source' | 'wrong_chain' | 'reward';
  readonly amount: Amount;
  /** Where the money lies now, and so what it is refunded from. */
  readonly from: Account;
  /**
   * `pricing`: what its refund would cost is looked up. `kept`: the refund is not made for now, as `kept` says. `paying`: its
   * payment says how far it is. `blocked`: a person must act. `replaced`: a later claim stands for the same money, and nothing
   * is owed by this one any more.
   */
  readonly stage: 'address_required' | 'pricing' | 'kept' | 'paying' | 'completed' | 'blocked' | 'replaced';
  readonly to: Destination | undefined;
  readonly reason: string;
  /** Too little to be given back or shown; it is joined with what comes later, and shown once that is worth it. */
  readonly isSpeck?: boolean;
  /** The desk is why it goes back, so it bears the network cost. Otherwise the cost is deducted. */
  readonly isOurs?: boolean;
  /** A person decided that it goes back whatever that costs. */
  readonly isDecided?: boolean;
  /** What of the amount its own refund costs, and where the ledger has that; it is owed again if the refund is not made. */
  readonly charged?: { readonly amount: Amount; readonly to: LedgerAccount } | undefined;
  /** What of these coins was spent on the refund of another claim, or on one of their own that failed. */
  readonly gasSpent?: Amount;
  readonly kept?: KeptClaim | undefined;
}

/** Why a refund is not made for now, and what it would have cost. */
export interface KeptClaim {
  /** `small`: it is worth too little beside its cost. `unlisted`: nobody can say what the token is worth. */
  readonly why: 'small' | 'unlisted';
  /** In the chain's own coin. */
  readonly cost: Amount;
  /** From this on it would be paid, at that cost. */
  readonly least: Amount | undefined;
  /** When it is priced again; an instruction for another time was followed by a later one. */
  readonly due?: Instant;
}

/** What of a claim is still to be given back. */
export const netOf = ({ amount, charged, gasSpent }: Pick<Claim, 'amount' | 'charged' | 'gasSpent'>): Amount =>
  [charged?.amount, gasSpent].reduce<Amount>((left, taken) => (taken ? subtract(left, taken) : left), amount);

export interface Order {
  readonly id: OrderId;
  readonly version: number;
  readonly generation: Generation;
  readonly product: Product;
  /** What is bridged, and which way; undefined for swaps. */
  readonly bridge: Bridge | undefined;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt: Instant;
  readonly from: Asset;
  readonly to: Asset;
  /** The deposit asked for. */
  readonly asked: Amount;
  /** The quote for `asked`; an estimate, never a floor. */
  readonly expected: Amount;
  /** Smallest deposit that is carried out. */
  readonly minimum: Amount;
  readonly deposits: 'top_up' | 'as_it_comes';
  /** Deposits lie on an address of their own until they are collected to the hot account. */
  readonly collects: boolean;
  /** Who pays for what leaves that address. */
  readonly feePayer: ChainFacts['feePayer'];
  readonly depositAddress: Address;
  readonly depositIndex: number;
  readonly destination: Destination;
  /** What it was made for, signed by whoever took it; the signer pays by it. */
  readonly charter: string;
  /** Given when the chain refused `destination`; written once. */
  readonly replacement: Destination | undefined;
  /** Set when the last leg delivered another asset than was asked for: the same address, bound for that one. */
  readonly fallback: Destination | undefined;
  /** Given at creation or later; written once. */
  readonly refundTo: Destination | undefined;
  readonly route: Route;
  readonly integratorFee: OrderIntegratorFee | undefined;
  /** What the integration has earned, as it was taken. */
  readonly feeEarned?: Amount | undefined;
  /** What was earned of the order beside network costs, and where the ledger has it: it goes back if the order does. */
  readonly earned?: readonly { readonly amount: Amount; readonly to: LedgerAccount }[];
  /** A fee that was asked for and is not taken from the customer. */
  readonly feeSkipped?: SkippedFee | undefined;
  /** Tells the body of the creation, where its session was chosen and does not. */
  readonly askedAs?: string | undefined;
  readonly funds: Funds;
  /** The customer closed the wait for a top-up. */
  readonly waitClosed: boolean;
  /** The plain account everything came from, bound as a place to refund to. */
  readonly sender: Destination | undefined;
  /** What of the confirmed deposit is carried out; the rest of it is in claims. */
  readonly used: Amount;
  /** How the trade on the venue's book ended; undefined until it has. */
  readonly traded: Execution | undefined;
  /** How many swaps were agreed with providers; the next one's number. */
  readonly deals: number;
  /** Deposits on other chains or of other assets, by asset: what of them is already in a claim. */
  readonly strays: readonly Amount[];
  /** What a provider delivered less than it had agreed to at least. */
  readonly shortfall?: Amount | undefined;
  readonly state: State;
  readonly claims: readonly Claim[];
  /** Every payment that was ever made for it, the oldest first. */
  readonly payments: readonly Payment[];
}

export interface OrderIntegratorFee {
  readonly integrationId: string;
  readonly percent: number;
  readonly payoutAddress: Address;
  /** The same address, bound for what the fee is paid in. */
  readonly to?: Destination | undefined;
}

/** Why an integrator's fee is not paid (5.4). */
export type FeeSkipReason = 'too_small' | 'no_address' | 'refunded';

export interface SkippedFee {
  readonly percent: number;
  readonly reason: FeeSkipReason;
}

const paymentFor = (order: Order, isIt: (payment: Payment) => boolean): Payment | undefined =>
  order.payments.findLast(isIt);

/** The last payout, which is the one that counts: a second is made only when the first was refused for good. */
export const payoutPayment = (order: Order): Payment | undefined =>
  paymentFor(order, ({ purpose }) => purpose.for === 'payout');

export const collectionPayment = (order: Order): Payment | undefined =>
  paymentFor(order, ({ purpose }) => purpose.for === 'collection');

export const dealPayment = (order: Order, { number }: Deal): Payment | undefined =>
  paymentFor(order, ({ purpose }) => purpose.for === 'provider_deal' && purpose.deal === number);

export const refundPayment = (order: Order, { number }: Pick<Claim, 'number'>): Payment | undefined =>
  paymentFor(order, ({ purpose }) => purpose.for === 'refund' && purpose.claim === number);
