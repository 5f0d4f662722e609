import type { Address, ChainId } from '../../kernel/ids.ts';

export type Verdict = 'clear' | 'hit';

/** PORT. Whether the desk may deal with all of these addresses. Throws a `Fault` where it cannot tell: unknown is not clear. */
export type Screen = (chain: ChainId, addresses: readonly Address[]) => Promise<Verdict>;

/** Other texts that pay the owner of an address: a list names one of them, and a customer may write another. */
export type Spellings = (chain: ChainId, address: Address) => readonly Address[];

/** Asks for every spelling of each address at once. */
export const inEverySpelling =
  (screen: Screen, spellings: Spellings): Screen =>
  (chain, addresses) =>
    screen(chain, [...new Set(addresses.flatMap((address) => [address, ...spellings(chain, address)]))]);
