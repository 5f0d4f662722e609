import { Fault } from '../src/kernel/fault.ts';

export interface Payment {
  readonly token: string;
  readonly to: string;
  readonly atoms: bigint;
  /** One of the place's senders; the customer without it. */
  readonly from?: string;
}

export interface Sent {
  readonly txHash: string;
  readonly from: string;
}

export interface Received {
  readonly total: bigint;
  readonly transfers: readonly { readonly txHash: string; readonly amount: bigint; readonly height: number }[];
}

export interface PlaceToken {
  readonly token: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** Somewhere in the box where money can be sent and looked for: a chain, or the venue. */
export interface Place {
  readonly chainId: number;
  readonly name: string;
  readonly kind: 'real' | 'simulated';
  /** The node itself, past the proxy: what a client may ask without meeting the faults of the service. */
  readonly rpcUrl: string;
  readonly tokens: readonly PlaceToken[];
  /** Canonical spelling, or undefined for what is not of this place. */
  parseAddress(text: string): string | undefined;
  parseToken(text: string): string | undefined;
  /** The sandbox customer's own, from which he pays where it can be seen. */
  readonly customerAddress: string;
  /** Who can pay here, the customer first; he alone where it is not said. */
  readonly senders?: readonly string[];
  /** The sandbox customer pays, or whom the payment names. */
  pay(payment: Payment): Promise<Sent>;
  /** What the place itself says the address got, from whomever. */
  received(token: string, address: string): Promise<Received>;
  /** Addresses of the sandbox customer, that one first. */
  wallets(): Promise<readonly string[]>;
}

/** Whoever pays has not so much, and waiting brings no more. */
export const shortOf = (atoms: bigint, held: bigint): Fault =>
  new Fault('permanent', 'sandbox', `amount: ${atoms} with fees is more than the ${held} that are there`);

/** A place with blocks. */
export interface BoxChain extends Place {
  mine(blocks: number): Promise<void>;
  setAutomine(intervalMs: number): Promise<void>;
  /**
   * Replaces the last blocks by as many others, with the same transactions except those in `drop`, which come back only if somebody sends them
   * again. What stands on a dropped one is left out as well.
   */
  reorg(depth: number, drop: readonly string[]): Promise<void>;
}

/** Asked before a block is touched: only what is undone can be dropped. */
export function expectUndone(drop: readonly string[], undone: readonly string[]): void {
  const stranger = drop.find((txHash) => !undone.includes(txHash));
  if (stranger === undefined) return;
  throw new Fault('permanent', 'sandbox', `drop: ${stranger} is in none of the blocks to be replaced`);
}
