import { Fault, NodesDisagree } from '../../kernel/fault.ts';
import type { AttemptStatus, Chain, Sighting } from './chain.ts';
import type { Witness } from './family.ts';

/** Whoever asks two nodes: when it does, and where it tells that they say different things. */
export interface Opinions {
  /** Whether one node's word is not enough for all of these. */
  isNeeded(sightings: readonly Sighting[]): Promise<boolean>;
  /** `about` is the natural key of a deposit or the hash of a payment of ours. */
  disagree(about: string, first: string, second: string): Promise<void>;
  agree(about: string): Promise<void>;
}

type Second = Omit<Witness, 'close'>;

/**
 * The same chain as two nodes show it. The first is followed; what costs money if it lies (a credit, a failure or a death that is
 * final) counts only when the second says so, too. One that is silent agrees with nothing.
 */
export function withSecond(first: Chain, second: Second, opinions: Opinions): Chain {
  const at = `chain:${first.facts.id}`;
  return {
    ...first,

    async depositAddresses(from, count) {
      const made = await first.depositAddresses(from, count);
      // One that is away learns of them when it is told again; nobody waits for an address because of it.
      await second.know?.(from, count).catch(unlessFault);
      return made;
    },

    async standing(sightings) {
      const stands = await first.standing(sightings);
      if (!(await opinions.isNeeded(sightings))) return stands;
      const [here, there] = [spoken(stands), await credited(first, second, sightings)];
      for (const { key } of sightings) {
        const [one, other] = [here(key), there(key)];
        if (one === other) await opinions.agree(key);
        else {
          await opinions.disagree(key, one, other);
          throw new NodesDisagree(at, key, one, other);
        }
      }
      return stands;
    },

    async status(signed) {
      const status = await first.status(signed);
      if (!isBelievedOfTwo(status)) return status;
      const [here, there] = [verdict(status), await second.status(signed).then(verdict, silent)];
      if (here === there) {
        await opinions.agree(signed.txHash);
        return status;
      }
      await opinions.disagree(signed.txHash, here, there);
      // Looked at again until both say it: nothing is signed in its place, and no money goes back, before that.
      return status.state === 'mined' ? { ...status, settled: false } : { state: 'unknown' };
    },
  };
}

function unlessFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error;
}

/** A payment that is held to have failed may be made again: that it is so must not rest on one node. */
const isBelievedOfTwo = (status: AttemptStatus): boolean =>
  status.state === 'dead' || (status.state === 'mined' && status.settled && !status.ok);

const silent = (error: unknown): string => `nothing (${(error as Error).message.slice(0, 200)})`;

const verdict = (status: AttemptStatus): string => {
  if (status.state === 'dead') return 'that it can never be mined';
  if (status.state !== 'mined') return `that it is ${status.state}`;
  return `that it ${status.ok ? 'worked' : 'failed'} in block ${status.block.height}${status.settled ? ', for good' : ''}`;
};

type Spoken = (key: string) => string;

const spoken = (stands: readonly { readonly key: string; readonly atoms: bigint }[]): Spoken => {
  const found = new Map(stands.map(({ key, atoms }) => [key, atoms]));
  return (key) => {
    const atoms = found.get(key);
    return atoms === undefined ? 'that it is not in the chain' : `that it brought ${atoms} atoms`;
  };
};

/** What the second node credits, of what is by its own heads as deep as a large deposit must be. */
async function credited(first: Chain, second: Second, sightings: readonly Sighting[]): Promise<Spoken> {
  try {
    const heads = await second.heads?.();
    const says = spoken(await second.standing(sightings));
    const shallow = new Set(
      sightings.flatMap(({ key, block }) => {
        if (!heads || !block) return [];
        const { have, need } = first.depositDepth(block.height, heads, 'large');
        return have >= need ? [] : [key];
      }),
    );
    return (key) => (shallow.has(key) ? `${says(key)}, but not deep enough` : says(key));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return () => silent(error);
  }
}
