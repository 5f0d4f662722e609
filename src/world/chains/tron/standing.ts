import type { Atoms } from '../../../kernel/amount.ts';
import type { Address } from '../../../kernel/ids.ts';
import { bundled } from '../bundled.ts';
import type { Sighting } from '../chain.ts';
import { isCanonical, mustStillStand } from '../following.ts';
import type { TronNode } from './node.ts';
import { tronFault } from './reply.ts';
import { movementsOf, sightingOf } from './transfers.ts';

interface Credit {
  readonly key: string;
  readonly atoms: Atoms;
}

/**
 * What each sighting brought, read again where it was sighted. Nodes keep no balances of the past, so that a token's own
 * Transfer log is all there is to go by; it is believed of supported contracts only, which log what really arrived.
 */
export async function standingSightings(
  node: TronNode,
  contracts: ReadonlySet<Address>,
  sightings: readonly Sighting[],
): Promise<readonly Credit[]> {
  const credits: Credit[] = [];
  for (const sighting of sightings) {
    if (await stands(node, contracts, sighting)) credits.push({ key: sighting.key, atoms: sighting.atoms });
  }
  return credits;
}

async function stands(node: TronNode, contracts: ReadonlySet<Address>, sighting: Sighting): Promise<boolean> {
  const { key, txHash, address, asset, atoms, block } = sighting;
  if (!block) return false;
  if (!(await isCanonical(node, block))) return false;
  const [tx, info] = [await node.transaction(txHash), await node.info(txHash, 'wallet')];
  // Nodes answer `{}` for what they do not have; a block that stands has not lost what is in it.
  if (!tx || info?.height !== block.height) throw tronFault(`the node does not tell of ${txHash} in ${block.height}`);
  const arrived = movementsOf(contracts, tx, info).filter(({ from, to }) => to === address && from !== to);
  const shown = arrived.map((one) => sightingOf(one, block));
  const found = [...shown, ...bundled(shown).rest].find((one) => one.key === key);
  if (found?.asset !== asset || found.atoms !== atoms) return false;
  // Asked last: the block still stands after all else was read.
  await mustStillStand(node, block);
  return true;
}
