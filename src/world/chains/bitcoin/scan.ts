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

/** What is under way at once: what was missed is read as fast as a node tells it, and no node is flooded. */
const BLOCKS_AT_ONCE = 4;

interface Read {
  readonly block: ReadBlock;
  readonly candidates: readonly Candidate[];
}

async function readBlocks(scan: BitcoinScan, first: number, last: number) {
  const read: Read[] = [];
  for (let from = first; from <= last; from += BLOCKS_AT_ONCE) {
    const heights = Array.from({ length: Math.min(BLOCKS_AT_ONCE, last - from + 1) }, (_, at) => from + at);
    read.push(...(await Promise.all(heights.map((height) => readBlock(scan, height)))));
  }
  return { line: read.map(({ block }) => block), candidates: read.flatMap(({ candidates }) => candidates) };
}

async function readBlock({ node, network }: BitcoinScan, height: number): Promise<Read> {
  const [{ hash, parentHash, transactions }, ripe] = await Promise.all([
    node.hashAt(height).then((at) => node.block(at)),
    ripened(node, network, height),
  ]);
  const paid = transactions.filter((one) => !isCoinbase(one));
  const candidates = [...paid.flatMap((tx) => candidatesIn(network, tx, { height, hash })), ...ripe];
  return { block: { height, hash, parentHash }, candidates };
}

/** What a miner was paid is no money until it can be spent; then it is a deposit like any other. */
async function ripened(node: BitcoinNode, network: BitcoinNetwork, height: number): Promise<readonly Candidate[]> {
  const ripe = height - COINBASE_DEPTH + 1;
  if (ripe <= 0) return [];
  const hash = await node.hashAt(ripe);
  return candidatesIn(network, await node.coinbaseOf(hash), { height: ripe, hash });
}
