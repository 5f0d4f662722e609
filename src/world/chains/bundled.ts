import { atoms } from '../../kernel/amount.ts';
import type { Sighting } from './chain.ts';

/** Transfers of one asset to one address that are told apart in one transaction. Nobody who pays a deposit needs more. */
const APART = 8;

type Arrival = Omit<Sighting, 'block'>;

export interface Bundled<T> {
  readonly apart: readonly T[];
  /** One for all others of a transaction, an address and an asset, with their sum. */
  readonly rest: readonly T[];
}

/**
 * For next to nothing anybody can have a contract write thousands of transfers into one transaction, and each of them would be kept,
 * judged and asked for by itself. All of it counts, but beyond the first few as one. The bundle has the key of the first in it with a
 * mark behind: no transfer by itself has such a key, and the same transaction gives the same one in whichever block it is.
 */
export function bundled<T extends Arrival>(arrivals: readonly T[]): Bundled<T> {
  const counts = new Map<string, number>();
  const rest = new Map<string, T>();
  const apart = arrivals.filter((one) => {
    const name = `${one.txHash}:${one.address}:${one.asset}`;
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    if (nth < APART) return true;
    const earlier = rest.get(name);
    rest.set(name, earlier ? together(earlier, one) : { ...one, key: `${one.key}+` });
    return false;
  });
  return { apart, rest: [...rest.values()] };
}

const together = <T extends Arrival>(one: T, other: T): T => ({
  ...one,
  atoms: atoms(one.atoms + other.atoms),
  sender: one.sender === other.sender ? one.sender : undefined,
});
