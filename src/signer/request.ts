import type { Account } from '../kernel/account.ts';
import type { Atoms } from '../kernel/amount.ts';
import type { Instant } from '../kernel/clock.ts';
import type { Address, AssetId, ChainId, IntentId, OrderId, TxHash } from '../kernel/ids.ts';
import type { ChainFamily, Delegated, Loan, SignedTransfer } from '../world/chains/chain.ts';
import type { FamilyKeys } from '../world/chains/family.ts';
import type { SignedAction, Ticket, VenueMove } from '../world/venues/venue.ts';

/** Why money leaves. The signer checks each kind's destination in its own way. */
export type IntentKind = 'payout' | 'refund' | 'fee' | 'fund' | 'gas' | 'sweep' | 'rebalance' | 'cold' | 'fill' | Loan;

/** Two kinds move no money at all. */
export const loanOf = (kind: IntentKind): Loan | undefined =>
  kind === 'lend' || kind === 'reclaim' ? kind : undefined;

/**
 * What the signer is asked to pay: an intent, not bytes. It builds the transaction itself.
 * payout, refund, fee, fund (a provider's deposit address): `binding` was signed when the destination was accepted, `charter` when
 * the order was made.
 * gas: `to` must be one of our deposit addresses. sweep: `to` must be the hot address. rebalance: `to` must be the venue's
 * bridge or our own account. cold: `to` must be what the signer's own settings name for that asset. fill: a
 * provider's deposit address for stock of our own; `binding` was signed when it was agreed. lend, reclaim: `to` must be one of our
 * deposit addresses; whose staked coins they are is for the signer's own settings to say.
 */
export interface TransferRequest {
  readonly intent: IntentId;
  readonly kind: IntentKind;
  readonly owner: OrderId | 'treasury';
  readonly chainId: ChainId;
  readonly from: Account;
  readonly asset: AssetId;
  readonly atoms: Atoms;
  readonly to: Address;
  /** For kind sweep: the hot account sends it, with its own nonce and at its own cost. Which code is bound to is not for the caller to say. */
  readonly delegated?: Delegated;
  /** Index of the deposit address that `to` must be, for kinds gas, lend and reclaim. */
  readonly toDeposit?: number;
  readonly binding?: string;
  /** What the order was made for, as whoever takes orders has signed it. */
  readonly charter?: string;
  /** Bound again: so much may be paid in all as this kind in this asset, as whoever carries orders out has signed it. */
  readonly raised?: Raised;
  /** The second yes, where the value asks for one. */
  readonly approval?: string;
  /** The nonce handed out by the database, where the chain has one. */
  readonly nonce?: number;
  /**
   * The bytes of this intent that the caller has proven dead and wants others in place of. If the signer made later ones
   * that the caller has forgotten, it gives those instead: nobody has looked whether they were paid.
   */
  readonly afterDead?: TxHash;
  readonly fee: Readonly<Record<string, string>>;
}

/** The account whose nonce it uses and that pays for it. */
export const senderOf = ({ from, delegated }: Pick<TransferRequest, 'from' | 'delegated'>): Account =>
  delegated ? 'hot' : from;

export interface Raised {
  readonly most: Atoms;
  readonly binding: string;
}

export interface TradeRequest {
  readonly owner: OrderId | 'treasury';
  readonly ticket: Ticket;
  readonly wire: Readonly<Record<string, string>>;
}

export interface MoveRequest {
  readonly intent: IntentId;
  readonly owner: OrderId | 'treasury';
  readonly kind: IntentKind;
  readonly move: VenueMove;
  /** The token's wire names for a send; empty otherwise. */
  readonly wire: Readonly<Record<string, string>>;
}

/** What the others may know of the keys, by family. */
export type PublicKeys = Readonly<Record<ChainFamily, FamilyKeys>>;

/** PORT of the signer as its callers see it. Asking again for an intent that was signed gives the same bytes again. */
export interface Signer {
  publicKeys(): Promise<PublicKeys>;
  signTransfer(request: TransferRequest): Promise<SignedTransfer>;
  signTrade(request: TradeRequest): Promise<SignedAction>;
  signMove(request: MoveRequest): Promise<SignedAction>;
  /** The newest bytes that were signed for this intent; undefined if there never were any. */
  signedTransfer(intent: IntentId): Promise<SignedBefore | undefined>;
  /** The ticket that was signed under this client id, as the journal has it; undefined if there never was one. */
  signedTrade(clientId: Ticket['clientId']): Promise<SignedTrade | undefined>;
}

export interface SignedBefore {
  readonly bytes: SignedTransfer;
  /** By the signer's own clock, and whatever a node says, they can take effect no more. Never so of bytes that do not expire. */
  readonly isOver: boolean;
}

/** A trade as the journal has it. */
export interface SignedTrade {
  readonly request: TradeRequest;
  readonly answer: SignedAction;
  readonly at: Instant;
}

/** One signature: what was asked and the exact bytes that were answered. */
export type Entry =
  | {
      readonly signed: 'transfer';
      readonly request: TransferRequest;
      readonly answer: SignedTransfer;
      /** What of it rests on the word of whoever carries orders out. */
      readonly onEngine?: Atoms;
    }
  | { readonly signed: 'trade'; readonly request: TradeRequest; readonly answer: SignedAction }
  | { readonly signed: 'move'; readonly request: MoveRequest; readonly answer: SignedAction };

/** How far a journal goes: its hash covers every line up to that number. */
export interface JournalMark {
  readonly seq: number;
  readonly hash: string;
}

export interface JournalLine extends JournalMark {
  readonly at: Instant;
  readonly entry: Entry;
}

export interface JournalPage {
  /** The line that the asker knows is the same here; false where the journal was shortened, emptied or is another one. */
  readonly isKnown: boolean;
  readonly head: JournalMark;
  /** Those after it, the oldest first, as many as a reply holds. */
  readonly lines: readonly JournalLine[];
  /** Why nothing can be written down, so that nothing is signed; left out while all is well. */
  readonly unwritable?: string;
}

/**
 * Asks for the lines after one that the asker knows; 0 and an empty journal's hash for all of them. `saved` are the newest
 * transactions that the asker has: a journal without one of them was shortened after the mark was taken.
 */
export interface JournalRequest extends JournalMark {
  readonly saved?: readonly SignedForRequest[];
}

export interface SignedTradeRequest {
  readonly clientId: Ticket['clientId'];
}

export interface SignedTransferRequest {
  readonly intent: IntentId;
}

/** Where faults of the journal are from. */
export const AT_JOURNAL = 'signer:journal';

/** What a journal without a line has in place of a hash. */
export const EMPTY_JOURNAL: JournalMark = { seq: 0, hash: '0'.repeat(64) };

/** Asks what a transaction was signed for. */
export interface SignedForRequest {
  readonly chainId: ChainId;
  readonly txHash: TxHash;
}
