import type { TProperties } from '@sinclair/typebox';
import type { Atoms } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { FeeField } from '../../kernel/fee-field.ts';
import type { Address, TxHash } from '../../kernel/ids.ts';
import type { Outbound } from '../outbound/http.ts';
import type { Chain, ChainRules, SignedFor } from './chain.ts';

/** `chains` of the settings after they were checked. Each family reads its own entries and nobody else's. */
export type ChainSettings = Readonly<Record<string, unknown>>;

/** What the signer tells of its keys in one family: enough to derive addresses and to watch, never to spend. */
export interface FamilyKeys {
  /** The account that pays out. */
  readonly hot: Address;
  readonly [name: string]: string;
}

/** The part of a family's wallet that only the holder of the keys can do; in the app, calls to the signer. */
export interface SpendSide {
  /** Deposit addresses first … first+count-1, which the spending wallet knows from now on. */
  depositAddresses(first: number, count: number): Promise<readonly Address[]>;
  /** What the spending wallet holds. */
  balance(): Promise<{ readonly spendable: Atoms; readonly locked: Atoms }>;
  /** What the transaction was signed for, by the signer's journal; undefined if it never was. */
  signedFor(hash: TxHash): Promise<SignedFor | undefined>;
}

/** A deposit address that an order has, and since when. */
export interface TakenDeposit {
  readonly index: number;
  readonly address: Address;
  readonly since: Instant;
  /** The signer sent from it what these books may never have seen come: that it is empty tells nothing. */
  readonly wasEmptied: boolean;
}

/** What is kept elsewhere about the deposit addresses of one family. */
export interface DepositBook {
  /** Every index handed out is below this. */
  count(): Promise<number>;
  /** The indexes of those addresses among these that are deposit addresses. */
  indexes(addresses: readonly Address[]): Promise<ReadonlyMap<Address, number>>;
  /** Those that orders have, of an index below `below`: the highest index first, at most `most`. */
  taken(below: number, most: number): Promise<readonly TakenDeposit[]>;
}

/** Of these outputs (by their tokens), those that a payment which may still take effect already spends. */
export type Busy = (tokens: readonly string[]) => Promise<ReadonlySet<string>>;

/** Whom an open chain talks to, and what it must know of our own books. */
export interface Surroundings {
  readonly keys: FamilyKeys;
  readonly spendSide: SpendSide;
  readonly deposits: DepositBook;
  readonly busy: Busy;
  readonly outbound: Outbound;
}

/** Outputs of `each` that are kept ready, so that `count` payments can run at once. */
export interface OutputPool {
  readonly count: number;
  readonly each: Atoms;
}

/** Another node's word about a chain: what it says of deposits and of payments of ours. */
export type Witness = Pick<Chain, 'standing' | 'status' | 'heads' | 'close'> & {
  /** Where a node of its own must know deposit addresses before money comes to them. It may be repeated. */
  know?(first: number, count: number): Promise<void>;
};

/** A chain as the settings describe it. */
export interface ConfiguredChain {
  readonly rules: ChainRules;
  /** Where the first scan begins; from the newest block where it is undefined. */
  readonly scanFrom: number | undefined;
  /** Where payments at the same time need outputs of their own. */
  readonly outputPool?: OutputPool;
  /** Another node of the same chain, whose word counts beside that of the first. */
  readonly second?: (Pick<ConfiguredChain, 'look'> & { open(around: Surroundings): Promise<Witness> }) | undefined;
  /** Asks its nodes whether they are there and of this chain; changes nothing and needs no keys. */
  look(outbound: Outbound): Promise<void>;
  /** Opens ready or not at all. The chain makes deposit addresses from the keys and the spend side it is given. */
  open(around: Surroundings): Promise<Chain>;
}

/** Who pays integrators in this family: the address of the interface that is meant, and what counts as one. */
export interface FeeAddress {
  readonly field: FeeField;
  parse(text: string): Address | undefined;
  /** Why nobody is paid there, on whichever of its chains; undefined where somebody may be. */
  refuses(address: Address): string | undefined;
}

/** Code that anybody may place on each network of a family, and by which the hot account then collects tokens. */
export interface Placing {
  /** Where it is once it was placed. */
  readonly sweeper: Address;
  /** The transaction that places it: whom it calls, with what. */
  readonly sendTo: Address;
  readonly data: string;
}

/** PORT. Everything that a family of chains is, in one value; the list in `index.ts` is all that knows of it. */
export interface Family {
  readonly name: string;
  /** What it adds to `chains` of the settings. */
  readonly settings: TProperties;
  /** Which of its settings are secret, by their path below `chains`, and who needs them. */
  readonly secrets?: Readonly<Record<string, readonly ('watcher' | 'spender')[]>>;
  /** The chains that the settings describe. Pure. */
  chains(settings: ChainSettings): readonly ConfiguredChain[];
  /** Pure. Answers whether or not the desk has a chain of the family. */
  feeAddress?(settings: ChainSettings): FeeAddress;
  /** What is placed for this hot account; undefined where it is no account of the family. Pure. */
  placing?(hot: string): Placing | undefined;
  /** Where contracts of a network are asked; undefined where it is not configured. Pure. */
  rpcUrl?(settings: ChainSettings, chainId: number): string | undefined;
}
