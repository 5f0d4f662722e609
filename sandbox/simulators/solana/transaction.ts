import type { Address } from '../../../src/kernel/ids.ts';
import type { ExecutionError } from './execute.ts';

export interface Balances {
  readonly lamports: readonly bigint[];
  readonly tokens: readonly {
    readonly at: number;
    readonly mint: Address;
    readonly owner: Address;
    readonly atoms: bigint;
  }[];
}

export interface SimTx {
  readonly signature: string;
  readonly slot: number;
  readonly accounts: readonly Address[];
  /** All of its bytes. */
  readonly wire: Uint8Array;
  readonly fee: bigint;
  readonly err: ExecutionError | null;
  readonly before: Balances;
  readonly after: Balances;
}
