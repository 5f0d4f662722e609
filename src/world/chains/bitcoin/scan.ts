import type { Heads, ScanCursor, ScanPage, Watched } from '../chain.ts';
import { follow, type ReadBlock } from '../following.ts';
import type { BitcoinNetwork } from './networks.ts';
import type { BitcoinNode } from './node.ts';
import type { PoolWatch } from './pool.ts';
import { type Candidate, candidatesIn, sightingsOf, type Watch } from './sightings.ts';
import { COINBASE_DEPTH, isCoinbase } from './tx-codec.ts';

/** Blocks are megabytes: a page of ten is read within the deadline of a busy node. */
const BLOCKS_PER_PAGE = 10;

export interface BitcoinScan extends Watch {
  readonly pool: PoolWatch;
  heads(tip: number): Heads;
}

export async function scanPage(scan: BitcoinScan, cursor: ScanCursor | undefined, watched: Watched): Promise<ScanPage> {
  const { node } = scan;
  // Before the tip: what leaves the pool later is in a block that is read now, or in the next page's pool; never in neither.
  const waiting = cursor ? await scan.pool.look(watched) : [];
  const tip = await node.tip();
  const { first, last, after } = await follow(node, tip.height, cursor, BLOCKS_PER_PAGE);
  const { line, candidates } = await readBlocks(scan, first, last);
  const { sightings: mined, outOfReach } = await sightingsOf(scan, candidates, watched);
  const minedKeys = new Set(mined.map(({ key }) => key));
  const pooled = waiting.filter(({ key }) => !minedKeys.has(key));
  return {
    ...after(line),
    heads: scan.heads(tip.height),
    sightings: [...mined, ...pooled],
    pool: pooled.map(({ key }) => key),
    outOfReach,
  };
}

async function readBlocks(
  { node, network }: BitcoinScan,
  first: number,
  last: number,
): Promise<{ readonly line: readonly ReadBlock[]; readonly candidates: readonly Candidate[] }> {
  const line: ReadBlock[] = [];
  const candidates: Candidate[] = [];
  for (let height = first; height <= last; height += 1) {
    const { hash, parentHash, transactions } = await node.block(await node.hashAt(height));
    const block = { height, hash };
    line.push({ ...block, parentHash });
    for (const tx of transactions.filter((one) => !isCoinbase(one)))
      candidates.push(...candidatesIn(network, tx, block));
    candidates.push(...(await ripened(node, network, height)));
  }
  return { line, candidates };
}

/** What a miner was paid is no money until it can be spent; then it is a deposit like any other. */
async function ripened(node: BitcoinNode, network: BitcoinNetwork, height: number): Promise<readonly Candidate[]> {
  const ripe = height - COINBASE_DEPTH + 1;
  if (ripe <= 0) return [];
  const hash = await node.hashAt(ripe);
  return candidatesIn(network, await node.coinbaseOf(hash), { height: ripe, hash });
}
