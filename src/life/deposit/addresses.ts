import { Bug } from '../../kernel/assert.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Address } from '../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../kernel/limits.ts';
import type { Chain } from '../../world/chains/chain.ts';

/** The other texts under which each of these addresses can be paid. */
export type Spellings = ReadonlyMap<Address, readonly Address[]>;

/** Where addresses made ahead are kept. Issuing an index twice changes nothing. */
export interface AddressBooks {
  pool(space: string): Promise<{ readonly free: number; readonly next: number }>;
  issue(space: string, first: number, addresses: readonly Address[], spellings: Spellings): Promise<void>;
}

export interface SpellingBooks {
  /** Addresses from this index on of which no other spelling is kept; some have none. */
  unspelled(
    space: string,
    from: number,
    most: number,
  ): Promise<readonly { readonly index: number; readonly address: Address }[]>;
  spell(space: string, spellings: Spellings): Promise<void>;
}

/** Wallets take their time to make many: whoever waits for one gets it before all are there. */
const FIRST_ADDRESSES = 8;
const SPELLED_AT_ONCE = 5_000;

/** Chains that have their deposit addresses in common. */
export interface Family {
  readonly family: string;
  readonly chains: readonly Pick<Chain, 'depositAddresses' | 'spellings'>[];
}

/** Keeps deposit addresses ready, so that creating an order needs neither key nor node. True while more are wanted. */
export async function fillPool({ family, chains }: Family, books: AddressBooks, size: number): Promise<boolean> {
  const { free, next } = await books.pool(family);
  if (free >= size) return false;
  const count = Math.min(size - free, free === 0 ? FIRST_ADDRESSES : ADDRESSES_PER_CALL);
  const made = await madeByAny(chains, next, count);
  await books.issue(family, next, made, spellingsOf(chains, made));
  return free + count < size;
}

/**
 * Writes down how else addresses can be paid that were issued before that was kept, or by a restore. A page of them from this index on; tells
 * where the next begins, or undefined after the last.
 */
export async function spellOlder(
  { family, chains }: Family,
  books: SpellingBooks,
  from: number,
): Promise<number | undefined> {
  if (!chains.some(({ spellings }) => spellings)) return undefined;
  const older = await books.unspelled(family, from, SPELLED_AT_ONCE);
  const addresses = older.map(({ address }) => address);
  if (addresses.length > 0) await books.spell(family, spellingsOf(chains, addresses));
  const last = older[SPELLED_AT_ONCE - 1];
  return last && last.index + 1;
}

/** Chains of one family read addresses alike. */
function spellingsOf(chains: Family['chains'], addresses: readonly Address[]): Spellings {
  const [spellings = () => []] = chains.flatMap((chain) => chain.spellings ?? []);
  return new Map(addresses.map((address) => [address, spellings(address)]));
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
