import { present } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import { REORG_MEMORY_BLOCKS } from '../../../kernel/limits.ts';
import type { BlockRef, Heads, ScanCursor, ScanPage, Watched } from '../chain.ts';
import type { BitcoinNetwork } from './networks.ts';
import type { BitcoinNode } from './node.ts';
import type { PoolWatch } from './pool.ts';
import { type Candidate, candidatesIn, sightingsOf } from './sightings.ts';
import { COINBASE_DEPTH, isCoinbase } from './tx-codec.ts';

/** Blocks are megabytes: a page of ten is read within the deadline of a busy node. */
const BLOCKS_PER_PAGE = 10;

export interface BitcoinScan {
  readonly node: BitcoinNode;
  readonly network: BitcoinNetwork;
  readonly pool: PoolWatch;
  heads(tip: number): Heads;
}

export async function scanPage(scan: BitcoinScan, cursor: ScanCursor | undefined, watched: Watched): Promise<ScanPage> {
  const { node } = scan;
  // Before the tip: what leaves the pool later is in a block that is read now, or in the next page's pool; never in neither.
  const waiting = cursor ? await scan.pool.look(watched) : [];
  const tip = await node.tip();
  const heads = scan.heads(tip.height);
  if (!cursor) {
    const start = { height: tip.height, recent: [tip] };
    return { cursor: start, heads, rewoundTo: undefined, sightings: [], pool: [], more: false };
  }
  // A node that is behind knows less, not better: what it lacks is no reorganisation.
  if (tip.height < cursor.height) throw node.fault(`the node is at ${tip.height}, the scan at ${cursor.height}`);
  const known = await remembered(node, cursor);
  const from = present(known.at(-1), 'a common ancestor').height;
  const to = Math.min(tip.height, from + BLOCKS_PER_PAGE);
  const { line, candidates } = await readBlocks(scan, known, to);
  const mined = await sightingsOf(scan, candidates, watched);
  const minedKeys = new Set(mined.map(({ key }) => key));
  const pooled = waiting.filter(({ key }) => !minedKeys.has(key));
  return {
    cursor: { height: to, recent: line.slice(-REORG_MEMORY_BLOCKS) },
    heads,
    rewoundTo: from < cursor.height ? from : undefined,
    sightings: [...mined, ...pooled],
    pool: pooled.map(({ key }) => key),
    more: to < tip.height,
  };
}

/** The remembered blocks that still stand. */
async function remembered(node: BitcoinNode, { height, recent }: ScanCursor): Promise<readonly BlockRef[]> {
  if (recent.length === 0) return [{ height, hash: await node.hashAt(height) }];
  for (let length = recent.length; length > 0; length -= 1) {
    const newest = present(recent[length - 1], 'a remembered block');
    if ((await node.hashAt(newest.height)) === newest.hash) return recent.slice(0, length);
  }
  throw new Fault(
    'permanent',
    node.at,
    `no block remembered below ${height} stands: reorganised too deep, or a wrong node`,
  );
}

/** Blocks in one unbroken line behind the known ones; a break means that the chain moved while it was read. */
async function readBlocks(
  { node, network }: BitcoinScan,
  known: readonly BlockRef[],
  to: number,
): Promise<{ readonly line: readonly BlockRef[]; readonly candidates: readonly Candidate[] }> {
  const line = [...known];
  const candidates: Candidate[] = [];
  for (let height = (line.at(-1)?.height ?? 0) + 1; height <= to; height += 1) {
    const { hash, parentHash, transactions } = await node.block(await node.hashAt(height));
    if (parentHash !== line.at(-1)?.hash) throw node.fault(`the chain moved under block ${height}`);
    const block = { height, hash };
    line.push(block);
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
