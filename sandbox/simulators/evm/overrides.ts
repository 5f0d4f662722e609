import { hexToBytes } from '@ethereumjs/util';
import type { Block } from './block.ts';
import type { EvmChain } from './chain.ts';
import type { Cell, Read } from './history.ts';
import { addressOf } from './place.ts';
import { accountCell, readAccount, wordKey } from './state.ts';

/** An account as it is not, for one question. */
export interface Override {
  readonly code?: string;
  readonly balance?: string;
  readonly nonce?: string;
  readonly stateDiff?: Readonly<Record<string, string>>;
}

export type Overrides = Readonly<Record<string, Override>>;

/** The state after that block, with these accounts in the place of the real ones. */
export function asIf(chain: EvmChain, at: Block, overrides: Overrides = {}): Read {
  const real = chain.history.at(at.height);
  const cells = new Map<string, Cell>();
  for (const [name, { code, balance, nonce, stateDiff = {} }] of Object.entries(overrides)) {
    const address = addressOf(name);
    const account = readAccount(real(address));
    const hash = code === undefined ? account.codeHash : chain.codeHash(hexToBytes(code as `0x${string}`));
    cells.set(address, accountCell(BigInt(nonce ?? account.nonce), BigInt(balance ?? account.balance), hash));
    for (const [slot, word] of Object.entries(stateDiff))
      cells.set(wordKey(address, slot.slice(2)), word.slice(2).replace(/^(?:00)+/, '') || undefined);
  }
  return cells.size === 0 ? real : (key) => (cells.has(key) ? cells.get(key) : real(key));
}
