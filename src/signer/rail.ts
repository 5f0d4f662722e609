import type { Account } from '../kernel/account.ts';
import type { Atoms } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import type { Instant } from '../kernel/clock.ts';
import type { Address, AssetId, ChainId } from '../kernel/ids.ts';
import type { Ratio } from '../kernel/ratio.ts';
import type { Delegated, Loan, SignedTransfer } from '../world/chains/chain.ts';
import type { SignedAction } from '../world/venues/venue.ts';
import type { MoveRequest, TradeRequest, TransferRequest } from './request.ts';
import type { Refusal } from './verdict.ts';

/** What signed bytes would really do, read back from the bytes alone. */
export interface Told {
  readonly chainId: ChainId;
  readonly from: Address;
  readonly asset: AssetId;
  readonly atoms: Atoms;
  readonly to: Address;
  readonly nonce: number | undefined;
  readonly delegated?: Delegated | undefined;
  /** No money moves. */
  readonly loan?: Loan | undefined;
}

export type FeeFields = TransferRequest['fee'];

/**
 * PORT. One chain family as the signer's core sees it. The core decides whether to sign; a rail only knows how.
 * What returns a promise may throw a `Fault`; the rest is pure.
 */
export interface TransferRail {
  readonly chains: readonly ChainId[];
  /** The accounts have nonces, and the caller says which one to use. */
  readonly hasNonces: boolean;
  /** The hot account can have a deposit account pay. */
  readonly delegates?: boolean;
  /** The hot key may lend the use of coins that somebody has staked, so many at a time. Whose they are, the settings say. */
  readonly lends?: { readonly most: Atoms } | undefined;
  /**
   * What a payment of one of these assets costs at least if it is the first to its address; absent where the bytes say all
   * that they cost.
   */
  readonly opening?: { readonly cost: Atoms; readonly by: readonly AssetId[] };
  nativeAsset(chain: ChainId): AssetId;
  /** Canonical spelling, or undefined for what cannot be paid. */
  canonical(address: string): Address | undefined;
  /** Our own address; undefined where deposits have no account of their own. */
  addressOf(account: Account): Address | undefined;
  /** Why a well-meant request still cannot be built (an unknown token, a fee field that is missing), or undefined. */
  objection(request: TransferRequest): string | undefined;
  /** Whether a node would take `next` in place of `held`. */
  outbids(next: FeeFields, held: FeeFields): boolean;
  /**
   * Whether bytes that were signed then with these fields can take effect no more, by our own clock and with a margin. Only
   * where bytes expire: elsewhere what was signed stays good until something else takes its place for good, and then nobody
   * but a person may pay again.
   */
  isOver?(fee: FeeFields, signedAt: Instant, now: Instant): boolean;
  sign(request: TransferRequest): Promise<SignedTransfer>;
  /** A refusal where the bytes are not those that they are said to be. */
  tell(signed: SignedTransfer, request: TransferRequest): Promise<Told | Refusal>;
  /** Lets go of what was set aside for bytes that will never leave, and that serves no others. */
  giveBack(tokens: readonly string[]): Promise<void>;
  /** Where payments need outputs of their own: parts of at least `atoms` each, or undefined while there are enough. */
  split?(request: TransferRequest): Promise<SignedTransfer | undefined>;
}

/** PORT. The venue as the signer's core sees it; pure, but for `ownTrades`, which may throw a `Fault`. */
export interface VenueRail {
  readonly chainId: ChainId;
  readonly account: Address;
  /** Of every withdrawal, in the venue's own coin; and the least that is worth it. */
  readonly withdrawalFee: Atoms;
  readonly leastWithdrawal: Atoms;
  canonical(address: string): Address | undefined;
  tradeObjection(request: TradeRequest): string | undefined;
  moveObjection(request: MoveRequest): string | undefined;
  signTrade(request: TradeRequest): SignedAction;
  signMove(request: MoveRequest): SignedAction;
  /** Whether the body says what the request asked, read back from the body alone. */
  tradeSays(body: string, request: TradeRequest): boolean;
  moveSays(body: string, request: MoveRequest): boolean;
  /** What the account traded of late on the one market: the venue itself is asked, and nobody between. */
  ownTrades(): Promise<readonly OwnTrade[]>;
}

/** What we gave or took for a coin, by the venue's own words and time. */
export interface OwnTrade {
  readonly price: Ratio;
  readonly at: Instant;
}

/** The account that pays out; every family has one. */
export const hotOf = (rail: TransferRail): Address => present(rail.addressOf('hot'), 'hot address');
