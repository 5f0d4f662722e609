import type { Instant } from '../kernel/clock.ts';
import type { AssetId, OrderId } from '../kernel/ids.ts';
import type { Order } from '../life/order/order.ts';
import type { OrderLine, OrdersAsked } from '../store/order-lines.ts';

/** One fact in an order's history and the phase it led to. */
export interface HistoryEntry {
  readonly version: number;
  readonly at: Instant;
  readonly phase: string;
  readonly fact: unknown;
}

export interface PostingEntry {
  readonly at: Instant;
  readonly from: string;
  readonly to: string;
  readonly asset: AssetId;
  readonly atoms: bigint;
}

/** Signed bytes that exist or existed, without the bytes. */
export interface AttemptEntry {
  readonly intent: string;
  readonly chainId: number;
  readonly txHash: string;
  readonly cost: bigint;
  readonly createdAt: Instant;
  /** Why it can never take effect; undefined while it can. */
  readonly deadProof: string | undefined;
}

/** Work that waits: what, since when it is due, how often it was tried and what went wrong last. */
export interface WorkEntry {
  readonly effect: string;
  readonly dueAt: Instant;
  readonly tries: number;
  readonly trouble: string | undefined;
  /** The breaker that it waits for, with the reason for which that was opened. */
  readonly heldBy: string | undefined;
}

/** The file that a month was written into before it was taken away. */
export interface TakenAway {
  readonly month: number;
  readonly at: Instant;
  readonly file: string;
  readonly sha256: string;
}

export interface OrderReport {
  readonly order: Order;
  readonly integrationId: string | undefined;
  readonly keyId: string | undefined;
  /** Where the facts and postings of its month are, if they were taken away: those below came later. */
  readonly takenAway: TakenAway | undefined;
  /** Oldest first, as all of these. */
  readonly history: readonly HistoryEntry[];
  readonly ledger: readonly PostingEntry[];
  readonly attempts: readonly AttemptEntry[];
  readonly work: readonly WorkEntry[];
}

/**
 * All in atoms of the asset. Drift is what the chain holds less what the ledger says, on the hot account and where too little
 * lies on deposit addresses; it should be nought.
 */
export interface LedgerLine {
  readonly asset: AssetId;
  readonly symbol: string;
  readonly held: bigint;
  readonly owed: bigint;
  readonly inFlight: bigint;
  /** Earned by the desk, and by integrations, to be paid to them. */
  readonly fees: bigint;
  readonly integrators: bigint;
  readonly treasury: bigint;
  /** In stores whose keys are nowhere in the desk, by what went there and what a person counted. */
  readonly cold: bigint;
  /** What of all this lies on deposit addresses, gas included, and what of that the chain did not show there. */
  readonly deposits: bigint;
  readonly missing: bigint;
  /** What the hot account really holds, as last read; undefined before the first reading. */
  readonly chain: bigint | undefined;
  readonly drift: bigint | undefined;
}

/** PORT. What an operator can look at. Nothing here changes anything. */
export interface OperatorReads {
  order(id: OrderId): Promise<OrderReport | undefined>;
  /** Those that have stood still longest come first. */
  orders(asked: OrdersAsked): Promise<readonly OrderLine[]>;
  ledger(): Promise<readonly LedgerLine[]>;
}
