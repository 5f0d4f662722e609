import type { Depth } from '../../world/chains/chain.ts';
import type { KeptSighting } from '../order/sighting.ts';
import { isDeep, standing } from './prove.ts';
import type { Scanning } from './scanning.ts';

/** Transfers to one address that are settled per round: each may take calls to the node, and all else on the chain waits for them. */
const SETTLED_PER_ROUND = 500;

/** What went wrong with one address. */
export interface Troubles {
  readonly errors: readonly Error[];
  /** Carries it out; what goes wrong is noted, and whoever asked goes on. False where it went wrong. */
  alone(work: () => Promise<void>): Promise<boolean>;
}

interface Settled {
  readonly settled: ReadonlyMap<string, KeptSighting>;
  /** Nothing that is deep is left for the next round. */
  readonly isAll: boolean;
}

/**
 * Asks about what is deep enough, much at once; where that fails, about each by itself, so that one bad token hides no good deposit. What
 * has failed waits for its turn: asked about in every round, it would hold up all else on the chain for as long as strangers like.
 */
export async function settle(
  scanning: Scanning,
  sightings: readonly KeptSighting[],
  depthOf: (height: number) => Depth,
  { found, turns }: { readonly found: Troubles; readonly turns: ReadonlySet<string> },
): Promise<Settled> {
  const { unsettled } = scanning;
  const deep = sightings.filter((one) => one.state === 'mined' && isDeep(one, depthOf));
  const fresh = deep.filter((one) => unsettled.errorOf(one) === undefined);
  const settled = new Map<string, KeptSighting>();
  const take = async (some: readonly KeptSighting[]) => {
    for (const one of await standing(scanning, some)) settled.set(one.key, one);
  };
  const takeAlone = (one: KeptSighting): Promise<boolean> =>
    found.alone(async () => {
      try {
        await take([one]);
        unsettled.over(one);
      } catch (error) {
        unsettled.failed(one, error as Error);
        throw error;
      }
    });
  for (const one of deep) {
    const error = unsettled.errorOf(one);
    if (error && turns.has(one.key)) await takeAlone(one);
    else if (error) await found.alone(() => Promise.reject(error));
  }
  let asked = 0;
  // What cannot be settled uses up nothing: otherwise it would keep all that came after it from its turn.
  while (asked < fresh.length && settled.size < SETTLED_PER_ROUND) {
    const some = fresh.slice(asked, asked + SETTLED_PER_ROUND);
    asked += some.length;
    try {
      await take(some);
    } catch {
      for (const one of some) await takeAlone(one);
    }
  }
  return { settled, isAll: asked === fresh.length };
}
