import { atoms } from '../../kernel/amount.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Depth, Sighting } from '../../world/chains/chain.ts';
import type { KeptSighting } from '../order/sighting.ts';
import type { Scanning } from './scanning.ts';

export const isDeep = (one: KeptSighting, depthOf: (height: number) => Depth): boolean => {
  if (one.height === undefined) return false;
  const { have, need } = depthOf(one.height);
  return have >= need;
};

/**
 * Asks the chain again about what is deep enough, and keeps what can really be spent of it.
 * What we sent ourselves (gas, sweeps, change) is no news and counts nothing.
 */
export async function standing(
  { chain, books }: Scanning,
  deep: readonly KeptSighting[],
): Promise<readonly KeptSighting[]> {
  if (deep.length === 0) return [];
  const { id } = chain.facts;
  const ours = await books.ours(
    id,
    deep.map((one) => one.txHash),
  );
  const foreign = deep.filter((one) => !ours.has(one.txHash));
  const stands = foreign.length > 0 ? await chain.standing(foreign.map(asSighting)) : [];
  const spendable = new Map(stands.map((one) => [one.key, one.atoms]));
  const fallen = foreign.filter((one) => !spendable.has(one.key));
  const rewards = new Set(fallen.length > 0 ? await chain.rewards?.(fallen.map(asSighting)) : []);
  return deep.map((one): KeptSighting => {
    const credited = spendable.get(one.key) ?? atoms(0n);
    return { ...one, state: 'final', credited, isReward: rewards.has(one.key), isProven: true };
  });
}

/**
 * Whoever can write into the database can write a row that says final. What no engine has proven is asked of the chain as if
 * it were new, and where the chain does not show all of it nothing is told to that order: a person must look.
 */
export async function prove(
  scanning: Scanning,
  sightings: readonly KeptSighting[],
  depthOf: (height: number) => Depth,
): Promise<void> {
  const { chain, books } = scanning;
  const claimed = sightings.filter(
    (one) => one.state === 'final' && !one.isProven && (one.credited > 0n || one.isReward),
  );
  const found = new Map((await standing(scanning, claimed)).map((one) => [one.key, one]));
  const settled = claimed.map((one): KeptSighting => {
    const proven = isDeep(one, depthOf) ? found.get(one.key) : undefined;
    if (!proven || proven.credited < one.credited || proven.isReward !== one.isReward)
      throw new Fault('permanent', `chain:${chain.facts.id}`, unproven(one));
    return { ...proven, credited: one.credited };
  });
  await books.settle(chain.facts.id, settled);
}

const unproven = ({ credited, asset, key }: KeptSighting): string =>
  `a row of the database says that ${credited} atoms of ${asset} are final (${key}), and the chain does not show it: somebody wrote it there`;

function asSighting(one: KeptSighting): Sighting {
  const { key, address, asset, txHash, sender } = one;
  const block =
    one.height === undefined || one.blockHash === undefined ? undefined : { height: one.height, hash: one.blockHash };
  return { key, address, asset, atoms: one.atoms, txHash, sender, block };
}
