import type { Account } from '../../kernel/account.ts';
import type { Atoms } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { FeeField } from '../../kernel/fee-field.ts';
import type { Address, AssetId, ChainId, IntentId, TokenId, TxHash } from '../../kernel/ids.ts';
import type { Span } from '../../kernel/span.ts';

/** Chains of one family have the same deposit addresses: one pool of them serves all. */
export type ChainFamily = string;

export interface Asset {
  readonly id: AssetId;
  readonly chainId: ChainId;
  readonly token: TokenId;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** The chain's own coin. */
  readonly native: boolean;
}

/** What a chain is, as data. The catalog gathers these; no other room names a chain. */
export interface ChainFacts {
  readonly id: ChainId;
  readonly name: string;
  readonly family: ChainFamily;
  readonly nativeSymbol: string;
  readonly assets: readonly Asset[];
  readonly minSwapUsd: number;
  readonly addressExample: string;
  /** `top_up`: short deposits wait for the rest until the deadline. `as_it_comes`: executes on what confirms. */
  readonly deposits: 'top_up' | 'as_it_comes';
  /** Deposits land on an address of their own and must be collected to the hot account. */
  readonly collectsTokens: boolean;
  /** Who pays for what leaves a deposit account: that account, with gas sent ahead, or the hot one. */
  readonly feePayer: 'sender' | 'hot';
  /** Which of an integrator's addresses is paid for deposits here; where there is none, the fee is skipped (5.4). */
  readonly feeField: FeeField | undefined;
  /** A transfer gets its name once it is done, and goes by one of ours before. */
  readonly namesWhenDone?: true;
  /** Confirmations shown for a deposit of ordinary size. */
  readonly requiredConfirmations: number;
  /** Confirmations shown for a large one, and for whatever is bridged. */
  readonly largeConfirmations: number;
  /** Typical seconds from sending a deposit to its being final, and from sending a payout to its first confirmation. */
  readonly depositSeconds: number;
  readonly payoutSeconds: number;
  readonly stuck: Stuck;
}

/** When a payment that no block has taken is stuck, and what then helps. */
export interface Stuck {
  /** Since it was last sent, or last outbid. */
  readonly afterMs: number;
  /**
   * `outbid`: other bytes with a higher fee take its place. `sign_anew`: only other bytes would pay more, and only once these
   * are proven dead; until then they are sent again. `send_again`: the same bytes, however long it takes.
   */
  readonly remedy: 'outbid' | 'sign_anew' | 'send_again';
}

/** The chain's own coin, in which transfers are paid for. */
export const coinOf = ({ assets, name }: ChainFacts): Asset =>
  present(
    assets.find((asset) => asset.native),
    `the own coin of ${name}`,
  );

/** The pure half of a chain: text in, checked values out, in bounded time. Needs no network and no keys. */
export interface ChainRules {
  readonly facts: ChainFacts;
  /** Canonical spelling, or undefined for anything that is not a payable address of this very network. */
  parseAddress(text: string): Address | undefined;
  /** Canonical token id for any accepted spelling of a supported asset (D2); undefined for all else, symbols included. */
  parseToken(text: string): TokenId | undefined;
  /** Well formed, yet nobody can mean to be paid there (zero, system, token contract): the reason, or undefined. */
  refusesDestination(address: Address): string | undefined;
  /** Other texts under which the owner of this address may be known, where the chain has them: screening asks for all. */
  spellings?(address: Address): readonly Address[];
  /** The same deposit address in the spelling that new wallets know and in the one that all do, where there are two (D39). */
  addressForms?(address: Address): { readonly unified: Address; readonly transparent: Address } | undefined;
  /** The wallet link that pays this address (D34). */
  depositUri(address: Address, asset: Asset, atoms: Atoms | undefined): string;
}

/** Heights as the node tells them; a chain without tags reports safe = final = tip - depth by its own rule. */
export interface Heads {
  readonly tip: number;
  readonly safe: number;
  readonly finalized: number;
}

export interface BlockRef {
  readonly height: number;
  readonly hash: string;
}

/** Without recent blocks scanning begins above `height`; by them the chain finds the ancestor after a reorganisation. */
export interface ScanCursor {
  readonly height: number;
  readonly recent: readonly BlockRef[];
  /** Blocks that were read from a node without their states: what shows in nothing but a balance is still to be looked for. */
  readonly unlooked?: readonly Span[];
}

