import type { Atoms } from '../../../kernel/amount.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { Sighting } from '../chain.ts';
import type { Daemon, FoundTx } from './daemon.ts';
import type { OpenOutputs } from './open-outputs.ts';

/** Unlock times from here on are seconds of the clock, which a miner may bend: what they lock is not credited. */
const UNLOCK_IS_TIME = 500_000_000n;

/**
 * What the daemon's chain really holds for each sighting: in the block where it was sighted, opened against its commitment,
 * and not locked by its sender (nor as coinbase) beyond the ten blocks that every output waits.
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
  return sightings.flatMap((sighting) => {
    const tx = byHash.get(sighting.txHash);
    if (!tx || !sighting.block || tx.height !== sighting.block.height) return [];
    if (!canonical.has(sighting.block.hash) || isLocked(tx, tip.height)) return [];
    // The hash fixes the amount: an output under this key with another amount is not what was sighted.
    const stands = open(tx, payeesOf(tx, sightings)).some(
      ({ key, address, atoms }) => key === sighting.key && address === sighting.address && atoms === sighting.atoms,
    );
    return stands ? [{ key: sighting.key, atoms: sighting.atoms }] : [];
  });
}

const payeesOf = ({ hash }: FoundTx, sightings: readonly Sighting[]): readonly Address[] => [
  ...new Set(sightings.filter(({ txHash }) => txHash === hash).map(({ address }) => address)),
];

async function canonicalHashes(daemon: Daemon, sightings: readonly Sighting[]): Promise<ReadonlySet<string>> {
  const heights = new Set(sightings.flatMap(({ block }) => (block ? [block.height] : [])));
  const hashes = new Set<string>();
  for (const height of heights) {
    const hash = await daemon.hashAt(height);
    if (hash !== undefined) hashes.add(hash);
  }
  return hashes;
}

function isLocked({ tx }: FoundTx, tip: number): boolean {
  return tx.unlockTime >= UNLOCK_IS_TIME || tx.unlockTime > BigInt(tip + 1);
}
