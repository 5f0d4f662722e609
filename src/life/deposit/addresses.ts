import { Bug } from '../../kernel/assert.ts';
import { Fault } from '../../kernel/fault.ts';
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

/** Chains that have their deposit addresses in common. */
export interface Family {
  readonly family: string;
  readonly chains: readonly Pick<Chain, 'depositAddresses'>[];
}

/** Keeps deposit addresses ready, so that creating an order needs neither key nor node. True while more are wanted. */
export async function fillPool({ family, chains }: Family, books: AddressBooks, size: number): Promise<boolean> {
  const { free, next } = await books.pool(family);
  if (free >= size) return false;
  const count = Math.min(size - free, free === 0 ? FIRST_ADDRESSES : ADDRESSES_PER_CALL);
  await books.issue(family, next, await madeByAny(chains, next, count));
  return free + count < size;
}

/** A chain whose node is away keeps no other of its family from making addresses for both. */
async function madeByAny(chains: Family['chains'], first: number, count: number): Promise<readonly Address[]> {
  let trouble: Fault | undefined;
  for (const chain of chains)
    try {
      return await chain.depositAddresses(first, count);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      trouble = error;
    }
  throw trouble ?? new Bug('a family without a chain');
}