/** One transfer to a watched address, as seen now. The same key may come again with another block. */
export interface Sighting {
  /** Natural key of the chain: unique for ever, one credit each. */
  readonly key: string;
  readonly address: Address;
  readonly asset: AssetId;
  readonly atoms: Atoms;
  readonly txHash: TxHash;
  /** undefined while it is only in the pool. */
  readonly block: BlockRef | undefined;
  /** The one plain account that sent it and can safely be refunded (D65); undefined where the chain shows none. */
  readonly sender: Address | undefined;
}

export interface ScanPage {
  readonly cursor: ScanCursor;
  readonly heads: Heads;
  /** Sightings above this height are no longer on the chain unless this page names them again. */
  readonly rewoundTo: number | undefined;
  readonly sightings: readonly Sighting[];
  /**
   * Keys of every pool sighting of now; an earlier pool sighting that is neither here nor mined has vanished. undefined where not all
   * of the pool was looked at: then nothing has, and what was rewound waits again.
   */
  readonly pool: readonly string[] | undefined;
  /** More blocks wait: scan again at once. */
  readonly more: boolean;
  /** What came to addresses of ours and cannot be taken from there. The same may be told again and again. */
  readonly outOfReach?: readonly OutOfReach[];
}

/** Credited to nobody; a person is told where it lies or what keeps it there. */
export type OutOfReach = Omit<Sighting, 'block'> & { readonly why: string };

/** Which of these addresses are ours. One look-up per page, never per open order. */
export type Watched = (candidates: readonly Address[]) => Promise<ReadonlySet<Address>>;

/**
 * Addresses that may be paid in the chain's own coin about now, a bounded number, for chains on which a payment may show
 * in nothing but the balance. Asked once a page, after its blocks were read.
 */
export type Expecting = () => Promise<readonly Address[]>;

/** Deposits are judged by value: small ones need less depth (D62). */
export type Tier = 'small' | 'large';

export interface Depth {
  readonly have: number;
  readonly need: number;
}

export interface Transfer {
  readonly from: Account;
  readonly asset: AssetId;
  readonly atoms: Atoms;
  readonly to: Address;
  /** Asked for: the hot account may send it in place of the deposit account that it leaves. Of what was signed: it does. */
  readonly delegated?: Delegated;
  /** Asked for: what it takes to run may be lent to the account that it leaves. */
  readonly mayBorrow?: boolean;
  /** Asked for: it is of no use later. Where bytes expire, they live hardly longer. */
  readonly until?: Instant;
  /** No coins move: the use of so many staked coins is lent to `to`, or taken back from there. */
  readonly loan?: Loan;
}

/** Staked coins give their owner something that transfers use up. Its use can be lent to another account and taken back. */
export type Loan = 'lend' | 'reclaim';

/** How the hot account has a deposit account pay: it calls the account, for which code of ours stands in. */
export interface Delegated {
  /** The nonce of the deposit account with which that code is put in its place; left out where it is there. */
  readonly authorize?: number;
}

/** What a transfer needs now. `fee` travels to the signer as it is; each chain's codec reads its own. */
export interface Terms {
  /** Next unused nonce of the account as the chain sees it (a nonce); undefined where the chain has none. */
  readonly nonce: number | undefined;
  readonly fee: Readonly<Record<string, string>>;
  /** The most it may cost, in the chain's own coin; where only building it tells, what few exceed. */
  readonly cost: Atoms;
  /** What such a transfer usually costs: what a customer is charged. */
  readonly usual: Atoms;
  /** The hot account sends it and pays for it, with a nonce of its own. */
  readonly delegated?: Delegated;
  /** Staked coins whose use its account must be lent first, so that it need not pay what they give. */
  readonly borrows?: Atoms;
  /** The part of that which opens an account for the payee; nothing where it is left out. */
  readonly opening?: Atoms;
  /** Nodes pass on no payment of less to this address. */
  readonly least?: Atoms;
}

/** The chain would refuse this destination for good, whatever we pay (reverts, frozen, blocked by the token). */
export interface Refused {
  readonly refused: string;
  /** It is the amount that nodes would not pass on, and not whom it goes to. */
  readonly tooLittle?: { readonly least: Atoms; readonly usual: Atoms };
}

/** Signed bytes as they are stored before anything leaves the host. */
export interface SignedTransfer {
  readonly intent: IntentId;
  readonly chainId: ChainId;
  readonly txHash: TxHash;
  /** Hex of what `broadcast` sends. */
  readonly raw: string;
  /** Consensus-exclusive things this artefact consumes (account and nonce, outpoints, key images). */
  readonly consumes: readonly string[];
  /** The most it may cost, in the chain's own coin. */
  readonly cost: Atoms;
}

