import assert from 'node:assert/strict';
import { it } from 'node:test';
import { atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { Sighting } from '../chain.ts';
import type { ChainBench } from './bench.ts';
import { type Follower, followFresh } from './follower.ts';

const TIMES = 40;
const EACH = atoms(3n);
/** As many are seen apart, with one for all others. */
const MOST_SEEN = 9;

const sumOf = (some: readonly Pick<Sighting, 'atoms'>[]): bigint => some.reduce((sum, one) => sum + one.atoms, 0n);
const keysOf = (some: readonly Sighting[]): readonly string[] => some.map(({ key }) => key).toSorted();

export function floodStories(bench: () => ChainBench, hasReorgs: boolean): void {
  async function flooded(): Promise<{ seen: readonly Sighting[]; follower: Follower }> {
    const { chain, mine, flood } = bench();
    const { follower, address } = await followFresh(chain);
    const hash = await present(flood, 'a way to flood')(address, EACH, TIMES);
    await mine(1);
    await follower.catchUp();
    return { seen: follower.of(hash), follower };
  }

  it('sees many transfers of one transaction to one address as a few, and counts all of them', async () => {
    const { seen } = await flooded();
    assert.ok(seen.length <= MOST_SEEN, `${seen.length} sightings`);
    assert.equal(sumOf(seen), EACH * BigInt(TIMES));
    assert.equal(sumOf(await bench().chain.standing(seen)), EACH * BigInt(TIMES));
    for (const one of seen) assert.deepEqual(await bench().chain.standing([one]), [{ key: one.key, atoms: one.atoms }]);
  });

  it('knows those that were sighted one by one before', async () => {
    const { seen } = await flooded();
    const bundle = present(
      seen.find(({ key }) => key.endsWith('+')),
      'a bundle',
    );
    const alone = { ...bundle, key: bundle.key.slice(0, -1), atoms: EACH };
    assert.deepEqual(await bench().chain.standing([alone]), [{ key: alone.key, atoms: EACH }]);
  });

  if (!hasReorgs) return;
  it('gives a flood the same keys in another block, and takes all of it back with its transaction', async () => {
    const { chain, reorg } = bench();
    const { seen, follower } = await flooded();
    const { txHash } = present(seen[0], 'a sighting');
    await reorg(1);
    await follower.catchUp();
    const again = follower.of(txHash);
    assert.deepEqual(keysOf(again), keysOf(seen));
    assert.notEqual(again[0]?.block?.hash, seen[0]?.block?.hash);
    assert.deepEqual(await chain.standing(seen), []);
    assert.equal(sumOf(await chain.standing(again)), EACH * BigInt(TIMES));
    await reorg(1, [txHash]);
    await follower.catchUp();
    assert.deepEqual(follower.of(txHash), []);
    assert.deepEqual(await chain.standing(again), []);
  });
}
