import { present } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { REORG_MEMORY_BLOCKS, SCAN_BLOCKS_PER_PAGE } from '../../../kernel/limits.ts';
import type { BlockRef, ScanCursor, ScanPage, Sighting, Watched } from '../chain.ts';
import type { NodeBlock, NodeInfo, TronNode } from './node.ts';
import { AT_TRON, tronFault } from './reply.ts';
import { type Movement, movementsOf } from './transfers.ts';

/** A full block is half a megabyte of JSON: ten of them stay well below the largest reply we read. */
const BLOCKS_PER_CALL = 10;

interface Moved {
  readonly block: BlockRef;
  readonly movement: Movement;
}

export async function scanBlocks(
  node: TronNode,
  contracts: ReadonlySet<Address>,
  cursor: ScanCursor | undefined,
  watched: Watched,
): Promise<ScanPage> {
  const heads = await node.heads();
  if (!cursor) return { ...(await startingPage(node, heads.tip)), heads };
  // A node that is behind knows less, not better: what it lacks is no reorganisation.
  if (heads.tip < cursor.height) throw tronFault(`the node is at ${heads.tip}, the scan at ${cursor.height}`);
  const known = cursor.recent.length > 0 ? await commonAncestor(node, cursor) : [await blockAt(node, cursor.height)];
  const from = present(known.at(-1), 'a common ancestor').height;
  const to = Math.min(heads.tip, from + SCAN_BLOCKS_PER_PAGE);

  const line = [...known];
  const moved: Moved[] = [];
  for (let first = from + 1; first <= to; first += BLOCKS_PER_CALL) {
    const blocks = await node.blocks(first, Math.min(to, first + BLOCKS_PER_CALL - 1));
    moved.push(...(await Promise.all(blocks.map((block) => movedIn(node, contracts, block)))).flat());
    for (const { height, hash, parentHash } of blocks) {
      if (parentHash !== line.at(-1)?.hash) throw tronFault(`the chain moved under block ${height}`);
      line.push({ height, hash });
    }
  }
  return {
    cursor: { height: to, recent: line.slice(-REORG_MEMORY_BLOCKS) },
    heads,
    rewoundTo: from < cursor.height ? from : undefined,
    sightings: await sightingsOf(moved, watched),
    pool: [],
    more: to < heads.tip,
  };
}

async function startingPage(node: TronNode, height: number): Promise<Omit<ScanPage, 'heads'>> {
  const cursor = { height, recent: [await blockAt(node, height)] };
  return { cursor, rewoundTo: undefined, sightings: [], pool: [], more: false };
}

async function blockAt(node: TronNode, height: number): Promise<BlockRef> {
  const block = await node.header(height);
  if (!block) throw tronFault(`the node has no block ${height}`);
  return { height, hash: block.hash };
}

/** The remembered blocks that still stand. */
async function commonAncestor(node: TronNode, { height, recent }: ScanCursor): Promise<readonly BlockRef[]> {
  for (let length = recent.length; length > 0; length -= 1) {
    const newest = present(recent[length - 1], 'a remembered block');
    const { hash } = await blockAt(node, newest.height);
    if (hash === newest.hash) return recent.slice(0, length);
  }
  const why = `no block remembered below ${height} stands: reorganised too deep, or a wrong node`;
  throw new Fault('permanent', AT_TRON, why);
}

async function movedIn(node: TronNode, contracts: ReadonlySet<Address>, block: NodeBlock): Promise<readonly Moved[]> {
  const { height, hash, transactions } = block;
  const hasCalls = transactions.some(({ ask }) => ask?.kind === 'call');
  const infos = hasCalls ? await infosOf(node, block) : undefined;
  const movements = transactions.flatMap((tx) => movementsOf(contracts, tx, infos?.get(tx.hash)));
  return movements.map((movement) => ({ block: { height, hash }, movement }));
}

/**
 * Asked by height, since nodes know no other way: that it was this very block is told by its transactions and its time.
 * A node that lags or stands on another fork says "none" or tells of another block.
 */
async function infosOf(node: TronNode, block: NodeBlock): Promise<ReadonlyMap<string, NodeInfo>> {
  const infos = new Map((await node.infosAt(block.height)).map((info) => [info.hash as string, info]));
  const fits = block.transactions.every(({ hash }) => {
    const info = infos.get(hash);
    return info?.height === block.height && info.blockTime === block.time;
  });
  if (!fits) throw tronFault(`the node does not know what the transactions of block ${block.height} did`);
  return infos;
}

async function sightingsOf(moved: readonly Moved[], watched: Watched): Promise<readonly Sighting[]> {
  const candidates = new Set(moved.map(({ movement }) => movement.to));
  if (candidates.size === 0) return [];
  const ours = await watched([...candidates]);
  return moved
    .filter(({ movement: { from, to } }) => ours.has(to) && from !== to)
    .map(({ block, movement: { key, txHash, asset, from, to, atoms, isDirect } }) => ({
      ...{ key, address: to, asset, atoms: atoms(), txHash, block },
      // Whoever signs is no contract: on this chain those have no keys.
      sender: isDirect ? from : undefined,
    }));
}