export type AttemptStatus =
  /** Not found. Proof of nothing. The reason is for a person, where time alone will not tell more. */
  | { readonly state: 'unknown'; readonly reason?: string }
  | { readonly state: 'pool' }
  | {
      readonly state: 'mined';
      readonly block: BlockRef;
      /** The chain's own name for it, where it had none before. */
      readonly txHash?: TxHash;
      readonly depth: Depth;
      /** Final by the chain's own rule, on the canonical chain: it will never be elsewhere, nor end otherwise. */
      readonly settled: boolean;
      /** false: executed and failed; the fee is gone, the value is not. Until it is settled it may still end well. */
      readonly ok: boolean;
      /** What it really cost, in the chain's own coin. */
      readonly cost: Atoms;
    }
  /** Can never take effect, with the proof in words and heights. */
  | { readonly state: 'dead'; readonly proof: string };

/** What a transaction that somebody named did: it made this very transfer. */
export interface PaidBy {
  /** As the chain spells it. */
  readonly txHash: TxHash;
  /** Final by the chain's own rule. */
  readonly settled: boolean;
  /** What it really cost, in the chain's own coin. */
  readonly cost: Atoms;
}

/** What the signer's own journal says that a transaction was signed for: the only proof where a chain hides who is paid. */
export interface SignedFor extends Omit<Transfer, 'mayBorrow' | 'until' | 'loan'> {
  /** The most it may cost, in the chain's own coin. */
  readonly cost: Atoms;
}

/**
 * PORT. A chain has never heard of orders. Every method may be repeated; none keeps state that a crash could lose.
 * Errors are `Fault`s. Nothing here holds a key.
 */
export interface Chain extends ChainRules {
  /** Deposit addresses first … first+count-1. The same index always gives the same address; count is at most 64. */
  depositAddresses(first: number, count: number): Promise<readonly Address[]>;
  /** The account that pays out. */
  readonly hotAddress: Address;
  /** An address that nobody has used, where a first payment costs more than later ones: the dearer ordinary case. */
  readonly stranger?: Address | undefined;
  /** From the cursor (undefined: from now) at most a bounded number of blocks, plus the pool. */
  scan(cursor: ScanCursor | undefined, watched: Watched, expecting?: Expecting): Promise<ScanPage>;
  /** The heights of now, where the node tells them without a scan. */
  heads?(): Promise<Heads | undefined>;
  /** Pure. Depth of something in the block at `height`. */
  depositDepth(height: number, heads: Heads, tier: Tier): Depth;
  /**
   * Re-reads sightings that are deep enough: those that stand on the canonical chain, with what the address can really
   * spend from each (never more than the sighting said). One is left out for good where the node shows that it does not stand:
   * another block, or its own without it. What the node does not have, or what cannot be spent yet, is a transient `Fault`.
   */
  standing(sightings: readonly Sighting[]): Promise<readonly { readonly key: string; readonly atoms: Atoms }[]>;
  /** Keys of those sightings that are miners' rewards, which some chains let nobody pass on; a person must look. */
  rewards?(sightings: readonly Sighting[]): Promise<readonly string[]>;
  /**
   * What the transfer needs now; asks the chain first whether it would refuse. A transfer of nothing asks for the price of such a payment
   * alone, whatever the account holds. With `replacing`, under which a node takes it in place of these very bytes, at a price of today; a
   * `Fault` where that costs more than we pay. `dead` are bytes of it that no block took: where that was for want of a fee, more is offered.
   */
  terms(transfer: Transfer, replacing?: SignedTransfer, dead?: SignedTransfer): Promise<Terms | Refused>;
  /** Sends stored bytes; may be repeated for ever. What the node says against them is for a person: only `status` proves anything. */
  broadcast(signed: SignedTransfer): Promise<string | undefined>;
  status(signed: SignedTransfer): Promise<AttemptStatus>;
  /** Whether a transaction that we may know nothing of made exactly this transfer on the canonical chain. `Refused` says why not, also where it is not shown. */
  paidBy(transfer: Transfer, txHash: string): Promise<PaidBy | Refused>;
  /** The time of the newest block, where nodes refuse those whose time is wrong: miners' times may be hours off and are not told. */
  newestTime?(): Promise<Instant | undefined>;
  /** What an account can spend and what is still locked, at the tip. */
  balance(account: Account, asset: AssetId): Promise<{ readonly spendable: Atoms; readonly locked: Atoms }>;
  close(): Promise<void>;
}
