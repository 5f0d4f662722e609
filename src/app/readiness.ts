import { type Clock, later } from '../kernel/clock.ts';
import type { Reads, Unready } from '../store/reads.ts';
import type { ChainFacts } from '../world/chains/chain.ts';
import type { JournalWatch } from './journal-gate.ts';

/** A chain that was not scanned for this long is not ready to take deposits. */
const SCAN_AGE_MS = 45_000;
const UNWRITABLE = 'the signer cannot write down what it signs, and signs nothing';
const HELD = 'the database was restored from the past, and waits for an operator';

/** Why the desk is not ready, in words that anybody may read: what exactly failed is told to the operator. */
export function readiness(
  { reads }: { readonly reads: Pick<Reads, 'unready'> },
  journal: JournalWatch,
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
    const isHeld = (await journal.held()) !== undefined;
    const isFull = (await journal.unwritable()) !== undefined;
    return [
      ...(isHeld ? [HELD] : []),
      ...(isFull ? [UNWRITABLE] : []),
      ...missing.map(({ what, name }) => words[what](name)),
    ];
  };
}
