import type { Amount, Atoms } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, AssetId, ChainId, TxHash } from '../../kernel/ids.ts';
import type { Ratio } from '../../kernel/ratio.ts';
import type { ChainRules } from '../chains/chain.ts';

export type Side = 'buy' | 'sell';

/** Prices are quote atoms per base atom, exactly, so that `scale` turns one side into the other. */
export interface Level {
  readonly price: Ratio;
  readonly size: Atoms;
}

/** Best price first on both sides. */
export interface Book {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** By the venue's own clock. */
  readonly at: Instant;
}

export interface Market {
  readonly name: string;
  readonly base: AssetId;
  readonly baseDecimals: number;
  readonly quote: AssetId;
  readonly quoteDecimals: number;
  /** Sizes are whole multiples of this many base atoms. */
  readonly lot: Atoms;
  /** Smallest order, in quote atoms. */
  readonly minNotional: Atoms;
  /** Charged in what the taker receives: base when buying, quote when selling. */
  readonly takerFee: Ratio;
  /** How the venue's own protocol names this market; travels to the signer as it is. */
  readonly wire: Readonly<Record<string, string>>;
}

/** One immediate-or-cancel order. The client id is ours and is the key by which it is found again. */
export interface Ticket {
  readonly clientId: `0x${string}`;
  readonly side: Side;
  readonly size: Atoms;
  /** Worst acceptable price in the venue's own spelling, from `priceText`. */
  readonly limit: string;
  readonly nonce: number;
  /** By its own clock the venue refuses the order after this; past it, an unknown client id is proof that it never will exist. */
  readonly expiresAfter: Instant;
}

/** What the treasury asks of the venue beside trading. Each is one signed action with one nonce. */
export type VenueMove =
  | {
      readonly move: 'send';
      readonly asset: AssetId;
      readonly atoms: Atoms;
      readonly to: Address;
      readonly nonce: number;
    }
  | { readonly move: 'withdraw'; readonly atoms: Atoms; readonly to: Address; readonly nonce: number }
  /** Within our own account: what arrived from the home chain goes to where it can be traded. */
  | { readonly move: 'to_trading'; readonly atoms: Atoms; readonly nonce: number }
  /** Withdrawals leave from where deposits arrive: what was earned by trading goes there first. */
  | { readonly move: 'to_transit'; readonly atoms: Atoms; readonly nonce: number };

/** Signed action as stored before it is posted: the exact JSON body of the request. */
export interface SignedAction {
  readonly nonce: number;
  readonly body: string;
}

export interface Fill {
  readonly tradeId: string;
  readonly clientId: string | undefined;
  readonly txHash: TxHash | undefined;
  readonly side: Side;
  /** Decimal text as the venue wrote it, for display. */
  readonly price: string;
  readonly size: Atoms;
  readonly quote: Atoms;
  /** In base when buying, in quote when selling. */
  readonly fee: Amount;
  readonly at: Instant;
}

export type TicketStatus =
  /** Not known to the venue; before `expiresAfter` this proves nothing. */
  | { readonly state: 'unknown' }
  | { readonly state: 'open' }
  /** No further fill can come. `placedAt` is by the venue's own clock, as the times of fills are. */
  | { readonly state: 'done'; readonly filled: Atoms; readonly reason: string; readonly placedAt: Instant };

export interface LedgerRow {
  /** Natural key: unique for ever. */
  readonly key: string;
  readonly kind:
    | 'deposit'
    | 'withdraw'
    /** Somebody else's. Where nobody can tell which token it is, it is one that we do not hold, and nothing of it. */
    | 'send_in'
    /** Somebody else's, to where deposits arrive. */
    | 'transit_in'
    | 'send_out'
    | 'to_trading'
    | 'to_transit'
    | 'activation'
    /** What the account itself did, or what nobody else can have done: nobody knows what it is. */
    | 'other';
  readonly asset: AssetId;
  readonly atoms: Atoms;
  readonly fee: Atoms;
  readonly counterparty: Address | undefined;
  readonly nonce: number | undefined;
  readonly txHash: TxHash;
  readonly at: Instant;
}

/** Some rows of a ledger, oldest first. */
export interface LedgerPage {
  readonly rows: readonly LedgerRow[];
  /** Where to read on: rows of that instant may come again. */
  readonly next: Instant;
  /** Nothing was there after these. */
  readonly isEnd: boolean;
  /** At this instant there is more than can be read; it is not looked at again. */
  readonly passedOver: Instant | undefined;
}

/**
 * PORT. Posting may be repeated with identical bytes and proves nothing; look up by client id, nonce or ledger row.
 * Pure methods say so; all else may throw a `Fault`.
 */
export interface Venue {
  readonly chainId: ChainId;
  readonly rules: ChainRules;
  readonly account: Address;
  readonly market: Market;
  /** Pure: how the venue's own protocol names a token; travels to the signer as it is. */
  tokenWire(asset: AssetId): Readonly<Record<string, string>>;
  /** Pure: the nearest price the venue accepts that is not worse for us than `price`, as it spells it. */
  priceText(price: Ratio, side: Side): string;
  book(): Promise<Book>;
  /** Dollars for one whole unit, by symbol (`XMR`, `ETH`, …): for display and network costs. */
  prices(): Promise<ReadonlyMap<string, Ratio>>;
  post(signed: SignedAction): Promise<void>;
  ticket(clientId: string): Promise<TicketStatus>;
  /** Every fill from `since` on, oldest first, paged to the end. */
  fills(since: Instant): Promise<readonly Fill[]>;
  /** Balances that can be traded or sent now: of the market's two sides first, then of whatever else is held. */
  balances(): Promise<readonly Amount[]>;
  /** Rows of `user` (our account by default) from `since` on: one page of them, since anyone may write there. */
  ledger(since: Instant, user?: Address): Promise<LedgerPage>;
  /** Of the market's quote: what arrived from the home chain, or waits to leave for it, and cannot be traded. */
  unmovedDeposit(): Promise<Atoms>;
  /** Where the quote's coin must be sent on the venue's home chain to be credited to the sender, and the least that is. */
  readonly funding: {
    readonly chainId: ChainId;
    readonly asset: AssetId;
    readonly address: Address;
    readonly minimum: Atoms;
  };
  readonly withdrawalFee: Atoms;
  /** So long after the time that its nonce says a signed action can no longer be taken, with a margin for clocks. */
  readonly nonceLifeMs: number;
  close(): Promise<void>;
}
