import type { Address } from '../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../kernel/limits.ts';
import type { Chain } from '../../world/chains/chain.ts';

/** Where addresses made ahead are kept. Issuing an index twice changes nothing. */
export interface AddressBooks {
  pool(space: string): Promise<{ readonly free: number; readonly next: number }>;
  issue(space: string, first: number, addresses: readonly Address[]): Promise<void>;
}

/** Wallets take their time to make many: whoever waits for one gets it before all are there. */
const FIRST_ADDRESSES = 8;

/** Keeps deposit addresses ready, so that creating an order needs neither key nor node. True while more are wanted. */
export async function fillPool(chain: Chain, books: AddressBooks, size: number): Promise<boolean> {
  const { family } = chain.facts;
  const { free, next } = await books.pool(family);
  if (free >= size) return false;
  const count = Math.min(size - free, free === 0 ? FIRST_ADDRESSES : ADDRESSES_PER_CALL);
  await books.issue(family, next, await chain.depositAddresses(next, count));
  return free + count < size;
}
