import type { Atoms } from '../../../kernel/amount.ts';
import type { Address, ChainId, IntentId, TxHash } from '../../../kernel/ids.ts';
import type { Asset, Chain, SignedTransfer, Transfer } from '../chain.ts';

/** A payment as a signer is asked for it; the real signer's request fits where this is taken. */
export interface BenchRequest extends Transfer {
  readonly intent: IntentId;
  readonly kind: 'payout';
  readonly owner: 'treasury';
  readonly chainId: ChainId;
  readonly nonce?: number;
  readonly fee: Readonly<Record<string, string>>;
}

/**
 * A chain on a node that the suite may command. The node makes blocks only when told to. The hot account can pay at
 * least ten times `unit` of the asset, and the fees. Its functions are called without `this`.
 */
export interface ChainBench {
  readonly chain: Chain;
  readonly asset: Asset;
  /** A comfortable amount: the suite pays this, and small multiples of it. */
  readonly unit: Atoms;
  /** The chain reports transfers that are not mined yet. */
  readonly hasPool: boolean;
  /** Well-formed addresses of sibling networks that this chain must not take for its own. */
  readonly foreign: readonly string[];
  /** A destination that the asset refuses for good, where such a thing exists. */
  readonly refusedDestination?: Address;
  /** A customer pays; the transaction waits in the pool until `mine`. */
  pay(to: Address, amount: Atoms): Promise<{ readonly txHash: TxHash; readonly from: Address | undefined }>;
  /** A contract makes so many transfers of this amount in one transaction, which waits as one of `pay` does. */
  flood?(to: Address, each: Atoms, times: number): Promise<TxHash>;
  mine(blocks: number): Promise<void>;
  /** Replaces the last `depth` blocks by as many others, with the same transactions except those in `drop`. */
  reorg(depth: number, drop?: readonly TxHash[]): Promise<void>;
  /** A signer for tests. */
  sign(request: BenchRequest): Promise<SignedTransfer>;
  /** All of the asset that an address ever received in mined blocks. */
  received(address: Address): Promise<bigint>;
  freshDestination(): Promise<Address>;
  /** Where a payment that is stuck is outbid. */
  readonly market?: FeeMarket;
  /** Ends the node and starts it again on the same data. */
  restart?(): Promise<void>;
  close(): Promise<void>;
}

/** What miners ask for, and what the real signer thinks of two offers. */
export interface FeeMarket {
  /** Blocks come that leave these bytes out, since they ask for more; what the next ones ask for can be asked of the node. */
  raiseAbove(signed: SignedTransfer): Promise<void>;
  /** Asks for as little as before. */
  calm(): Promise<void>;
  /** Of the signer's rail. */
  outbids(next: BenchRequest['fee'], held: BenchRequest['fee']): boolean;
}

/** What a chain or its node does not have, so that there is no story to tell of it. */
export type Lack = 'reorgs' | 'restarts' | 'refusals' | 'market' | 'floods';
