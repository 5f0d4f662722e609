import type { Atoms } from '../../../kernel/amount.ts';
import type { Sighting } from '../chain.ts';
import type { SolanaNode } from './node.ts';
import { sightingsIn } from './transfers.ts';

/** Reads each block again: a sighting stands if that very block still shows it, with the same amount. */
export async function standingSightings(
  node: SolanaNode,
  sightings: readonly Sighting[],
): Promise<readonly { readonly key: string; readonly atoms: Atoms }[]> {
  const ours = new Set(sightings.map(({ address }) => address));
  const shown = new Map<string, Atoms>();
  for (const height of new Set(sightings.flatMap(({ block }) => (block ? [block.height] : [])))) {
    const block = await node.block(height);
    for (const { key, atoms } of block.transactions.flatMap((tx) => sightingsIn(tx, block, ours)))
      shown.set(`${block.hash}:${key}`, atoms);
  }
  return sightings
    .filter(({ key, block, atoms }) => block && shown.get(`${block.hash}:${key}`) === atoms)
    .map(({ key, atoms }) => ({ key, atoms }));
}
