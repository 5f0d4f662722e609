import { type Clock, later } from '../kernel/clock.ts';
import type { Reads, Unready } from '../store/reads.ts';
import type { ChainFacts } from '../world/chains/chain.ts';

/** A chain that was not scanned for this long is not ready to take deposits. */
const SCAN_AGE_MS = 60_000;

/** Why the desk is not ready, in words that anybody may read: what exactly failed is told to the operator. */
export function readiness(
  { reads }: { readonly reads: Pick<Reads, 'unready'> },
  scanned: readonly { readonly facts: ChainFacts }[],
  clock: Clock,
) {
  const spaces = [...new Set(scanned.map(({ facts }) => facts.family))];
  const names = new Map(scanned.map(({ facts }) => [`${facts.id}`, facts.name]));
  const chains = scanned.map(({ facts }) => facts.id);
  const words: { readonly [W in Unready['what']]: (name: string) => string } = {
    unscanned: (name) => `${names.get(name) ?? name} is not scanned`,
    no_addresses: (name) => `there are no deposit addresses (${name})`,
    no_costs: () => 'what payouts cost is not known on every chain',
    round_failed: (name) => `the round "${name}" keeps failing`,
  };
  return async (): Promise<readonly string[]> => {
    const missing = await reads.unready(chains, spaces, later(clock.now(), -SCAN_AGE_MS));
    return missing.map(({ what, name }) => words[what](name));
  };
}
