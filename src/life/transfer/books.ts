import type { AssetId, ChainId, IntentId, TxHash } from '../../kernel/ids.ts';
import type { SignedTransfer, Transfer } from '../../world/chains/chain.ts';
import type { Owner, Payment } from '../payment/payment.ts';

/** PORT. What is kept of payments. A nonce once given to an intent is the same on every later try. */
export interface PaymentBooks {
  find(id: IntentId): Promise<Payment | undefined>;
  /** The bytes that may still take effect, the newest first. They exclude each other. */
  attempts(intent: IntentId): Promise<readonly SignedTransfer[]>;
  /** The newest that were buried, if any. */
  lastDead(intent: IntentId): Promise<SignedTransfer | undefined>;
  bury(dead: SignedTransfer, proof: string): Promise<void>;
  /** What these bytes were to spend may serve anybody: their time is over, though nothing takes their place yet. */
  letGo(expired: SignedTransfer): Promise<void>;
  /** False: that transaction is known as another intent's, or was named for one before. */
  claimTransaction(intent: IntentId, chain: ChainId, txHash: TxHash): Promise<boolean>;
  /** What these bytes pay, where the signer's journal told us of them; undefined where we asked for them ourselves. */
  adopted(signed: SignedTransfer): Promise<Transfer | undefined>;
  /** A payment of that owner that was signed before the database was restored, and is not planned in it yet. */
  unplanned(owner: Owner): Promise<IntentId | undefined>;
  /** Coins that the ledger has as gas on the deposit address of that owner: what was sent there for it, less what was used. */
  gasOf(owner: Owner, coin: AssetId): Promise<bigint>;
  /** The second yes to it, where somebody gave one. */
  approval(intent: IntentId): Promise<string | undefined>;
  hasNonce(intent: IntentId): Promise<boolean>;
  takeNonce(intent: IntentId, chain: ChainId, account: string, atLeast: number): Promise<number>;
  returnNonce(intent: IntentId): Promise<void>;
  /** Living bytes of that account whose nonces lie from `first` on and before `end`, in the order of their nonces. */
  between(chain: ChainId, account: string, first: number, end: number): Promise<readonly Missing[]>;
}

/** Bytes that the node lacks, and whether their payment was refused: then its money went another way. */
export interface Missing extends SignedTransfer {
  readonly isRefused?: boolean;
}
