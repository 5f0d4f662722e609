import type { Address } from '../../../src/kernel/ids.ts';
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

/**
 * Plain JSON knows neither whole numbers of any size nor bytes: each is a text with a mark. The blocks, of which there are
 * thousands, have neither, and are one text.
 */
export const writeState = ({ blocks, ...few }: SolanaState): string =>
  JSON.stringify({ ...few, blocks: JSON.stringify(blocks) }, function (this: Record<string, unknown>, name) {
    // As it is there: what is handed to this function of a `Buffer` has been made an object by then.
    const value = this[name];
    if (typeof value === 'bigint') return `${value}n`;
    return value instanceof Uint8Array ? `base64:${Buffer.from(value).toString('base64')}` : value;
  });

export function readState(text: string): SolanaState {
  const { blocks, ...few } = JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (/^\d+n$/.test(value)) return BigInt(value.slice(0, -1));
    return value.startsWith('base64:') ? Uint8Array.from(Buffer.from(value.slice(7), 'base64')) : value;
  }) as Omit<SolanaState, 'blocks'> & { readonly blocks: string };
  return { ...few, blocks: JSON.parse(blocks) as SolanaState['blocks'] };
}
