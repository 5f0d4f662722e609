import type { Address } from '../../../src/kernel/ids.ts';
import { fromExactJson, toExactJson } from '../../exact-json.ts';
import type { SimAccount } from './execute.ts';
import type { SimTx } from './transaction.ts';

/** What a ledger is made of; all else follows from it. */
export interface SolanaState {
  readonly genesisHash: string;
  /** The open one. */
  readonly slot: number;
  /** Of the oldest block that is kept. */
  readonly parent: { readonly slot: number; readonly hash: string; readonly height: number };
  /** Slot, hash and time, oldest first. */
  readonly blocks: readonly (readonly [number, string, number])[];
  readonly accounts: readonly (readonly [Address, SimAccount])[];
  readonly transactions: readonly SimTx[];
}

/** What a ledger is told after that. */
export type SolanaChange =
  /** The open slot has got this block, and another is open now. */
  | { readonly closed: readonly [hash: string, time: number]; readonly slot: number }
  /** In the open slot, with all accounts that it names as they are since. */
  | { readonly tx: SimTx; readonly accounts: SolanaState['accounts'] }
  | { readonly put: SolanaState['accounts'][number] };

/** Plain JSON is read and written several times as fast, and the blocks, of which there are thousands, need no more. */
export const writeState = ({ blocks, ...few }: SolanaState): string =>
  toExactJson({ ...few, blocks: JSON.stringify(blocks) });

export function readState(text: string): SolanaState {
  const { blocks, ...few } = fromExactJson(text) as Omit<SolanaState, 'blocks'> & { readonly blocks: string };
  return { ...few, blocks: JSON.parse(blocks) as SolanaState['blocks'] };
}
