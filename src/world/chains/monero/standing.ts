import type { Atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { BlockRef, Sighting } from '../chain.ts';
import { blockAt } from '../following.ts';
import type { Daemon, FoundTx } from './daemon.ts';
import { isLocked, isLockedTooLong } from './lock.ts';
import type { OpenOutputs } from './open-outputs.ts';
import { AT_MONERO } from './reply.ts';

/**
 * What the daemon's chain really holds for each sighting: in the block where it was sighted, opened against its commitment,
 * and not locked any more.
 */
export async function standingSightings(
  daemon: Daemon,
  open: OpenOutputs,
  sightings: readonly Sighting[],
): Promise<readonly { readonly key: string; readonly atoms: Atoms }[]> {
  const tip = await daemon.tip();
  const found = await daemon.transactions([...new Set(sightings.map((sighting) => sighting.txHash))]);
  const byHash = new Map(found.map((tx) => [tx.hash, tx]));
  const canonical = await canonicalHashes(daemon, sightings);
  const standing: { key: string; atoms: Atoms }[] = [];
  for (const sighting of sightings) {
    const { block, key, address, atoms } = sighting;
    if (!block || !canonical.has(block.hash)) continue;
    const tx = inBlock(byHash.get(sighting.txHash), block, sighting);
    if (isLockedTooLong(tx.tx, block.height)) continue;
    if (isLocked(tx.tx, tip.height)) throw transient(`${key} is locked until block ${tx.tx.unlockTime}`);
    // The hash fixes the amount: an output under this key with another amount is not what was sighted.
    const { paid } = await open.of(tx);
    const stands = paid.some((output) => output.key === key && output.address === address && output.atoms === atoms);
    if (stands) standing.push({ key, atoms });
  }
  return standing;
}

const transient = (message: string): Fault => new Fault('transient', AT_MONERO, message);

/** A block that stands has not lost what is in it: a daemon that does not show it has not come so far. */
function inBlock(found: FoundTx | undefined, { height }: BlockRef, { txHash }: Sighting): FoundTx {
  if (found?.height !== height) throw transient(`the node does not tell of ${txHash} in block ${height}`);
  return found;
}

async function canonicalHashes(daemon: Daemon, sightings: readonly Sighting[]): Promise<ReadonlySet<string>> {
  const heights = new Set(sightings.flatMap(({ block }) => (block ? [block.height] : [])));
  const hashes = new Set<string>();
  for (const height of heights) hashes.add((await blockAt(daemon, height)).hash);
  return hashes;
}
